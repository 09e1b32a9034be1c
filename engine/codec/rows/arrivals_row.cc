#include "engine/codec/rows/arrivals_row.h"

#include "engine/codec/encoding/big_endian.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/encoding/wire.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr Duration kHour = std::chrono::hours(1);
constexpr std::uint8_t kMinutesOfHour = 60;

}  // namespace

Hour hour_of(Timestamp time) { return static_cast<Hour>(time.time_since_epoch() / kHour); }
Timestamp begin_of(Hour hour) { return Timestamp(kHour * static_cast<std::int64_t>(hour)); }
std::uint8_t minute_of_hour(Timestamp time) {
  return static_cast<std::uint8_t>(time.time_since_epoch() % kHour / Duration(std::chrono::minutes(1)));
}

namespace keys {

std::string arrivals(QueueId queue, Hour hour) {
  return std::string(kArrivalsBegin) + queue_seq(queue, Seq{hour});
}

std::string arrivals_end(QueueId queue) { return std::string(kArrivalsBegin) + queue_end(queue); }

std::optional<ArrivalsPlace> parse_arrivals(std::string_view key) {
  if (!key.starts_with(kArrivalsBegin)) return std::nullopt;
  const auto place = parse_queue_seq(key.substr(kArrivalsBegin.size()));
  if (!place) return std::nullopt;
  return ArrivalsPlace{place->queue, static_cast<Hour>(place->seq)};
}

}  // namespace keys

void ArrivalsRow::add(DeathCause cause, std::string_view category, std::uint64_t count) {
  causes[cause] += count;
  add_category(category, count);
}

void ArrivalsRow::add(const ArrivalsRow& more) {
  for (const auto& [cause, count] : more.causes) causes[cause] += count;
  for (const auto& [category, count] : more.categories) add_category(category, count);
  others += more.others;
  for (const auto& [minute, count] : more.minutes) minutes[minute] += count;
}

void ArrivalsRow::add_category(std::string_view category, std::uint64_t count) {
  const auto found = categories.find(category);
  if (found != categories.end()) {
    found->second += count;
  } else if (categories.size() < limits::kArrivalCategories) {
    categories.emplace(category, count);
  } else {
    others += count;
  }
}

std::string encode_arrivals_row(const ArrivalsRow& row) {
  std::string out;
  wire::put_varint(out, row.causes.size());
  for (const auto& [cause, count] : row.causes) {
    wire::put_varint(out, static_cast<std::uint64_t>(cause));
    wire::put_varint(out, count);
  }
  wire::put_varint(out, row.categories.size());
  for (const auto& [category, count] : row.categories) {
    wire::put_bytes(out, category);
    wire::put_varint(out, count);
  }
  wire::put_varint(out, row.others);
  wire::put_varint(out, row.minutes.size());
  for (const auto& [minute, count] : row.minutes) {
    wire::put_u8(out, minute);
    wire::put_varint(out, count);
  }
  return out;
}

Result<ArrivalsRow> decode_arrivals_row(std::string_view bytes) {
  wire::Reader reader(bytes);
  ArrivalsRow row;
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left) {
    const std::uint64_t cause = reader.varint();
    if (cause > UINT8_MAX) reader.fail();
    row.causes[static_cast<DeathCause>(cause)] = reader.varint();
  }
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left) {
    const std::string_view category = reader.bytes();
    row.categories[std::string(category)] = reader.varint();
  }
  row.others = reader.varint();
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left) {
    const std::uint8_t minute = reader.u8();
    if (minute >= kMinutesOfHour) reader.fail();
    row.minutes[minute] = reader.varint();
  }
  if (reader.failed()) return fail(ErrorCode::kCorruption, "a row of arrivals does not decode");
  return row;
}

}  // namespace holdfast
