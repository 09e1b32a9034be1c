#include "schema/convert/queues/queue_options.h"

#include "holdfast/limits.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/list.h"

namespace holdfast::convert {

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

Result<ExpiryPolicy> read(wire::ExpiryPolicy from) {
  const auto policy = static_cast<unsigned>(from);
  if (policy <= static_cast<unsigned>(ExpiryPolicy::kDrop)) return static_cast<ExpiryPolicy>(policy);
  return fail(ErrorCode::kInvalidArgument, "on_expiry: unknown value " + std::to_string(policy));
}

Result<OverflowPolicy> read(wire::OverflowPolicy from) {
  const auto policy = static_cast<unsigned>(from);
  if (policy <= static_cast<unsigned>(OverflowPolicy::kDropHead)) return static_cast<OverflowPolicy>(policy);
  return fail(ErrorCode::kInvalidArgument, "on_overflow: unknown value " + std::to_string(policy));
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
    if (!added) return fail(ErrorCode::kInvalidArgument, "tags: a name is there twice");
  }
  return tags;
}

}  // namespace holdfast::convert
