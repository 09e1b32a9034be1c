#include "engine/codec/rows/catalog_rows.h"

#include <bit>

#include "engine/codec/encoding/tagged.h"
#include "engine/codec/rows/policy_rows.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Tags are never renumbered, never reused.

enum AllocationTag : std::uint32_t {
  kNextQueueId = 1,
  kNextTaskId = 2,
  kEpoch = 3,
  kLeaseSalt = 4,
  kNextFamilyId = 5  // 6 was how much of stored time no engine has seen
};

enum DefinitionTag : std::uint32_t {
  kName = 1,
  kCreatedAt = 2,
  kMaxDeliveries = 3,
  kDeadLetterQueue = 4,
  kLease = 5,
  kDurability = 6,
  kDiscardRejected = 7,
  kDelay = 8,
  kGrouping = 9,
  kDeduplication = 10,
  kDeduplicationWindow = 11,
  kPriorities = 12,
  kPriorityAging = 13,
  kParkingQueue = 16,
  kAutoRedrive = 17,
  kAlerts = 18,
  kBrake = 19,
  kRoute = 20,  // one field each: category:bytes queue
  kSourcesAllowed = 21,
  kSource = 22,        // one field each
  kKeepReplayed = 23,  // plus one, since 0 is not the default; as is the next
  kKeepAbandoned = 24,
  kRetryKind = 25,
  kRetryBase = 26,
  kRetryCap = 27,
  kRetryJitter = 28,
  kRetryStage = 29,  // one field for each
  kLifetime = 30,
  kTag = 31,  // one field for each: name:bytes value:bytes
  kPausedDeliveries = 32,
  kPausedSends = 33,
  kTimeToLive = 34,
  kOnExpiry = 35,
  kMaxLength = 36,
  kOnOverflow = 37,
  kMaxLeased = 38,
  kMaxBytes = 39,
  kMaxBodyBytes = 40,
  kRetryTo = 41,
  kJournalEntries = 42,
  kJournalKeep = 43,
  kSearchedAttribute = 44,  // one field each
  kKeepUnresolved = 45,
  kDirectSends = 46,
};

DeadLetterRoute read_route(std::string_view bytes) {
  wire::Reader reader(bytes);
  const std::string_view category = reader.bytes();
  return {.category = std::string(category), .queue = std::string(reader.rest())};
}

tl::unexpected<Error> corrupt(const char* what) {
  return fail(ErrorCode::kCorruption, std::string(what) + " does not decode");
}

void put_duration(std::string& out, std::uint32_t tag, Duration value) {
  tagged::put_number(out, tag, static_cast<std::uint64_t>(value.count()));
}

Duration duration_of(const tagged::Field& field) {
  return Duration(static_cast<std::int64_t>(field.number()));
}

void put_retry(std::string& out, const RetryPolicy& retry) {
  tagged::put_number(out, kRetryKind, static_cast<std::uint64_t>(retry.kind));
  put_duration(out, kRetryBase, retry.base);
  put_duration(out, kRetryCap, retry.cap);
  tagged::put_number(out, kRetryJitter, std::bit_cast<std::uint64_t>(retry.jitter));
  tagged::put_number(out, kRetryTo, static_cast<std::uint64_t>(retry.to));
  for (const Duration stage : retry.stages) {
    // Never absent: a stage of 0 is a stage.
    std::string number;
    wire::put_varint(number, static_cast<std::uint64_t>(stage.count()));
    tagged::put_text(out, kRetryStage, number);
  }
}

void read_retry(const tagged::Field& field, RetryPolicy& retry) {
  if (field.tag == kRetryKind) retry.kind = static_cast<RetryKind>(field.number());
  if (field.tag == kRetryBase) retry.base = duration_of(field);
  if (field.tag == kRetryCap) retry.cap = duration_of(field);
  if (field.tag == kRetryJitter) retry.jitter = std::bit_cast<double>(field.number());
  if (field.tag == kRetryTo) retry.to = static_cast<ReturnTo>(field.number());
  if (field.tag == kRetryStage) retry.stages.push_back(duration_of(field));
}

}  // namespace

std::string encode_format_row(std::uint32_t version) {
  std::string row;
  wire::put_u32(row, version);
  return row;
}

Result<std::uint32_t> decode_format_row(std::string_view row) {
  wire::Reader reader(row);
  const std::uint32_t version = reader.u32();
  if (reader.failed() || version == 0) return corrupt("the format version");
  return version;
}

std::string encode_allocation_row(const AllocationRow& row) {
  std::string out;
  tagged::put_number(out, kNextQueueId, row.next_queue_id);
  tagged::put_number(out, kNextTaskId, row.next_task_id);
  tagged::put_number(out, kEpoch, row.epoch);
  tagged::put_number(out, kLeaseSalt, row.lease_salt);
  tagged::put_number(out, kNextFamilyId, row.next_family_id);
  return out;
}

Result<AllocationRow> decode_allocation_row(std::string_view row) {
  AllocationRow result;
  const bool decoded = tagged::for_each_field(row, [&](const tagged::Field& field) {
    if (field.tag == kNextQueueId) result.next_queue_id = field.number();
    if (field.tag == kNextTaskId) result.next_task_id = field.number();
    if (field.tag == kEpoch) result.epoch = field.number();
    if (field.tag == kLeaseSalt) result.lease_salt = field.number();
    if (field.tag == kNextFamilyId) result.next_family_id = field.number();
  });
  if (!decoded || result.next_queue_id == 0 || result.next_task_id == 0) return corrupt("the allocation row");
  return result;
}

std::string encode_queue_definition(const QueueDefinition& definition) {
  const QueueOptions& options = definition.options;
  std::string out;
  tagged::put_text(out, kName, definition.name);
  tagged::put_time(out, kCreatedAt, definition.created_at);
  tagged::put_number(out, kMaxDeliveries, options.max_deliveries);
  tagged::put_text(out, kDeadLetterQueue, options.dead_letter_queue);
  tagged::put_number(out, kLease, static_cast<std::uint64_t>(options.lease.count()));
  tagged::put_number(out, kDurability, static_cast<std::uint64_t>(options.durability));
  tagged::put_number(out, kDiscardRejected, options.discard_rejected ? 1 : 0);
  put_duration(out, kDelay, options.delay);
  tagged::put_number(out, kGrouping, static_cast<std::uint64_t>(options.grouping));
  tagged::put_number(out, kDeduplication, static_cast<std::uint64_t>(options.deduplication));
  tagged::put_number(out, kDeduplicationWindow,
                     static_cast<std::uint64_t>(options.deduplication_window.count()));
  tagged::put_number(out, kPriorities, options.priorities);
  tagged::put_number(out, kPriorityAging, static_cast<std::uint64_t>(options.priority_aging.count()));
  for (const auto& [category, queue] : options.dead_letter_routes) {
    std::string bytes;
    wire::put_bytes(bytes, category);
    bytes.append(queue);
    tagged::put_text(out, kRoute, bytes);
  }
  tagged::put_number(out, kKeepReplayed, static_cast<std::uint64_t>(options.keep_replayed.count()) + 1);
  tagged::put_number(out, kKeepAbandoned, static_cast<std::uint64_t>(options.keep_abandoned.count()) + 1);
  if (options.dead_letter_sources != DeadLetterSources{}) {
    tagged::put_number(out, kSourcesAllowed, static_cast<std::uint64_t>(options.dead_letter_sources.allow));
    for (const std::string& source : options.dead_letter_sources.queues)
      tagged::put_text(out, kSource, source);
  }
  for (const std::string& name : options.searched_attributes) tagged::put_text(out, kSearchedAttribute, name);
  put_duration(out, kKeepUnresolved, options.keep_unresolved);
  tagged::put_number(out, kDirectSends, options.direct_sends ? 1 : 0);
  tagged::put_text(out, kParkingQueue, options.parking_queue);
  tagged::put_text(out, kAutoRedrive, encode_policy(options.auto_redrive));
  tagged::put_text(out, kAlerts, encode_policy(options.alerts));
  tagged::put_text(out, kBrake, encode_policy(options.brake));
  put_retry(out, options.retry);
  put_duration(out, kLifetime, options.lifetime);
  put_duration(out, kTimeToLive, options.time_to_live);
  tagged::put_number(out, kOnExpiry, static_cast<std::uint64_t>(options.on_expiry));
  tagged::put_number(out, kMaxLength, options.max_length);
  tagged::put_number(out, kOnOverflow, static_cast<std::uint64_t>(options.on_overflow));
  tagged::put_number(out, kMaxLeased, options.max_leased);
  tagged::put_number(out, kMaxBytes, options.max_bytes);
  tagged::put_number(out, kMaxBodyBytes, options.max_body_bytes);
  tagged::put_number(out, kJournalEntries, options.journal.max_entries);
  put_duration(out, kJournalKeep, options.journal.keep);
  for (const auto& [name, value] : options.tags) {
    std::string pair;
    wire::put_bytes(pair, name);
    wire::put_bytes(pair, value);
    tagged::put_text(out, kTag, pair);
  }
  tagged::put_number(out, kPausedDeliveries, definition.paused.deliveries ? 1 : 0);
  tagged::put_number(out, kPausedSends, definition.paused.sends ? 1 : 0);
  return out;
}

Result<QueueDefinition> decode_queue_definition(std::string_view row) {
  QueueDefinition result;
  bool policies = true;
  const bool decoded = tagged::for_each_field(row, [&](const tagged::Field& field) {
    QueueOptions& options = result.options;
    if (field.tag == kName) result.name = field.text();
    if (field.tag == kCreatedAt) result.created_at = field.time();
    if (field.tag == kMaxDeliveries) options.max_deliveries = static_cast<std::uint32_t>(field.number());
    if (field.tag == kDeadLetterQueue) options.dead_letter_queue = field.text();
    if (field.tag == kLease) options.lease = Duration(static_cast<std::int64_t>(field.number()));
    if (field.tag == kDurability) options.durability = static_cast<Durability>(field.number());
    if (field.tag == kDiscardRejected) options.discard_rejected = field.number() != 0;
    if (field.tag == kRoute) options.dead_letter_routes.push_back(read_route(field.value));
    if (field.tag == kSourcesAllowed) {
      options.dead_letter_sources.allow = static_cast<DeadLetterSources::Allow>(field.number());
    }
    if (field.tag == kKeepReplayed)
      options.keep_replayed = Duration(static_cast<std::int64_t>(field.number() - 1));
    if (field.tag == kKeepAbandoned)
      options.keep_abandoned = Duration(static_cast<std::int64_t>(field.number() - 1));
    if (field.tag == kSource) options.dead_letter_sources.queues.push_back(field.text());
    if (field.tag == kSearchedAttribute) options.searched_attributes.push_back(field.text());
    if (field.tag == kKeepUnresolved) options.keep_unresolved = duration_of(field);
    if (field.tag == kDirectSends) options.direct_sends = field.number() != 0;
    if (field.tag == kDelay) options.delay = duration_of(field);
    if (field.tag == kGrouping) options.grouping = static_cast<Grouping>(field.number());
    if (field.tag == kDeduplication) options.deduplication = static_cast<Deduplication>(field.number());
    if (field.tag == kDeduplicationWindow) {
      options.deduplication_window = Duration(static_cast<std::int64_t>(field.number()));
    }
    if (field.tag == kPriorities) options.priorities = static_cast<std::uint32_t>(field.number());
    if (field.tag == kPriorityAging) {
      options.priority_aging = Duration(static_cast<std::int64_t>(field.number()));
    }
    if (field.tag == kParkingQueue) options.parking_queue = field.text();
    if (field.tag == kAutoRedrive) policies &= decode_policy(field.value, options.auto_redrive);
    if (field.tag == kAlerts) policies &= decode_policy(field.value, options.alerts);
    if (field.tag == kBrake) policies &= decode_policy(field.value, options.brake);
    read_retry(field, options.retry);
    if (field.tag == kLifetime) options.lifetime = duration_of(field);
    if (field.tag == kTimeToLive) options.time_to_live = duration_of(field);
    if (field.tag == kOnExpiry) options.on_expiry = static_cast<ExpiryPolicy>(field.number());
    if (field.tag == kMaxLength) options.max_length = field.number();
    if (field.tag == kOnOverflow) options.on_overflow = static_cast<OverflowPolicy>(field.number());
    if (field.tag == kMaxLeased) options.max_leased = field.number();
    if (field.tag == kJournalEntries) options.journal.max_entries = field.number();
    if (field.tag == kJournalKeep) options.journal.keep = duration_of(field);
    if (field.tag == kMaxBytes) options.max_bytes = field.number();
    if (field.tag == kMaxBodyBytes) options.max_body_bytes = static_cast<std::uint32_t>(field.number());
    if (field.tag == kTag) {
      wire::Reader pair(field.value);
      const std::string_view name = pair.bytes();
      options.tags.emplace(name, pair.bytes());
    }
    if (field.tag == kPausedDeliveries) result.paused.deliveries = field.number() != 0;
    if (field.tag == kPausedSends) result.paused.sends = field.number() != 0;
  });
  if (!decoded || !policies || result.name.empty()) return corrupt("a queue's definition");
  return result;
}

void encode_queue_checkpoint(const QueueCheckpoint& checkpoint, std::string& out) {
  // The one row written with every commit, so plain varints in a fixed order; new fields join at the end.
  for (const std::uint64_t number :
       {static_cast<std::uint64_t>(checkpoint.next_seq), static_cast<std::uint64_t>(checkpoint.cursor),
        checkpoint.fresh, checkpoint.dead, checkpoint.totals.sent, checkpoint.totals.delivered,
        checkpoint.totals.acked, checkpoint.totals.dead_lettered, checkpoint.totals.discarded,
        checkpoint.totals.redriven, static_cast<std::uint64_t>(checkpoint.next_ticket), checkpoint.scheduled,
        checkpoint.totals.parked, checkpoint.bytes, checkpoint.scheduled_bytes,
        std::uint64_t{checkpoint.lanes.size()}}) {
    wire::put_varint(out, number);
  }
  for (const LaneCheckpoint& lane : checkpoint.lanes) {
    for (const std::uint64_t number : {static_cast<std::uint64_t>(lane.next_seq),
                                       static_cast<std::uint64_t>(lane.cursor), lane.fresh, lane.bytes}) {
      wire::put_varint(out, number);
    }
  }
  const bool expires = checkpoint.next_expiry != Timestamp::max();
  wire::put_varint(out, checkpoint.totals.expired);
  wire::put_varint(
      out, expires ? static_cast<std::uint64_t>(checkpoint.next_expiry.time_since_epoch().count()) : 0);
  wire::put_varint(out, checkpoint.totals.overflowed);
  wire::put_varint(out, checkpoint.journal.size());
  for (const JournalBucket& bucket : checkpoint.journal) {
    wire::put_varint(out, bucket.number);
    wire::put_varint(out, bucket.entries);
    wire::put_time(out, bucket.started);
    wire::put_time(out, bucket.newest);
  }
  wire::put_time(out, checkpoint.written_at);
}

Result<QueueCheckpoint> decode_queue_checkpoint(std::string_view row) {
  wire::Reader reader(row);
  QueueCheckpoint result;
  result.next_seq = Seq{reader.varint()};
  result.cursor = Seq{reader.varint()};
  result.fresh = reader.varint();
  result.dead = reader.varint();
  result.totals.sent = reader.varint();
  result.totals.delivered = reader.varint();
  result.totals.acked = reader.varint();
  result.totals.dead_lettered = reader.varint();
  result.totals.discarded = reader.varint();
  result.totals.redriven = reader.varint();
  result.next_ticket = Ticket{reader.varint()};
  result.scheduled = reader.varint();
  result.totals.parked = reader.varint();
  result.bytes = reader.varint();
  result.scheduled_bytes = reader.varint();
  const std::uint64_t lanes = reader.varint();
  if (lanes >= limits::kPrioritiesMax) return corrupt("a queue's checkpoint");
  result.lanes.resize(lanes);
  for (LaneCheckpoint& lane : result.lanes) {
    lane.next_seq = Seq{reader.varint()};
    lane.cursor = Seq{reader.varint()};
    lane.fresh = reader.varint();
    lane.bytes = reader.varint();
  }
  if (!reader.at_end()) {
    result.totals.expired = reader.varint();
    const Duration next_expiry(static_cast<std::int64_t>(reader.varint()));
    if (next_expiry != Duration{0}) result.next_expiry = Timestamp(next_expiry);
    result.totals.overflowed = reader.varint();
  }
  if (!reader.at_end()) {
    const std::uint64_t buckets = reader.varint();
    for (std::uint64_t i = 0; i < buckets && !reader.failed(); ++i) {
      JournalBucket& bucket = result.journal.emplace_back();
      bucket.number = reader.varint();
      bucket.entries = reader.varint();
      bucket.started = reader.time();
      bucket.newest = reader.time();
    }
  }
  if (!reader.at_end()) result.written_at = reader.time();
  if (reader.failed()) return corrupt("a queue's checkpoint");
  return result;
}

}  // namespace holdfast
