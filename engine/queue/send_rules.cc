#include "engine/queue/send_rules.h"

#include <algorithm>

#include "engine/base/validation/validate.h"
#include "engine/queue/catalog.h"

namespace holdfast {

namespace {

// The refusals stand apart from the rules, which are asked for every message and are inlined without the
// texts.

Result<void> refuse_direct(const std::string& queue) {
  return fail(ErrorCode::kQueueInUse, "queue '" + queue +
                                          "' takes the dead letters of other queues, so it takes no sends; "
                                          "direct_sends would let it");
}

Result<void> refuse_wait(const std::string& queue) {
  return fail(ErrorCode::kInvalidArgument,
              "dead letter queue '" + queue +
                  "' takes no delay, visible_at or time_to_live: what is sent to it is a dead letter at "
                  "once, and stays");
}

Result<void> refuse_priority(const std::string& queue, std::uint32_t priority, std::uint32_t priorities) {
  const std::string levels =
      priorities > 1 ? "has levels 0 to " + std::to_string(priorities - 1) : "has no priorities";
  return fail(ErrorCode::kInvalidArgument,
              "priority is " + std::to_string(priority) + ", but queue '" + queue + "' " + levels);
}

Result<void> refuse_size(const std::string& queue, std::string_view what, std::size_t bytes,
                         std::string_view option, std::uint64_t limit) {
  return fail(ErrorCode::kLimitExceeded, std::string(what) + " has " + std::to_string(bytes) +
                                             " bytes, the limit is " + std::string(option) + " of queue '" +
                                             queue + "', " + std::to_string(limit));
}

Result<void> refuse_without_group(const std::string& queue) {
  return fail(ErrorCode::kInvalidArgument,
              "the message has no group, which require_group of queue '" + queue + "' asks for");
}

Result<void> refuse_time_to_live() {
  return fail(ErrorCode::kInvalidArgument,
              "time_to_live is set, but the queue dead-letters what expires "
              "and has no dead letter queue");
}

}  // namespace

Result<void> SendRules::check_open() const {
  if (!paused_.sends) return {};
  return fail(ErrorCode::kQueuePaused, "sends to queue '" + name_ + "' are paused");
}

Result<void> SendRules::admit(const Message& message) const {
  if (served_ > 0) {
    if (auto ok = check_direct(message); !ok) return ok;
  }
  if (message.priority >= options_.priority.levels)
    return refuse_priority(name_, message.priority, options_.priority.levels);
  if (message.body.size() > options_.limits.max_body_bytes)
    return refuse_size(name_, "the body", message.body.size(), "max_body_bytes",
                       options_.limits.max_body_bytes);
  if (options_.limits.max_bytes > 0) {
    const std::size_t bytes = byte_size(message);
    if (bytes > options_.limits.max_bytes)
      return refuse_size(name_, "the message", bytes, "max_bytes", options_.limits.max_bytes);
  }
  if (options_.grouping.require_group && message.group.empty()) return refuse_without_group(name_);
  if (message.time_to_live && !can_expire(options_)) return refuse_time_to_live();
  return message.visible_at ? validate_visible_at(*message.visible_at, catalog_.clock().wall())
                            : Result<void>();
}

Result<void> SendRules::check_direct(const Message& message) const {
  if (!options_.dead_letters.direct_sends) return refuse_direct(name_);
  const bool is_delayed = message.delay && *message.delay > Duration{0};
  if (!is_delayed && !message.visible_at && !message.time_to_live) return {};
  return refuse_wait(name_);
}

std::optional<SendRules::Wait> SendRules::wait_of(const Message& message, Timestamp time) const {
  if (are_dead_letters()) return std::nullopt;
  if (message.visible_at) {
    if (*message.visible_at <= catalog_.clock().wall()) return std::nullopt;
    return Wait{*message.visible_at, WaitsFor::kTimeOfDay};
  }
  const Duration delay = message.delay.value_or(options_.delay);
  if (delay <= Duration{0}) return std::nullopt;
  return Wait{time + delay, WaitsFor::kDelay};
}

Timestamp SendRules::expires_at(const Message& message, Timestamp visible_at) const {
  if (!message.time_to_live && options_.expiry.time_to_live == Duration{0}) return kNever;
  const Duration own = message.time_to_live.value_or(options_.expiry.time_to_live);
  const Duration queues = options_.expiry.time_to_live > Duration{0} ? options_.expiry.time_to_live : own;
  return visible_at + std::min(own, queues);
}

}  // namespace holdfast
