// The family `catalog` has these rows. All but the format row consist of tagged fields (tagged.h; the tags
// are in catalog_rows.cc), and the checkpoint of varints in a fixed order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/core/schedule.h"
#include "holdfast/error.h"
#include "holdfast/policy.h"
#include "holdfast/queue.h"

namespace holdfast {

// This code writes this version of the on-disk format, and reads none that is newer. The row is a u32.
inline constexpr std::uint32_t kFormatVersion = 1;
std::string encode_format_row(std::uint32_t version);
Result<std::uint32_t> decode_format_row(std::string_view row);
// kCorruption if the row does not decode, kFormatTooNew if this code does not read the format.
Result<void> check_format_row(std::string_view row);

// An AllocationRow has the numbers that are given out next.
struct AllocationRow {
  std::uint64_t next_queue_id = 1;
  std::uint64_t next_task_id = 1;
  // The epoch counts the openings of the directory. It makes the high bits of lease ids.
  std::uint64_t epoch = 0;
  // Lease ids are combined with the salt. It is random in a directory that was restored or salvaged, and 0
  // otherwise. Such a directory has the epochs of the one it came from, whose lease ids must settle nothing
  // here.
  std::uint64_t lease_salt = 0;
  std::uint64_t next_family_id = 1;
};
std::string encode_allocation_row(const AllocationRow& row);
Result<AllocationRow> decode_allocation_row(std::string_view row);

struct QueueDefinition {
  std::string name;
  Timestamp created_at{};
  QueueOptions options;
  Pause paused = {};
};
std::string encode_queue_definition(const QueueDefinition& definition);
Result<QueueDefinition> decode_queue_definition(std::string_view row);

// A LaneCheckpoint says where one lane of a queue's log stands. It is written with every commit group that
// touches the queue, so that recovery reads no messages. The rows of `deliveries` tell the rest.
struct LaneCheckpoint {
  Seq next_seq{};           // the seq of the next message
  Seq cursor{};             // no message before it is fresh
  std::uint64_t fresh = 0;  // messages never handed out
  std::uint64_t bytes = 0;  // of bodies and attributes of all messages
};
// A part of a queue's journal (see journal/journal.h), with its times in stored time.
struct JournalBucket {
  std::uint64_t number = 0;
  std::uint64_t entries = 0;  // at least as many as the bucket has rows
  Timestamp started{};
  Timestamp newest{};  // when its newest step was

  friend bool operator==(const JournalBucket&, const JournalBucket&) = default;
};
struct QueueCheckpoint {
  Seq next_seq{};           // the seq of the next message
  Seq cursor{};             // no message before it is fresh
  std::uint64_t fresh = 0;  // messages never handed out
  std::uint64_t dead = 0;   // messages with a failure record
  std::uint64_t bytes = 0;  // of bodies and attributes of all messages in the log
  QueueTotals totals = {};
  Ticket next_ticket{};                      // the ticket of the next row of `scheduled`
  std::uint64_t scheduled = 0;               // messages in `scheduled`
  std::uint64_t scheduled_bytes = 0;         // of their bodies and attributes
  Timestamp next_expiry = Timestamp::max();  // no message expires before this time
  // The lanes from the second one on; only queues with priorities have them.
  std::vector<LaneCheckpoint> lanes = {};
  std::vector<JournalBucket> journal = {};  // oldest first
  Timestamp written_at{};                   // in stored time; the epoch in a row that does not have it
  std::vector<Alert> alerts = {};           // the rules that hold; Alert::clears_at is not kept
  Timestamp braked_until{};                 // in stored time; the epoch while the flood brake is off
};
void encode_queue_checkpoint(const QueueCheckpoint& checkpoint, std::string& out);
Result<QueueCheckpoint> decode_queue_checkpoint(std::string_view row);

}  // namespace holdfast
