#include "engine/codec/rows/policy_rows.h"

#include <type_traits>

#include "engine/codec/encoding/wire.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

void put(std::string& out, Duration duration) {
  wire::put_varint(out, static_cast<std::uint64_t>(duration.count()));
}
Duration get_duration(wire::Reader& reader) { return Duration(static_cast<Duration::rep>(reader.varint())); }

// Puts a byte that says whether the value is set, and then the value.
void put_optional(std::string& out, std::optional<std::uint64_t> value) {
  wire::put_u8(out, value ? 1 : 0);
  if (value) wire::put_varint(out, *value);
}
std::optional<std::uint64_t> get_optional(wire::Reader& reader) {
  if (reader.u8() == 0) return std::nullopt;
  return reader.varint();
}

// Puts a bound of an alert rule: a count, or an age in microseconds.
template <class Bound>
void put_bound(std::string& out, const std::optional<Bound>& bound) {
  std::optional<std::uint64_t> number;
  if constexpr (std::is_same_v<Bound, Duration>) {
    if (bound) number = static_cast<std::uint64_t>(bound->count());
  } else {
    number = bound;
  }
  put_optional(out, number);
}
template <class Bound>
void get_bound(wire::Reader& reader, std::optional<Bound>& bound) {
  bound.reset();
  const auto number = get_optional(reader);
  if (!number) return;
  if constexpr (std::is_same_v<Bound, Duration>) {
    bound = Duration(static_cast<Duration::rep>(*number));
  } else {
    bound = static_cast<Bound>(*number);
  }
}

// Puts how a rule fires and clears, except its threshold.
template <class Bound, AlertSeverity kUsual>
void put_terms(std::string& out, const AlertRule<Bound, kUsual>& rule) {
  wire::put_varint(out, static_cast<std::uint64_t>(rule.severity));
  put(out, rule.fire_after);
  put_bound(out, rule.clear_at);
  put(out, rule.clear_after);
}
template <class Bound, AlertSeverity kUsual>
void get_terms(wire::Reader& reader, AlertRule<Bound, kUsual>& rule) {
  rule.severity = static_cast<AlertSeverity>(reader.varint());
  rule.fire_after = get_duration(reader);
  get_bound(reader, rule.clear_at);
  rule.clear_after = get_duration(reader);
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
  put(out, policy.give_up_after);
  wire::put_varint(out, static_cast<std::uint64_t>(policy.on_give_up));
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
  policy.give_up_after = get_duration(reader);
  policy.on_give_up = OnGiveUp::kPark;  // in a row that does not say it
  if (!reader.failed() && !reader.at_end()) {
    const std::uint32_t after = reader.varint32();
    if (after < 1 || after > 2) return false;
    policy.on_give_up = static_cast<OnGiveUp>(after);
  }
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
  put_bound(out, rules.depth.above);
  put_bound(out, rules.depth_high.above);
  put_bound(out, rules.depth_critical.above);
  put_bound(out, rules.arrivals.above);
  put(out, rules.arrivals_for);
  put_bound(out, rules.oldest.above);
  put_bound(out, rules.unassigned.above);
  put_terms(out, rules.depth);
  put_terms(out, rules.depth_high);
  put_terms(out, rules.depth_critical);
  put_terms(out, rules.arrivals);
  put_terms(out, rules.oldest);
  put_terms(out, rules.unassigned);
  return out;
}

bool decode_policy(std::string_view bytes, AlertRules& rules) {
  wire::Reader reader(bytes);
  get_bound(reader, rules.depth.above);
  get_bound(reader, rules.depth_high.above);
  get_bound(reader, rules.depth_critical.above);
  get_bound(reader, rules.arrivals.above);
  rules.arrivals_for = get_duration(reader);
  get_bound(reader, rules.oldest.above);
  get_bound(reader, rules.unassigned.above);
  // An older row ends here: its rules fire and clear in the usual way.
  if (reader.at_end()) return !reader.failed();
  get_terms(reader, rules.depth);
  get_terms(reader, rules.depth_high);
  get_terms(reader, rules.depth_critical);
  get_terms(reader, rules.arrivals);
  get_terms(reader, rules.oldest);
  get_terms(reader, rules.unassigned);
  return !reader.failed();
}

}  // namespace holdfast
