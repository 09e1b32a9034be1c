#include "schema/convert/queues/policy.h"

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
  to.setMaxLifetimeMicros(from.max_lifetime.count());
}

AutoRedrive read(wire::AutoRedrive::Reader from) {
  AutoRedrive policy{.every = Duration(from.getEveryMicros()), .max = from.getMax()};
  policy.categories = read(from.getCategories(), limits::kAutoRedriveCategories);
  policy.backoff = Duration(from.getBackoffMicros());
  policy.backoff_max = Duration(from.getBackoffMaxMicros());
  policy.max_replays = from.getMaxReplays();
  policy.max_lifetime = Duration(from.getMaxLifetimeMicros());
  return policy;
}

void write(const FloodBrake& from, wire::FloodBrake::Builder to) {
  to.setDeathsPerMinute(from.deaths_per_minute);
  to.setDelayMicros(from.delay.count());
}

FloodBrake read(wire::FloodBrake::Reader from) {
  return {.deaths_per_minute = from.getDeathsPerMinute(), .delay = Duration(from.getDelayMicros())};
}

void write(const AlertRules& from, wire::AlertRules::Builder to) {
  if (from.depth)
    to.getDepth().setAbove(*from.depth);
  else
    to.getDepth().setOff();
  if (from.depth_high)
    to.getDepthHigh().setAbove(*from.depth_high);
  else
    to.getDepthHigh().setOff();
  if (from.depth_critical)
    to.getDepthCritical().setAbove(*from.depth_critical);
  else
    to.getDepthCritical().setOff();
  if (from.arrivals)
    to.getArrivals().setAbove(*from.arrivals);
  else
    to.getArrivals().setOff();
  to.setArrivalsForMicros(from.arrivals_for.count());
  if (from.oldest)
    to.getOldest().setAboveMicros(from.oldest->count());
  else
    to.getOldest().setOff();
  if (from.unassigned)
    to.getUnassigned().setAboveMicros(from.unassigned->count());
  else
    to.getUnassigned().setOff();
}

AlertRules read(wire::AlertRules::Reader from) {
  AlertRules rules{.depth = {},
                   .depth_high = {},
                   .depth_critical = {},
                   .arrivals = {},
                   .arrivals_for = Duration(from.getArrivalsForMicros()),
                   .oldest = {},
                   .unassigned = {}};
  if (auto rule = from.getDepth(); rule.isAbove()) rules.depth = rule.getAbove();
  if (auto rule = from.getDepthHigh(); rule.isAbove()) rules.depth_high = rule.getAbove();
  if (auto rule = from.getDepthCritical(); rule.isAbove()) rules.depth_critical = rule.getAbove();
  if (auto rule = from.getArrivals(); rule.isAbove()) rules.arrivals = rule.getAbove();
  if (auto rule = from.getOldest(); rule.isAboveMicros()) rules.oldest = Duration(rule.getAboveMicros());
  if (auto rule = from.getUnassigned(); rule.isAboveMicros())
    rules.unassigned = Duration(rule.getAboveMicros());
  return rules;
}

void write(const std::vector<Alert>& from, capnp::List<wire::Alert>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setRule(as_text(from[i].rule));
    to[i].setCritical(from[i].severity == AlertSeverity::kCritical);
    to[i].setSinceMicros(micros(from[i].since));
    to[i].setValue(from[i].value);
  }
}

std::vector<Alert> read(capnp::List<wire::Alert>::Reader from) {
  std::vector<Alert> alerts;
  for (auto alert : at_most(kShortList, from)) {
    alerts.push_back({.rule = string(alert.getRule()),
                      .severity = alert.getCritical() ? AlertSeverity::kCritical : AlertSeverity::kWarning,
                      .since = timestamp(alert.getSinceMicros()),
                      .value = alert.getValue()});
  }
  return alerts;
}

}  // namespace holdfast::convert
