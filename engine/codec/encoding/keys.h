// Keys of the column families: big-endian, the queue first, so that a queue is one contiguous range.
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

// `messages`, `deliveries`, `dead_letters`: queue, seq.
std::string queue_seq(QueueId queue, Seq seq);
// What all of a queue's keys in these families begin with: the first key that could be one.
std::string queue_begin(QueueId queue);
// The first key after all of a queue's.
std::string queue_end(QueueId queue);

// `dedup`: queue, bucket, id.
std::string dedup(QueueId queue, Timestamp bucket, std::string_view id);
// The bucket of such a key.
std::optional<Timestamp> parse_dedup_bucket(std::string_view key);

struct QueueSeq {
  QueueId queue;
  Seq seq;
};
// The queue that a key of these families begins with.
std::optional<QueueId> parse_queue(std::string_view key);
std::optional<QueueSeq> parse_queue_seq(std::string_view key);

// `scheduled`, scheduled messages: queue, visible at, ticket. Those that wait for a time of day come after
// those that wait for the end of a delay: with 2^62 added to the time.
std::string scheduled(QueueId queue, const SchedulePlace& place);
// The first key that could be one of the kind, and the first after all of these.
std::string scheduled_begin(QueueId queue, WaitsFor what);
std::string scheduled_end(QueueId queue, WaitsFor what);
// The first key after those of both kinds.
std::string scheduled_end(QueueId queue);
std::optional<SchedulePlace> parse_scheduled(std::string_view key);

// `scheduled`, after a queue's scheduled messages, chunks with messages that expire: queue, 2^63 + when the
// first of them does, first seq.
std::string expiry(QueueId queue, Timestamp expires_at, Seq first);
struct ExpiryPlace {
  Timestamp expires_at{};
  Seq first{};
};
std::optional<ExpiryPlace> parse_expiry(std::string_view key);
// The first key after these.
std::string expiry_end(QueueId queue);

// `scheduled`, last of a queue's, what consumers said of failures: queue, 2^63 + 2^62 + home, slot.
std::string failure(QueueId queue, const FailurePlace& place);
std::optional<FailurePlace> parse_failure(std::string_view key);

// `catalog`: one row of each kind; a kind is one letter.
inline constexpr std::string_view kFormatRow = "F";       // format version
inline constexpr std::string_view kAllocationRow = "A";   // next queue id, next task id, epoch
inline constexpr std::string_view kRequestTimeRow = "R";  // lived time: services/requests.h
std::string queue_definition(QueueId queue);              // "Q" queue
std::string queue_checkpoint(QueueId queue);              // "S" queue
std::string family_definition(FamilyId family);           // "P" family
// The range of all rows of a kind.
inline constexpr std::string_view kDefinitionsBegin = "Q";
inline constexpr std::string_view kDefinitionsEnd = "R";
inline constexpr std::string_view kCheckpointsBegin = "S";
inline constexpr std::string_view kCheckpointsEnd = "T";
inline constexpr std::string_view kFamiliesBegin = "P";
inline constexpr std::string_view kFamiliesEnd = "Q";
std::optional<QueueId> parse_queue_row(std::string_view key);
std::optional<FamilyId> parse_family_row(std::string_view key);

// `dedup`, beside the queues' rows: what calls with a request id have answered. "R" bucket, part, id.
std::string request(std::uint64_t bucket, std::uint32_t part, std::string_view id);
// Past all rows of buckets before this one.
std::string requests_before(std::uint64_t bucket);
inline constexpr std::string_view kRequestsEnd = "S";
std::optional<std::uint64_t> parse_request_bucket(std::string_view key);

// `journal`: queue, bucket, message, order.
std::string journal_bucket(QueueId queue, std::uint64_t bucket);  // the first key of a bucket
std::string journal(QueueId queue, std::uint64_t bucket, const MessageId& message, std::uint64_t order);
struct JournalPlace {
  QueueId queue{};
  std::uint64_t bucket = 0;
  MessageId message;
  std::uint64_t order = 0;
};
std::optional<JournalPlace> parse_journal(std::string_view key);

// `redrive_tasks`: the task; after it what became of the messages that it moved.
std::string task(TaskId id);
std::optional<TaskId> parse_task(std::string_view key);
std::string task_outcomes(TaskId id);
std::optional<TaskId> parse_task_outcomes(std::string_view key);

}  // namespace holdfast::keys
