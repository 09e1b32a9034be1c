#include "schema/convert/queues/policy_conversion.h"

#include <algorithm>
#include <limits>

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {

void write(const AutoRedrive& from, wire::AutoRedrive::Builder to) {
  to.setEveryMicros(from.every.count());
  to.setMax(from.max);
  write(from.categories, to.initCategories(static_cast<unsigned>(from.categories.size())));
  to.setBackoffMicros(from.backoff.count());
  to.setBackoffMaxMicros(from.backoff_max.count());
  to.setMaxReplays(from.max_replays);
  to.setGiveUpAfterMicros(from.give_up_after.count());
  to.setOnGiveUp(from.on_give_up == OnGiveUp::kArchive ? wire::OnGiveUp::ARCHIVE : wire::OnGiveUp::PARK);
}

AutoRedrive read(wire::AutoRedrive::Reader from) {
  AutoRedrive policy{.every = Duration(from.getEveryMicros()), .max = from.getMax()};
  policy.categories = read(from.getCategories(), limits::kAutoRedriveCategories);
  policy.backoff = Duration(from.getBackoffMicros());
  policy.backoff_max = Duration(from.getBackoffMaxMicros());
  policy.max_replays = from.getMaxReplays();
  policy.give_up_after = Duration(from.getGiveUpAfterMicros());
  policy.on_give_up = from.getOnGiveUp() == wire::OnGiveUp::ARCHIVE ? OnGiveUp::kArchive : OnGiveUp::kPark;
  return policy;
}

void write(const FloodBrake& from, wire::FloodBrake::Builder to) {
  to.setDeathsPerMinute(from.deaths_per_minute);
  to.setDelayMicros(from.delay.count());
}

FloodBrake read(wire::FloodBrake::Reader from) {
  return {.deaths_per_minute = from.getDeathsPerMinute(), .delay = Duration(from.getDelayMicros())};
}

namespace {

wire::AlertSeverity wire_severity(AlertSeverity severity) {
  return severity == AlertSeverity::kCritical ? wire::AlertSeverity::CRITICAL : wire::AlertSeverity::WARNING;
}

// validate() refuses an unknown value.
AlertSeverity read_severity(wire::AlertSeverity severity, AlertSeverity usual) {
  return severity == wire::AlertSeverity::USUAL ? usual : static_cast<AlertSeverity>(severity);
}

// Each rule has its threshold in a group of a type of its own.
template <class Number, AlertSeverity kUsual, class Threshold>
void write_count_rule(const AlertRule<Number, kUsual>& from, Threshold threshold,
                      wire::AlertTerms::Builder terms) {
  from.above ? threshold.setAbove(*from.above) : threshold.setOff();
  terms.setSeverity(wire_severity(from.severity));
  terms.setFireAfterMicros(from.fire_after.count());
  from.clear_at ? terms.getClearAt().setCount(*from.clear_at) : terms.getClearAt().setThreshold();
  terms.setClearAfterMicros(from.clear_after.count());
}

template <class Threshold>
void write_age_rule(const AlertRule<Duration>& from, Threshold threshold,
                    wire::AgeAlertTerms::Builder terms) {
  from.above ? threshold.setAboveMicros(from.above->count()) : threshold.setOff();
  terms.setSeverity(wire_severity(from.severity));
  terms.setFireAfterMicros(from.fire_after.count());
  from.clear_at ? terms.getClearAt().setAgeMicros(from.clear_at->count()) : terms.getClearAt().setThreshold();
  terms.setClearAfterMicros(from.clear_after.count());
}

template <class Number, AlertSeverity kUsual, class Threshold>
void read_count_rule(AlertRule<Number, kUsual>& to, Threshold threshold, wire::AlertTerms::Reader terms) {
  to.above.reset();
  if (threshold.isAbove()) to.above = threshold.getAbove();
  to.severity = read_severity(terms.getSeverity(), kUsual);
  to.fire_after = Duration(terms.getFireAfterMicros());
  // A number that is too large becomes one above the threshold, which is refused.
  if (terms.getClearAt().isCount())
    to.clear_at = static_cast<Number>(
        std::min<std::uint64_t>(terms.getClearAt().getCount(), std::numeric_limits<Number>::max()));
  to.clear_after = Duration(terms.getClearAfterMicros());
}

template <class Threshold>
void read_age_rule(AlertRule<Duration>& to, Threshold threshold, wire::AgeAlertTerms::Reader terms) {
  to.above.reset();
  if (threshold.isAboveMicros()) to.above = Duration(threshold.getAboveMicros());
  to.severity = read_severity(terms.getSeverity(), AlertSeverity::kWarning);
  to.fire_after = Duration(terms.getFireAfterMicros());
  if (terms.getClearAt().isAgeMicros()) to.clear_at = Duration(terms.getClearAt().getAgeMicros());
  to.clear_after = Duration(terms.getClearAfterMicros());
}

}  // namespace

void write(const AlertRules& from, wire::AlertRules::Builder to) {
  write_count_rule(from.depth, to.getDepth(), to.initDepthTerms());
  write_count_rule(from.depth_high, to.getDepthHigh(), to.initDepthHighTerms());
  write_count_rule(from.depth_critical, to.getDepthCritical(), to.initDepthCriticalTerms());
  write_count_rule(from.arrivals, to.getArrivals(), to.initArrivalsTerms());
  to.setArrivalsForMicros(from.arrivals_for.count());
  write_age_rule(from.oldest, to.getOldest(), to.initOldestTerms());
  write_age_rule(from.unassigned, to.getUnassigned(), to.initUnassignedTerms());
}

AlertRules read(wire::AlertRules::Reader from) {
  AlertRules rules{.arrivals_for = Duration(from.getArrivalsForMicros())};
  read_count_rule(rules.depth, from.getDepth(), from.getDepthTerms());
  read_count_rule(rules.depth_high, from.getDepthHigh(), from.getDepthHighTerms());
  read_count_rule(rules.depth_critical, from.getDepthCritical(), from.getDepthCriticalTerms());
  read_count_rule(rules.arrivals, from.getArrivals(), from.getArrivalsTerms());
  read_age_rule(rules.oldest, from.getOldest(), from.getOldestTerms());
  read_age_rule(rules.unassigned, from.getUnassigned(), from.getUnassignedTerms());
  return rules;
}

void write(const std::vector<Alert>& from, capnp::List<wire::Alert>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setRule(as_text(from[i].rule));
    to[i].setCritical(from[i].severity == AlertSeverity::kCritical);
    to[i].setSinceMicros(micros(from[i].since));
    to[i].setValue(from[i].value);
    to[i].setThreshold(from[i].threshold);
    write_time(from[i].clears_at, to[i].getClearsAt());
    if (from[i].dead_letter) to[i].getDeadLetter().setSeq(static_cast<std::uint64_t>(*from[i].dead_letter));
  }
}

std::vector<Alert> read(capnp::List<wire::Alert>::Reader from) {
  std::vector<Alert> alerts;
  for (auto alert : at_most(kShortList, from)) {
    alerts.push_back({.rule = string(alert.getRule()),
                      .severity = alert.getCritical() ? AlertSeverity::kCritical : AlertSeverity::kWarning,
                      .since = timestamp(alert.getSinceMicros()),
                      .value = alert.getValue(),
                      .threshold = alert.getThreshold(),
                      .clears_at = read_time(alert.getClearsAt())});
    if (alert.getDeadLetter().isSeq()) alerts.back().dead_letter = Seq{alert.getDeadLetter().getSeq()};
  }
  return alerts;
}

}  // namespace holdfast::convert
