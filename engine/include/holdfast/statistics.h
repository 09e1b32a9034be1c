// This header declares statistics of an engine and of its queues. Keeping them is cheap: what happens per
// message is counted in the write that happens anyway.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "holdfast/dead_letter_statistics.h"
#include "holdfast/operations.h"
#include "holdfast/time.h"

namespace holdfast {

// A histogram says how often values of each size occurred. Bucket 0 counts zeros, and bucket i > 0 counts
// values of 2^(i-1)..2^i - 1; the last bucket counts all larger values too.
struct Histogram {
  static constexpr std::size_t kBuckets = 48;

  std::array<std::uint64_t, kBuckets> buckets{};
  std::uint64_t count = 0;
  std::uint64_t sum = 0;

  void add(std::uint64_t value);
  static std::size_t bucket_of(std::uint64_t value);
  // Returns the quantile at `share` (0..1), rounded up to the upper end of its bucket; 0 if there are no
  // values.
  std::uint64_t quantile(double share) const;
  double mean() const { return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count); }

  friend bool operator==(const Histogram&, const Histogram&) = default;
};

// A rate per second has averages over one minute and over five, which forget exponentially.
struct Rate {
  double one_minute = 0;
  double five_minutes = 0;

  friend bool operator==(const Rate&, const Rate&) = default;
};

// QueueStatistics has the numbers of a queue that QueueInfo does not have.
struct QueueStatistics {
  Rate sent;
  Rate delivered;
  Rate acked;
  Rate dead_lettered;
  // The first ready message of the highest level of priority that has one was first sent at this time, even
  // if its group is held or priority_aging prefers another level. Empty if no message is ready.
  std::optional<Timestamp> oldest_ready;
  // The leased message with the lowest seq, in the highest level of priority that has one, was first sent at
  // this time. Empty if no message is leased.
  std::optional<Timestamp> oldest_leased;
  // The first lease or delay ends at this time. Empty if there is none.
  std::optional<Timestamp> next_due;
  // The oldest dead letter in the queue died at this time. Empty if there is none.
  std::optional<Timestamp> oldest_died_at;
  ArrivalTotals arrivals;
  // The queue takes this many bytes on disk: an estimate, which includes what was removed and is not
  // compacted yet.
  std::uint64_t disk_bytes = 0;
  // `delivery_latency` has the times from send to delivery, in microseconds, for all deliveries since the
  // engine was opened. A message that is delivered again counts again.
  Histogram delivery_latency;

  friend bool operator==(const QueueStatistics&, const QueueStatistics&) = default;
};

// EngineStatistics has the numbers of an engine. Counts and histograms begin when the engine is opened.
struct EngineStatistics {
  Timestamp opened_at{};
  std::uint64_t queues = 0;
  Histogram group_calls;                    // how many calls shared a commit
  Histogram group_bytes;                    // the bytes of a commit
  Histogram buffered_commit;                // how many microseconds a commit without fsync took
  Histogram fsync_commit;                   // how many microseconds a commit with fsync took
  std::optional<std::uint64_t> free_bytes;  // Health::free_bytes
  std::uint64_t reserve_bytes = 0;          // Health::reserve_bytes
  // The wall clock was set this often, by a second or more.
  std::uint64_t clock_steps = 0;
  // The wall clock is this far ahead of the engine's time. The engine's time follows the wall clock by going
  // a twentieth faster or slower.
  Duration clock_offset{};
  // archive_failure says why retention cannot archive what it would delete, and archive_failing_since says
  // since when (ArchiveHealth). It is empty if retention can archive.
  std::string archive_failure = {};
  Timestamp archive_failing_since{};
  StoreStatistics store;

  friend bool operator==(const EngineStatistics&, const EngineStatistics&) = default;
};

}  // namespace holdfast
