// This header has keys of the column families. Their numbers are big-endian and the queue comes first, so
// that a queue is one contiguous range.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/core/attempts.h"
#include "engine/core/schedule.h"
#include "holdfast/ids.h"
#include "holdfast/redrive.h"
#include "holdfast/time.h"
#include "holdfast/transaction.h"

namespace holdfast::keys {

// Returns the key in `messages`, `deliveries` and `dead_letters`: queue, seq.
std::string queue_seq(QueueId queue, Seq seq);
// Returns the first key that a queue may have in these families. All keys of the queue begin with it.
std::string queue_begin(QueueId queue);
// Returns the first key after all keys of a queue.
std::string queue_end(QueueId queue);

// Returns the key in `dedup`: queue, bucket, id.
std::string dedup(QueueId queue, Timestamp bucket, std::string_view id);
// Returns the bucket of a key in `dedup`. The engine writes no bucket before 1970 and none at the last time
// there is, so a key with such a bucket does not decode.
std::optional<Timestamp> parse_dedup_bucket(std::string_view key);

struct QueueSeq {
  QueueId queue;
  Seq seq;
};
// Returns the queue that a key begins with. It serves all families whose keys begin with a queue.
std::optional<QueueId> parse_queue(std::string_view key);
std::optional<QueueSeq> parse_queue_seq(std::string_view key);

// Returns the key of a scheduled message in `scheduled`: queue, visible at, ticket. Messages that wait for a
// time of day have 2^62 added to the time, so they come after those that wait for the end of a delay.
std::string scheduled(QueueId queue, const SchedulePlace& place);
// Return the bounds of the range of a queue's messages that wait for `what`.
std::string scheduled_begin(QueueId queue, WaitsFor what);
std::string scheduled_end(QueueId queue, WaitsFor what);
// Returns the first key after all scheduled messages of a queue.
std::string scheduled_end(QueueId queue);
std::optional<SchedulePlace> parse_scheduled(std::string_view key);

// Returns the key in `scheduled` of a chunk with messages that expire: queue, 2^63 + the time at which the
// first of them expires, first seq. These keys come after a queue's scheduled messages.
std::string expiry(QueueId queue, Timestamp expires_at, Seq first);
struct ExpiryPlace {
  Timestamp expires_at{};
  Seq first{};
};
std::optional<ExpiryPlace> parse_expiry(std::string_view key);
// Returns the first key after all expiry keys of a queue.
std::string expiry_end(QueueId queue);

// Returns the key in `scheduled` of what a consumer said of a failure: queue, 2^63 + 2^62 + home, slot. These
// keys are the last of a queue.
std::string failure(QueueId queue, const FailurePlace& place);
std::optional<FailurePlace> parse_failure(std::string_view key);

// A key in `catalog` begins with one letter for the kind of its row. A kind with one row has a constant.
inline constexpr std::string_view kFormatRow = "F";  // the format version
// The allocation row has what is given out next: the id of a queue, the id of a task, the engine's epoch.
inline constexpr std::string_view kAllocationRow = "A";
inline constexpr std::string_view kRequestTimeRow = "R";  // lived time (services/requests.h)
std::string queue_definition(QueueId queue);              // "Q" queue
std::string queue_checkpoint(QueueId queue);              // "S" queue
std::string family_definition(FamilyId family);           // "P" family
// All rows of a kind lie in the range from the `Begin` of the kind to before its `End`.
inline constexpr std::string_view kDefinitionsBegin = "Q";
inline constexpr std::string_view kDefinitionsEnd = "R";
inline constexpr std::string_view kCheckpointsBegin = "S";
inline constexpr std::string_view kCheckpointsEnd = "T";
inline constexpr std::string_view kFamiliesBegin = "P";
inline constexpr std::string_view kFamiliesEnd = "Q";
std::optional<QueueId> parse_queue_row(std::string_view key);
std::optional<FamilyId> parse_family_row(std::string_view key);

// Returns the key in `dedup` of what a call with a request id answered: "R" bucket, part, id. These keys lie
// beside those of the queues.
std::string request(std::uint64_t bucket, std::uint32_t part, std::string_view id);
// Returns the end of all keys of requests in buckets before `bucket`.
std::string requests_before(std::uint64_t bucket);
inline constexpr std::string_view kRequestsEnd = "S";
// The engine writes no later bucket in the first ten thousand years, so a key with one does not decode: half
// of the time that a Duration can measure is left.
inline constexpr std::uint64_t kLastRequestBucket = 14'168'006'201;
std::optional<std::uint64_t> parse_request_bucket(std::string_view key);

// A key in `journal` consists of queue, bucket, message and order.
std::string journal_bucket(QueueId queue, std::uint64_t bucket);  // the first key of a bucket
std::string journal(QueueId queue, std::uint64_t bucket, const MessageId& message, std::uint64_t order);
struct JournalPlace {
  QueueId queue{};
  std::uint64_t bucket = 0;
  MessageId message;
  std::uint64_t order = 0;
};
std::optional<JournalPlace> parse_journal(std::string_view key);

// Return the keys in `redrive_tasks`: task() that of a task, and task_outcomes(), which follows it, that of
// the counts of what became of the messages that the task moved.
std::string task(TaskId id);
std::optional<TaskId> parse_task(std::string_view key);
std::string task_outcomes(TaskId id);
std::optional<TaskId> parse_task_outcomes(std::string_view key);

}  // namespace holdfast::keys
