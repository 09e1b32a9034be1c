#include "engine/codec/rows/policy_rows.h"

#include "engine/codec/encoding/wire.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

void put(std::string& out, Duration duration) {
  wire::put_varint(out, static_cast<std::uint64_t>(duration.count()));
}
Duration get_duration(wire::Reader& reader) { return Duration(static_cast<Duration::rep>(reader.varint())); }

// A byte that says whether it is set, then the value.
void put_optional(std::string& out, std::optional<std::uint64_t> value) {
  wire::put_u8(out, value ? 1 : 0);
  if (value) wire::put_varint(out, *value);
}
std::optional<std::uint64_t> get_optional(wire::Reader& reader) {
  if (reader.u8() == 0) return std::nullopt;
  return reader.varint();
}

std::optional<std::uint64_t> count(const std::optional<Duration>& duration) {
  if (!duration) return std::nullopt;
  return static_cast<std::uint64_t>(duration->count());
}
std::optional<Duration> duration(const std::optional<std::uint64_t>& count) {
  if (!count) return std::nullopt;
  return Duration(static_cast<Duration::rep>(*count));
}

}  // namespace

std::string encode_policy(const AutoRedrive& policy) {
  std::string out;
  put(out, policy.every);
  wire::put_varint(out, policy.max);
  wire::put_varint(out, policy.categories.size());
  for (const std::string& category : policy.categories) wire::put_bytes(out, category);
  put(out, policy.backoff);
  put(out, policy.backoff_max);
  wire::put_varint(out, policy.max_replays);
  put(out, policy.max_lifetime);
  return out;
}

bool decode_policy(std::string_view bytes, AutoRedrive& policy) {
  wire::Reader reader(bytes);
  policy.every = get_duration(reader);
  policy.max = reader.varint32();
  const std::uint64_t categories = reader.varint();
  if (reader.failed() || categories > limits::kAutoRedriveCategories) return false;
  policy.categories.clear();
  for (std::uint64_t i = 0; i < categories; ++i) policy.categories.emplace_back(reader.bytes());
  policy.backoff = get_duration(reader);
  policy.backoff_max = get_duration(reader);
  policy.max_replays = reader.varint32();
  policy.max_lifetime = get_duration(reader);
  return !reader.failed();
}

std::string encode_policy(const FloodBrake& brake) {
  std::string out;
  wire::put_varint(out, brake.deaths_per_minute);
  put(out, brake.delay);
  return out;
}

bool decode_policy(std::string_view bytes, FloodBrake& brake) {
  wire::Reader reader(bytes);
  brake.deaths_per_minute = reader.varint32();
  brake.delay = get_duration(reader);
  return !reader.failed();
}

std::string encode_policy(const AlertRules& rules) {
  std::string out;
  put_optional(out, rules.depth);
  put_optional(out, rules.depth_high);
  put_optional(out, rules.depth_critical);
  put_optional(out, rules.arrivals);
  put(out, rules.arrivals_for);
  put_optional(out, count(rules.oldest));
  put_optional(out, count(rules.unassigned));
  return out;
}

bool decode_policy(std::string_view bytes, AlertRules& rules) {
  wire::Reader reader(bytes);
  rules.depth = get_optional(reader);
  rules.depth_high = get_optional(reader);
  rules.depth_critical = get_optional(reader);
  const auto arrivals = get_optional(reader);
  rules.arrivals.reset();
  if (arrivals) rules.arrivals = static_cast<std::uint32_t>(*arrivals);
  rules.arrivals_for = get_duration(reader);
  rules.oldest = duration(get_optional(reader));
  rules.unassigned = duration(get_optional(reader));
  return !reader.failed();
}

}  // namespace holdfast
