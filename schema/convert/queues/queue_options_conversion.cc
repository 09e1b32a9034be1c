#include "schema/convert/queues/queue_options_conversion.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

wire::DeadLetterSources::Allow to_wire(DeadLetterSources::Allow allow) {
  switch (allow) {
    case DeadLetterSources::Allow::kNone:
      return wire::DeadLetterSources::Allow::NONE;
    case DeadLetterSources::Allow::kListed:
      return wire::DeadLetterSources::Allow::LISTED;
    case DeadLetterSources::Allow::kAll:
      break;
  }
  return wire::DeadLetterSources::Allow::ALL;
}

Result<DeadLetterSources::Allow> from_wire(wire::DeadLetterSources::Allow allow) {
  switch (allow) {
    case wire::DeadLetterSources::Allow::NONE:
      return DeadLetterSources::Allow::kNone;
    case wire::DeadLetterSources::Allow::LISTED:
      return DeadLetterSources::Allow::kListed;
    case wire::DeadLetterSources::Allow::ALL:
      return DeadLetterSources::Allow::kAll;
  }
  return fail(ErrorCode::kInvalidArgument,
              "dead_letter_sources.allow: unknown value " + std::to_string(static_cast<unsigned>(allow)));
}

}  // namespace

void write(const JournalOptions& from, wire::JournalOptions::Builder to) {
  to.setMaxEntries(from.max_entries);
  to.setKeepMicros(from.keep.count());
}

JournalOptions read(wire::JournalOptions::Reader from) {
  return {.max_entries = from.getMaxEntries(), .keep = Duration(from.getKeepMicros())};
}

void write(const RetryPolicy& from, wire::RetryPolicy::Builder to) {
  to.setKind(static_cast<wire::RetryKind>(from.kind));
  to.setBaseMicros(from.base.count());
  to.setCapMicros(from.cap.count());
  to.setJitter(from.jitter);
  to.setTo(static_cast<wire::ReturnTo>(from.to));
  if (from.stages.empty()) return;
  auto stages = to.initStagesMicros(static_cast<unsigned>(from.stages.size()));
  for (unsigned i = 0; i < stages.size(); ++i) stages.set(i, from.stages[i].count());
}

Result<RetryPolicy> read(wire::RetryPolicy::Reader from) {
  const auto kind = static_cast<unsigned>(from.getKind());
  if (kind > static_cast<unsigned>(RetryKind::kStages)) {
    return fail(ErrorCode::kInvalidArgument, "retry.kind: unknown value " + std::to_string(kind));
  }
  RetryPolicy retry{.kind = static_cast<RetryKind>(kind),
                    .base = Duration(from.getBaseMicros()),
                    .cap = Duration(from.getCapMicros()),
                    .jitter = from.getJitter()};
  const auto where = static_cast<unsigned>(from.getTo());
  if (where > static_cast<unsigned>(ReturnTo::kTail)) {
    return fail(ErrorCode::kInvalidArgument, "retry.to: unknown value " + std::to_string(where));
  }
  retry.to = static_cast<ReturnTo>(where);
  const auto stages = from.getStagesMicros();
  for (unsigned i = 0; i < size_to_check(stages, limits::kRetryStages); ++i)
    retry.stages.emplace_back(stages[i]);
  return retry;
}

void write(const Tags& from, capnp::List<wire::Tag>::Builder to) {
  unsigned i = 0;
  for (const auto& [name, value] : from) {
    to[i].setName(as_text(name));
    to[i].setValue(as_text(value));
    ++i;
  }
}

Result<Tags> read(capnp::List<wire::Tag>::Reader from) {
  Tags tags;
  for (unsigned i = 0; i < size_to_check(from, limits::kTags); ++i) {
    const bool added = tags.emplace(string(from[i].getName()), string(from[i].getValue())).second;
    if (!added) return fail(ErrorCode::kInvalidArgument, "tags: a name is given twice");
  }
  return tags;
}

void write(const std::vector<DeadLetterRoute>& from, capnp::List<wire::DeadLetterRoute>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    to[i].setCategory(as_text(from[i].category));
    to[i].setQueue(as_text(from[i].queue));
  }
}

std::vector<DeadLetterRoute> read(capnp::List<wire::DeadLetterRoute>::Reader from) {
  std::vector<DeadLetterRoute> routes;
  for (unsigned i = 0; i < size_to_check(from, limits::kDeadLetterRoutes); ++i) {
    routes.push_back({.category = string(from[i].getCategory()), .queue = string(from[i].getQueue())});
  }
  return routes;
}

void write(const DeadLetterSources& from, wire::DeadLetterSources::Builder to) {
  to.setAllow(to_wire(from.allow));
  write(from.queues, to.initQueues(static_cast<unsigned>(from.queues.size())));
}

Result<DeadLetterSources> read(wire::DeadLetterSources::Reader from) {
  const auto allow = from_wire(from.getAllow());
  if (!allow) return tl::unexpected(allow.error());
  return DeadLetterSources{.allow = *allow, .queues = read(from.getQueues(), limits::kDeadLetterSources)};
}

}  // namespace holdfast::convert
