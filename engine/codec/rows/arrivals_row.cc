#include "engine/codec/rows/arrivals_row.h"

#include "engine/codec/encoding/big_endian.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/encoding/wire.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr Duration kHour = std::chrono::hours(1);
constexpr std::uint8_t kMinutesOfHour = 60;

void encode(const CategoryCounts& counts, std::string& out) {
  wire::put_varint(out, counts.categories.size());
  for (const auto& [category, count] : counts.categories) {
    wire::put_bytes(out, category);
    wire::put_varint(out, count);
  }
  wire::put_varint(out, counts.others);
}

CategoryCounts decode_counts(wire::Reader& reader) {
  CategoryCounts counts;
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left) {
    const std::string_view category = reader.bytes();
    counts.categories[std::string(category)] = reader.varint();
  }
  counts.others = reader.varint();
  return counts;
}

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
  came.add(category, count);
  totals.add(category, count);
}

void ArrivalsRow::add(const ArrivalsRow& more) {
  for (const auto& [cause, count] : more.causes) causes[cause] += count;
  came.add(more.came);
  for (const auto& [minute, count] : more.minutes) minutes[minute] += count;
  totals.add(more.came);
}

void CategoryCounts::add(const CategoryCounts& more) {
  for (const auto& [category, count] : more.categories) add(category, count);
  others += more.others;
}

void CategoryCounts::add(std::string_view category, std::uint64_t count) {
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
  encode(row.came, out);
  wire::put_varint(out, row.minutes.size());
  for (const auto& [minute, count] : row.minutes) {
    wire::put_u8(out, minute);
    wire::put_varint(out, count);
  }
  encode(row.totals, out);
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
  row.came = decode_counts(reader);
  for (std::uint64_t left = reader.varint(); left > 0 && !reader.failed(); --left) {
    const std::uint8_t minute = reader.u8();
    if (minute >= kMinutesOfHour) reader.fail();
    row.minutes[minute] = reader.varint();
  }
  row.totals = reader.at_end() ? row.came : decode_counts(reader);
  if (reader.failed()) return fail(ErrorCode::kCorruption, "a row of arrivals does not decode");
  return row;
}

}  // namespace holdfast
