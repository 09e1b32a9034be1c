#include "engine/codec/rows/catalog_rows.h"

#include <array>
#include <bit>
#include <type_traits>
#include <utility>

#include "engine/base/options/queue_option_table.h"
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
  kNextFamilyId = 5  // 6 is reserved
};

// These tags of a definition are not in the table of options: fields that are not options, and the further
// fields of options that have several. The table has the tag of each option's first field.
enum DefinitionTag : std::uint32_t {
  kName = 1,
  kCreatedAt = 2,
  kSource = 22,  // one field for each source
  kRetryBase = 26,
  kRetryCap = 27,
  kRetryJitter = 28,
  kRetryStage = 29,  // one field for each stage
  kPausedDeliveries = 32,
  kPausedSends = 33,
  kRetryTo = 41,
  kJournalKeep = 43,
};

// Returns whether the tag is one of DefinitionTag. A tag that is missing here does not compile, nor do two
// with the same number.
constexpr bool is_definition_tag(std::uint32_t tag) {
  switch (static_cast<DefinitionTag>(tag)) {
    case kName:
    case kCreatedAt:
    case kSource:
    case kRetryBase:
    case kRetryCap:
    case kRetryJitter:
    case kRetryStage:
    case kPausedDeliveries:
    case kPausedSends:
    case kRetryTo:
    case kJournalKeep:
      return true;
  }
  return false;
}

// Two values with the same tag would be read as each other.
constexpr bool are_tags_distinct() {
  std::array<bool, 256> used{};
  bool distinct = true;
  for_each_option([&](const auto& option) {
    distinct &= !is_definition_tag(option.tag) && !std::exchange(used.at(option.tag), true);
  });
  return distinct;
}
static_assert(are_tags_distinct());

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

// Returns what is added to the number of an option where it is stored.
template <class T>
std::uint64_t stored_offset(const QueueOption<T>& option) {
  return option.stored_plus_one ? 1 : 0;
}

template <class T>
concept Number = std::is_integral_v<T> || std::is_enum_v<T>;

template <class T>
concept Policy =
    std::is_same_v<T, AutoRedrive> || std::is_same_v<T, AlertRules> || std::is_same_v<T, FloodBrake>;

// --- writing: `put` for each type that an option may have ---

template <Number T>
void put(std::string& out, const QueueOption<T>& option, T value) {
  tagged::put_number(out, option.tag, static_cast<std::uint64_t>(value) + stored_offset(option));
}

void put(std::string& out, const QueueOption<Duration>& option, Duration value) {
  tagged::put_number(out, option.tag, static_cast<std::uint64_t>(value.count()) + stored_offset(option));
}

void put(std::string& out, const QueueOption<std::string>& option, const std::string& value) {
  tagged::put_text(out, option.tag, value);
}

template <Policy T>
void put(std::string& out, const QueueOption<T>& option, const T& value) {
  tagged::put_text(out, option.tag, encode_policy(value));
}

// There is one field for each value.
void put(std::string& out, const QueueOption<std::vector<std::string>>& option,
         const std::vector<std::string>& values) {
  for (const std::string& value : values) tagged::put_text(out, option.tag, value);
}

// There is one field for each route: category:bytes queue.
void put(std::string& out, const QueueOption<std::vector<DeadLetterRoute>>& option,
         const std::vector<DeadLetterRoute>& routes) {
  for (const auto& [category, queue] : routes) {
    std::string bytes;
    wire::put_bytes(bytes, category);
    bytes.append(queue);
    tagged::put_text(out, option.tag, bytes);
  }
}

// There is one field for each tag: name:bytes value:bytes.
void put(std::string& out, const QueueOption<Tags>& option, const Tags& tags) {
  for (const auto& [name, value] : tags) {
    std::string pair;
    wire::put_bytes(pair, name);
    wire::put_bytes(pair, value);
    tagged::put_text(out, option.tag, pair);
  }
}

void put(std::string& out, const QueueOption<DeadLetterSources>& option, const DeadLetterSources& sources) {
  if (sources == DeadLetterSources{}) return;
  tagged::put_number(out, option.tag, static_cast<std::uint64_t>(sources.allow));
  for (const std::string& source : sources.queues) tagged::put_text(out, kSource, source);
}

void put(std::string& out, const QueueOption<RetryPolicy>& option, const RetryPolicy& retry) {
  tagged::put_number(out, option.tag, static_cast<std::uint64_t>(retry.kind));
  put_duration(out, kRetryBase, retry.base);
  put_duration(out, kRetryCap, retry.cap);
  tagged::put_number(out, kRetryJitter, std::bit_cast<std::uint64_t>(retry.jitter));
  tagged::put_number(out, kRetryTo, static_cast<std::uint64_t>(retry.to));
  for (const Duration stage : retry.stages) {
    // The field is never left out: a stage of 0 is a stage.
    std::string number;
    wire::put_varint(number, static_cast<std::uint64_t>(stage.count()));
    tagged::put_text(out, kRetryStage, number);
  }
}

void put(std::string& out, const QueueOption<JournalOptions>& option, const JournalOptions& journal) {
  tagged::put_number(out, option.tag, journal.max_entries);
  put_duration(out, kJournalKeep, journal.keep);
}

// --- reading: `take` for each type. It leaves `to` as it is if the field is not one of the option's, and
// returns false if the field is one and does not decode ---

template <Number T>
bool take(const tagged::Field& field, const QueueOption<T>& option, T& to) {
  if (field.tag == option.tag) to = static_cast<T>(field.number() - stored_offset(option));
  return true;
}

bool take(const tagged::Field& field, const QueueOption<Duration>& option, Duration& to) {
  if (field.tag == option.tag)
    to = Duration(static_cast<std::int64_t>(field.number() - stored_offset(option)));
  return true;
}

bool take(const tagged::Field& field, const QueueOption<std::string>& option, std::string& to) {
  if (field.tag == option.tag) to = field.text();
  return true;
}

template <Policy T>
bool take(const tagged::Field& field, const QueueOption<T>& option, T& to) {
  return field.tag != option.tag || decode_policy(field.value, to);
}

bool take(const tagged::Field& field, const QueueOption<std::vector<std::string>>& option,
          std::vector<std::string>& to) {
  if (field.tag == option.tag) to.push_back(field.text());
  return true;
}

bool take(const tagged::Field& field, const QueueOption<std::vector<DeadLetterRoute>>& option,
          std::vector<DeadLetterRoute>& to) {
  if (field.tag == option.tag) to.push_back(read_route(field.value));
  return true;
}

bool take(const tagged::Field& field, const QueueOption<Tags>& option, Tags& to) {
  if (field.tag != option.tag) return true;
  wire::Reader pair(field.value);
  const std::string_view name = pair.bytes();
  to.emplace(name, pair.bytes());
  return true;
}

bool take(const tagged::Field& field, const QueueOption<DeadLetterSources>& option, DeadLetterSources& to) {
  if (field.tag == option.tag) to.allow = static_cast<DeadLetterSources::Allow>(field.number());
  if (field.tag == kSource) to.queues.push_back(field.text());
  return true;
}

bool take(const tagged::Field& field, const QueueOption<RetryPolicy>& option, RetryPolicy& to) {
  if (field.tag == option.tag) to.kind = static_cast<RetryKind>(field.number());
  if (field.tag == kRetryBase) to.base = duration_of(field);
  if (field.tag == kRetryCap) to.cap = duration_of(field);
  if (field.tag == kRetryJitter) to.jitter = std::bit_cast<double>(field.number());
  if (field.tag == kRetryTo) to.to = static_cast<ReturnTo>(field.number());
  if (field.tag == kRetryStage) to.stages.push_back(duration_of(field));
  return true;
}

bool take(const tagged::Field& field, const QueueOption<JournalOptions>& option, JournalOptions& to) {
  if (field.tag == option.tag) to.max_entries = field.number();
  if (field.tag == kJournalKeep) to.keep = duration_of(field);
  return true;
}

void put_alert(std::string& out, const Alert& alert) {
  wire::put_bytes(out, alert.rule);
  wire::put_varint(out, static_cast<std::uint64_t>(alert.severity));
  wire::put_time(out, alert.since);
  wire::put_varint(out, alert.value);
  wire::put_varint(out, alert.threshold);
  wire::put_varint(out, alert.dead_letter ? 1 : 0);
  if (alert.dead_letter) wire::put_varint(out, static_cast<std::uint64_t>(*alert.dead_letter));
}

Alert get_alert(wire::Reader& reader) {
  Alert alert;
  alert.rule = reader.bytes();
  alert.severity = static_cast<AlertSeverity>(reader.varint());
  if (alert.severity != AlertSeverity::kWarning && alert.severity != AlertSeverity::kCritical) reader.fail();
  alert.since = reader.time();
  alert.value = reader.varint();
  alert.threshold = reader.varint();
  if (reader.varint() != 0) alert.dead_letter = Seq{reader.varint()};
  return alert;
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

Result<void> check_format_row(std::string_view row) {
  const auto version = decode_format_row(row);
  if (!version) return tl::unexpected(version.error());
  if (*version <= kFormatVersion) return {};
  return fail(ErrorCode::kFormatTooNew, "the data directory has format " + std::to_string(*version) +
                                            ", this version reads up to " + std::to_string(kFormatVersion));
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
  std::string out;
  tagged::put_text(out, kName, definition.name);
  tagged::put_time(out, kCreatedAt, definition.created_at);
  for_each_option([&](const auto& option) { put(out, option, option.place(definition.options)); });
  tagged::put_number(out, kPausedDeliveries, definition.paused.deliveries ? 1 : 0);
  tagged::put_number(out, kPausedSends, definition.paused.sends ? 1 : 0);
  return out;
}

Result<QueueDefinition> decode_queue_definition(std::string_view row) {
  QueueDefinition result;
  bool options = true;
  const bool decoded = tagged::for_each_field(row, [&](const tagged::Field& field) {
    if (field.tag == kName) result.name = field.text();
    if (field.tag == kCreatedAt) result.created_at = field.time();
    if (field.tag == kPausedDeliveries) result.paused.deliveries = field.number() != 0;
    if (field.tag == kPausedSends) result.paused.sends = field.number() != 0;
    for_each_option(
        [&](const auto& option) { options &= take(field, option, option.place(result.options)); });
  });
  if (!decoded || !options || result.name.empty()) return corrupt("a queue's definition");
  return result;
}

void encode_queue_checkpoint(const QueueCheckpoint& checkpoint, std::string& out) {
  // This row is written with every commit, so it is plain varints in a fixed order. New fields join at the
  // end.
  const QueueTotals& totals = checkpoint.totals;
  wire::put_varints(
      out, {static_cast<std::uint64_t>(checkpoint.next_seq), static_cast<std::uint64_t>(checkpoint.cursor),
            checkpoint.fresh, checkpoint.dead, totals.sent, totals.delivered, totals.acked,
            totals.dead_lettered, totals.discarded, totals.redriven,
            static_cast<std::uint64_t>(checkpoint.next_ticket), checkpoint.scheduled, totals.parked,
            checkpoint.bytes, checkpoint.scheduled_bytes, std::uint64_t{checkpoint.lanes.size()}});
  for (const LaneCheckpoint& lane : checkpoint.lanes) {
    wire::put_varints(out, {static_cast<std::uint64_t>(lane.next_seq),
                            static_cast<std::uint64_t>(lane.cursor), lane.fresh, lane.bytes});
  }
  const bool expires = checkpoint.next_expiry != Timestamp::max();
  wire::put_varints(
      out, {totals.expired,
            expires ? static_cast<std::uint64_t>(checkpoint.next_expiry.time_since_epoch().count()) : 0,
            totals.overflowed, std::uint64_t{checkpoint.journal.size()}});
  for (const JournalBucket& bucket : checkpoint.journal) {
    wire::put_varint(out, bucket.number);
    wire::put_varint(out, bucket.entries);
    wire::put_time(out, bucket.started);
    wire::put_time(out, bucket.newest);
  }
  wire::put_time(out, checkpoint.written_at);
  wire::put_varint(out, checkpoint.alerts.size());
  for (const Alert& alert : checkpoint.alerts) put_alert(out, alert);
  wire::put_time(out, checkpoint.braked_until);
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
  if (!reader.at_end()) {
    const std::uint64_t alerts = reader.varint();
    for (std::uint64_t i = 0; i < alerts && !reader.failed(); ++i) result.alerts.push_back(get_alert(reader));
    result.braked_until = reader.time();
  }
  if (reader.failed()) return corrupt("a queue's checkpoint");
  return result;
}

}  // namespace holdfast
