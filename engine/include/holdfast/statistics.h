// Numbers about an engine and its queues. Taking them is cheap: what happens per message is counted in the
// write that happens anyway.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "holdfast/dead_letter_statistics.h"
#include "holdfast/operations.h"
#include "holdfast/time.h"

namespace holdfast {

// How often values of each size occurred: bucket 0 counts zeros, bucket i > 0 those of 2^(i-1)..2^i - 1, the
// last one all larger ones too.
struct Histogram {
  static constexpr std::size_t kBuckets = 48;

  std::array<std::uint64_t, kBuckets> buckets{};
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  void add(std::uint64_t value);
  static std::size_t bucket_of(std::uint64_t value);
  // The upper end of the bucket that the value at `share` (0..1) of all lies in; 0 if there are none.
  std::uint64_t quantile(double share) const;
  double mean() const { return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count); }

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

// Per second, an average that forgets exponentially: over a minute and over five.
struct Rate {
  double one_minute = 0;
  double five_minutes = 0;

  friend bool operator==(const Rate&, const Rate&) = default;
};

// What QueueInfo does not say.
struct QueueStatistics {
  Rate sent;
  Rate delivered;
  Rate acked;
  Rate dead_lettered;
  // When the message that is handed out next was first sent. Empty if none is ready.
  std::optional<Timestamp> oldest_ready;
  // When the foremost leased message was first sent. Empty if none is leased.
  std::optional<Timestamp> oldest_leased;
  // When the first lease or delay ends. Empty if there is none.
  std::optional<Timestamp> next_due;
  // When the dead letter died that died first of those that are here. Empty if there is none.
  std::optional<Timestamp> oldest_died_at;
  ArrivalTotals arrivals;
  std::uint64_t disk_bytes = 0;  // about, what was removed and not compacted yet included
  // From send to hand-out in microseconds, of the messages handed out since the engine was opened. What came
  // back and was handed out again counts again.
  Histogram delivery_latency;

  friend bool operator==(const QueueStatistics&, const QueueStatistics&) = default;
};

// Since the engine was opened.
struct EngineStatistics {
  Timestamp opened_at{};
  std::uint64_t queues = 0;
  Histogram group_calls;                    // calls that shared a commit
  Histogram group_bytes;                    // of a commit
  Histogram buffered_commit;                // microseconds that a commit without fsync took
  Histogram fsync_commit;                   // microseconds that one with fsync took
  std::optional<std::uint64_t> free_bytes;  // as in Health
  std::uint64_t reserve_bytes = 0;
  // How often the wall clock was set, by a second or more, and how far it is ahead of the engine's time,
  // which follows it a twentieth faster or slower than time passes.
  std::uint64_t clock_steps = 0;
  Duration clock_offset{};
  // While retention cannot archive what it would delete: why, since when (see ArchiveHealth). Empty: it can.
  std::string archive_failure = {};
  Timestamp archive_failing_since{};
  StoreStatistics store;

  friend bool operator==(const EngineStatistics&, const EngineStatistics&) = default;
};

}  // namespace holdfast
