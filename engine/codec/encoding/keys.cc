#include "engine/codec/encoding/keys.h"

#include <cstring>

#include "engine/codec/encoding/big_endian.h"

namespace holdfast::keys {
namespace {

// Rows of `scheduled` have the key queue, time, number. Times are below 2^62, so their top bits tell the
// kinds of rows apart.
constexpr std::uint64_t kExpiryBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kTimeOfDayBit = std::uint64_t{1} << 62;

constexpr char kOutcomesMark = 'o';

std::string timed_row(QueueId queue, std::uint64_t time, std::uint64_t number) {
  std::string key;
  key.reserve(24);
  append_big_endian(key, static_cast<std::uint64_t>(queue));
  append_big_endian(key, time);
  append_big_endian(key, number);
  return key;
}

std::uint64_t bit_of(WaitsFor what) { return what == WaitsFor::kTimeOfDay ? kTimeOfDayBit : 0; }

std::uint64_t number_of(Timestamp time) {
  return static_cast<std::uint64_t>(time.time_since_epoch().count());
}

// The top byte of a seq is a lane, of which there are 16, so these bits are free.
constexpr std::uint64_t kFailureBits = kExpiryBit | kTimeOfDayBit;

bool is_expiry(std::string_view key) { return (big_endian_at(key, 8) & kExpiryBit) != 0; }
bool is_failure(std::string_view key) { return (big_endian_at(key, 8) & kFailureBits) == kFailureBits; }

Timestamp time_of(std::string_view key) {
  return Timestamp(Duration(static_cast<std::int64_t>(big_endian_at(key, 8) & ~kExpiryBit)));
}

template <class Id>
std::string catalog_row(std::string_view kind, Id id) {
  std::string key(kind);
  append_big_endian(key, static_cast<std::uint64_t>(id));
  return key;
}

}  // namespace

std::string queue_seq(QueueId queue, Seq seq) {
  std::string key;
  key.reserve(16);
  append_big_endian(key, static_cast<std::uint64_t>(queue));
  append_big_endian(key, static_cast<std::uint64_t>(seq));
  return key;
}

std::string queue_begin(QueueId queue) {
  std::string key;
  append_big_endian(key, static_cast<std::uint64_t>(queue));
  return key;
}

std::string queue_end(QueueId queue) {
  std::string key;
  append_big_endian(key, static_cast<std::uint64_t>(queue) + 1);
  return key;
}

std::string dedup(QueueId queue, Timestamp bucket, std::string_view id) {
  std::string key;
  key.reserve(16 + id.size());
  append_big_endian(key, static_cast<std::uint64_t>(queue));
  append_big_endian(key, static_cast<std::uint64_t>(bucket.time_since_epoch().count()));
  key.append(id);
  return key;
}

std::optional<Timestamp> parse_dedup_bucket(std::string_view key) {
  if (key.size() < 16) return std::nullopt;
  const std::uint64_t bucket = big_endian_at(key, 8);
  if (bucket >= static_cast<std::uint64_t>(Duration::max().count())) return std::nullopt;
  return Timestamp(Duration(static_cast<std::int64_t>(bucket)));
}

std::optional<QueueId> parse_queue(std::string_view key) {
  if (key.size() < sizeof(std::uint64_t)) return std::nullopt;
  return QueueId{big_endian_at(key, 0)};
}

std::optional<QueueSeq> parse_queue_seq(std::string_view key) {
  if (key.size() != 16) return std::nullopt;
  return QueueSeq{QueueId{big_endian_at(key, 0)}, Seq{big_endian_at(key, 8)}};
}

std::string scheduled(QueueId queue, const SchedulePlace& place) {
  return timed_row(queue, number_of(place.visible_at) | bit_of(place.what),
                   static_cast<std::uint64_t>(place.ticket));
}

std::string scheduled_begin(QueueId queue, WaitsFor what) { return timed_row(queue, bit_of(what), 0); }

std::string scheduled_end(QueueId queue, WaitsFor what) {
  return what == WaitsFor::kDelay ? scheduled_begin(queue, WaitsFor::kTimeOfDay) : scheduled_end(queue);
}

std::string scheduled_end(QueueId queue) { return timed_row(queue, kExpiryBit, 0); }

std::optional<SchedulePlace> parse_scheduled(std::string_view key) {
  if (key.size() != 24 || is_expiry(key)) return std::nullopt;
  const std::uint64_t time = big_endian_at(key, 8);
  const WaitsFor what = (time & kTimeOfDayBit) == 0 ? WaitsFor::kDelay : WaitsFor::kTimeOfDay;
  return SchedulePlace{Timestamp(Duration(static_cast<std::int64_t>(time & ~kTimeOfDayBit))),
                       Ticket{big_endian_at(key, 16)}, what};
}

std::string expiry(QueueId queue, Timestamp expires_at, Seq first) {
  return timed_row(queue, number_of(expires_at) | kExpiryBit, static_cast<std::uint64_t>(first));
}

std::optional<ExpiryPlace> parse_expiry(std::string_view key) {
  if (key.size() != 24 || !is_expiry(key) || is_failure(key)) return std::nullopt;
  return ExpiryPlace{time_of(key), Seq{big_endian_at(key, 16)}};
}

std::string expiry_end(QueueId queue) { return timed_row(queue, kFailureBits, 0); }

std::string failure(QueueId queue, const FailurePlace& place) {
  return timed_row(queue, kFailureBits | static_cast<std::uint64_t>(place.home), place.slot);
}

std::optional<FailurePlace> parse_failure(std::string_view key) {
  if (key.size() != 24 || !is_failure(key)) return std::nullopt;
  const FailurePlace place{Seq{big_endian_at(key, 8) & ~kFailureBits}, big_endian_at(key, 16)};
  return place.slot < kFailureSlots ? std::optional(place) : std::nullopt;
}

std::string queue_definition(QueueId queue) { return catalog_row(kDefinitionsBegin, queue); }
std::string queue_checkpoint(QueueId queue) { return catalog_row(kCheckpointsBegin, queue); }

std::string family_definition(FamilyId family) { return catalog_row(kFamiliesBegin, family); }

std::optional<QueueId> parse_queue_row(std::string_view key) {
  if (key.size() != 9) return std::nullopt;
  return QueueId{big_endian_at(key, 1)};
}

std::optional<FamilyId> parse_family_row(std::string_view key) {
  if (key.size() != 9) return std::nullopt;
  return FamilyId{big_endian_at(key, 1)};
}

std::string request(std::uint64_t bucket, std::uint32_t part, std::string_view id) {
  std::string key = requests_before(bucket);
  append_big_endian(key, part);
  key.append(id);
  return key;
}

std::string requests_before(std::uint64_t bucket) {
  std::string key = "R";
  append_big_endian(key, bucket);
  return key;
}

std::optional<std::uint64_t> parse_request_bucket(std::string_view key) {
  if (key.size() < 13) return std::nullopt;
  const std::uint64_t bucket = big_endian_at(key, 1);
  return bucket <= kLastRequestBucket ? std::optional(bucket) : std::nullopt;
}

std::string journal_bucket(QueueId queue, std::uint64_t bucket) { return queue_seq(queue, Seq{bucket}); }

std::string journal(QueueId queue, std::uint64_t bucket, const MessageId& message, std::uint64_t order) {
  std::string key = journal_bucket(queue, bucket);
  key.append(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
  append_big_endian(key, order);
  return key;
}

std::optional<JournalPlace> parse_journal(std::string_view key) {
  JournalPlace place;
  constexpr std::size_t kMessageAt = 16;
  const std::size_t order_at = kMessageAt + place.message.bytes.size();
  if (key.size() != order_at + 8) return std::nullopt;
  place.queue = QueueId{big_endian_at(key, 0)};
  place.bucket = big_endian_at(key, 8);
  std::memcpy(place.message.bytes.data(), key.data() + kMessageAt, place.message.bytes.size());
  place.order = big_endian_at(key, order_at);
  return place;
}

std::string task(TaskId id) {
  std::string key;
  append_big_endian(key, static_cast<std::uint64_t>(id));
  return key;
}

std::optional<TaskId> parse_task(std::string_view key) {
  if (key.size() != 8) return std::nullopt;
  return TaskId{big_endian_at(key, 0)};
}

std::string task_outcomes(TaskId id) { return task(id) + kOutcomesMark; }

std::optional<TaskId> parse_task_outcomes(std::string_view key) {
  if (key.size() != 9 || key.back() != kOutcomesMark) return std::nullopt;
  return TaskId{big_endian_at(key, 0)};
}

}  // namespace holdfast::keys
