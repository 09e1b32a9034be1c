#include "engine/queue/send_rules.h"

#include <algorithm>

#include "engine/base/validation/validate.h"
#include "engine/queue/catalog.h"

namespace holdfast {

Result<void> SendRules::check_open() const {
  if (!paused_.sends) return {};
  return fail(ErrorCode::kQueuePaused, "sends to queue '" + name_ + "' are paused");
}

Result<void> SendRules::admit(const Message& message) const {
  if (auto ok = check_direct(message); !ok) return ok;
  if (auto ok = check_priority(message); !ok) return ok;
  if (auto ok = check_size(message); !ok) return ok;
  if (options_.require_group && message.group.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the message has no group, which require_group of queue '" + name_ + "' asks for");
  }
  if (message.time_to_live && !can_expire(options_)) {
    return fail(ErrorCode::kInvalidArgument,
                "time_to_live is set, but the queue dead-letters what expires "
                "and has no dead letter queue");
  }
  return message.visible_at ? validate_visible_at(*message.visible_at, catalog_.clock().wall())
                            : Result<void>();
}

Result<void> SendRules::check_direct(const Message& message) const {
  if (served_ <= 0) return {};
  if (!options_.direct_sends) {
    return fail(ErrorCode::kQueueInUse, "queue '" + name_ +
                                            "' serves others as a dead letter queue, so it takes no sends; "
                                            "direct_sends would let it");
  }
  const bool is_delayed = message.delay && *message.delay > Duration{0};
  if (!is_delayed && !message.visible_at && !message.time_to_live) return {};
  return fail(ErrorCode::kInvalidArgument,
              "delay, visible_at and time_to_live are for other queues: what "
              "is sent to dead letter queue '" +
                  name_ + "' is a dead letter at once, and stays");
}

Result<void> SendRules::check_priority(const Message& message) const {
  if (message.priority < options_.priorities) return {};
  return fail(ErrorCode::kInvalidArgument, "priority is " + std::to_string(message.priority) + ", queue '" +
                                               name_ + "' has levels up to " +
                                               std::to_string(options_.priorities - 1));
}

Result<void> SendRules::check_size(const Message& message) const {
  if (message.body.size() > options_.max_body_bytes) {
    return fail(ErrorCode::kLimitExceeded, "the body has " + std::to_string(message.body.size()) +
                                               " bytes, the limit is max_body_bytes of queue '" + name_ +
                                               "', " + std::to_string(options_.max_body_bytes));
  }
  if (options_.max_bytes == 0) return {};
  const std::size_t bytes = byte_size(message);
  if (bytes <= options_.max_bytes) return {};
  return fail(ErrorCode::kLimitExceeded, "the message has " + std::to_string(bytes) +
                                             " bytes, the limit is max_bytes of queue '" + name_ + "', " +
                                             std::to_string(options_.max_bytes));
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
  if (!message.time_to_live && options_.time_to_live == Duration{0}) return kNever;
  const Duration own = message.time_to_live.value_or(options_.time_to_live);
  const Duration queues = options_.time_to_live > Duration{0} ? options_.time_to_live : own;
  return visible_at + std::min(own, queues);
}

}  // namespace holdfast
