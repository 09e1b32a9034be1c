#include "engine/base/validation/validate.h"

#include <algorithm>
#include <string>

#include "holdfast/limits.h"

namespace holdfast {
namespace {

Result<void> validate_priorities(const QueueOptions& options) {
  if (options.priorities < limits::kPrioritiesMin) {
    return fail(ErrorCode::kInvalidArgument, "priorities must be at least 1");
  }
  if (options.priorities > limits::kPrioritiesMax) {
    return fail(ErrorCode::kLimitExceeded, "priorities is " + std::to_string(options.priorities) +
                                               ", the limit is " + std::to_string(limits::kPrioritiesMax));
  }
  if (options.priorities > 1 && options.grouping != Grouping::kNone) {
    return fail(ErrorCode::kInvalidArgument,
                "priorities and grouping contradict each other: a queue has one or the other");
  }
  return within(options.priority_aging, Duration{0}, limits::kPriorityAgingMax, "priority_aging");
}

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

Result<void> validate_name(std::string_view name, std::size_t limit, const std::string& field) {
  if (name.empty()) return fail(ErrorCode::kInvalidArgument, field + " is empty");
  if (auto ok = at_most(name.size(), limit, field); !ok) return ok;
  if (std::ranges::all_of(name, is_name_character)) return {};
  return fail(ErrorCode::kInvalidArgument,
              field + " has a character that is not a letter, a digit, '.', '_' or '-'");
}

}  // namespace

Result<void> at_most(std::size_t size, std::size_t limit, std::string_view field, std::string_view unit) {
  if (size <= limit) return {};
  return fail(ErrorCode::kLimitExceeded, std::string(field) + " has " + std::to_string(size) + " " +
                                             std::string(unit) + ", the limit is " + std::to_string(limit));
}

Result<void> within(Duration value, Duration min, Duration max, std::string_view field) {
  if (value >= min && value <= max) return {};
  const auto code = value > max ? ErrorCode::kLimitExceeded : ErrorCode::kInvalidArgument;
  return fail(code, std::string(field) + " is " + format_duration(value) + ", it must be " +
                        format_duration(min) + ".." + format_duration(max));
}

Result<void> validate_queue_name(std::string_view name) {
  // A client of HTTP takes these two out of a URL before it sends it (RFC 3986, section 5.2.4).
  if (name == "." || name == "..")
    return fail(ErrorCode::kInvalidArgument,
                "the queue name is '" + std::string(name) + "', which no URL can name");
  return validate_name(name, limits::kQueueNameBytes, "the queue name");
}

Result<void> validate_family_name(std::string_view name) {
  return validate_name(name, limits::kFamilyNameBytes, "the family name");
}

Result<void> validate_application_key(std::string_view key) {
  if (key.empty()) return fail(ErrorCode::kInvalidArgument, "the key is empty");
  return at_most(key.size(), limits::kApplicationKeyBytes, "the key");
}

Result<void> validate_application_value(std::string_view value) {
  return at_most(value.size(), limits::kApplicationValueBytes, "the value");
}

namespace {

Result<void> validate_target(const std::string& name, const std::string& field) {
  if (auto ok = validate_queue_name(name); !ok)
    return fail(ok.error().code, field + ": " + ok.error().message);
  return {};
}

Result<void> validate_routes(const std::vector<DeadLetterRoute>& routes) {
  const std::string field = "dead_letter_routes";
  if (auto ok = at_most(routes.size(), limits::kDeadLetterRoutes, field, "entries"); !ok) return ok;
  for (auto route = routes.begin(); route != routes.end(); ++route) {
    if (route->category.empty()) {
      return fail(ErrorCode::kInvalidArgument,
                  field + ": a category is empty; messages without a category go to dead_letter_queue");
    }
    if (auto ok = at_most(route->category.size(), limits::kCategoryBytes, field + ": a category"); !ok)
      return ok;
    if (std::ranges::find(routes.begin(), route, route->category, &DeadLetterRoute::category) != route) {
      return fail(ErrorCode::kInvalidArgument, field + ": category '" + route->category + "' is there twice");
    }
    if (auto ok = validate_target(route->queue, field); !ok) return ok;
  }
  return {};
}

Result<void> validate(const DeadLetterSources& sources) {
  using Allow = DeadLetterSources::Allow;
  const std::string field = "dead_letter_sources";
  if (sources.allow != Allow::kAll && sources.allow != Allow::kNone && sources.allow != Allow::kListed) {
    return fail(ErrorCode::kInvalidArgument, field + " is neither all, none nor a list");
  }
  if (sources.allow != Allow::kListed && !sources.queues.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                field + " names queues, but does not say that they are the allowed ones");
  }
  if (auto ok = at_most(sources.queues.size(), limits::kDeadLetterSources, field, "entries"); !ok) return ok;
  for (const std::string& name : sources.queues) {
    if (auto ok = validate_target(name, field); !ok) return ok;
  }
  return {};
}

Result<void> validate_searched(const std::vector<std::string>& names) {
  const std::string field = "searched_attributes";
  if (auto ok = at_most(names.size(), limits::kSearchedAttributes, field, "entries"); !ok) return ok;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (name->empty()) return fail(ErrorCode::kInvalidArgument, field + ": a name is empty");
    if (auto ok = at_most(name->size(), limits::kAttributeNameBytes, field + ": a name"); !ok) return ok;
    if (std::find(names.begin(), name, *name) != name)
      return fail(ErrorCode::kInvalidArgument, field + ": '" + *name + "' is there twice");
  }
  return {};
}

Result<void> validate_base(const RetryPolicy& retry) {
  const bool used = retry.kind == RetryKind::kFixed || retry.kind == RetryKind::kExponential;
  if (used) return within(retry.base, Duration{1}, limits::kDelayMax, "retry.base");
  if (retry.base == Duration{0}) return {};
  return fail(ErrorCode::kInvalidArgument,
              "retry.base is set, but only fixed and exponential retries have one");
}

Result<void> validate_cap(const RetryPolicy& retry) {
  if (retry.kind == RetryKind::kExponential) {
    return within(retry.cap, retry.base, limits::kDelayMax, "retry.cap");
  }
  if (retry.cap == Duration{0}) return {};
  return fail(ErrorCode::kInvalidArgument, "retry.cap is set, but only exponential retries have one");
}

Result<void> validate_stages(const RetryPolicy& retry) {
  const bool used = retry.kind == RetryKind::kStages;
  if (used == retry.stages.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                used ? "retry.stages is empty" : "retry.stages is set, but the kind is not stages");
  }
  if (auto ok = at_most(retry.stages.size(), limits::kRetryStages, "retry.stages", "waits"); !ok) return ok;
  for (const Duration wait : retry.stages) {
    if (auto ok = within(wait, Duration{0}, limits::kDelayMax, "a wait of retry.stages"); !ok) return ok;
  }
  return {};
}

Result<void> validate(const RetryPolicy& retry) {
  if (retry.kind > RetryKind::kStages) return fail(ErrorCode::kInvalidArgument, "retry.kind is unknown");
  if (retry.to > ReturnTo::kTail) {
    return fail(ErrorCode::kInvalidArgument, "retry.to is neither head nor tail");
  }
  if (auto ok = validate_base(retry); !ok) return ok;
  if (auto ok = validate_cap(retry); !ok) return ok;
  if (auto ok = validate_stages(retry); !ok) return ok;
  const bool bounded = retry.jitter >= 0 && retry.jitter <= 1;  // false for NaN
  if (!bounded) return fail(ErrorCode::kInvalidArgument, "retry.jitter must be 0..1");
  if (retry.kind == RetryKind::kImmediate && retry.jitter > 0) {
    return fail(ErrorCode::kInvalidArgument, "retry.jitter is set, but immediate retries have no wait");
  }
  return {};
}

Result<void> validate_expiry(const QueueOptions& options) {
  if (auto ok = within(options.time_to_live, Duration{0}, limits::kDelayMax, "time_to_live"); !ok) return ok;
  if (options.on_expiry > ExpiryPolicy::kDrop) {
    return fail(ErrorCode::kInvalidArgument, "on_expiry is neither dead_letter nor drop");
  }
  if (options.time_to_live == Duration{0} || can_expire(options)) return {};
  return fail(ErrorCode::kInvalidArgument,
              "time_to_live is set and on_expiry is dead_letter, but there is no dead letter queue");
}

Result<void> validate_overflow(const QueueOptions& options) {
  if (options.on_overflow > OverflowPolicy::kDropHead) {
    return fail(ErrorCode::kInvalidArgument,
                "on_overflow is neither reject_send, dead_letter_head nor drop_head");
  }
  if (options.max_length == 0 && options.max_bytes == 0 &&
      options.on_overflow != OverflowPolicy::kRejectSend) {
    return fail(ErrorCode::kInvalidArgument, "on_overflow is set, but there is no max_length or max_bytes");
  }
  if (options.on_overflow == OverflowPolicy::kDeadLetterHead && options.dead_letter_queue.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "on_overflow is dead_letter_head, but there is no dead letter queue");
  }
  return {};
}

Result<void> validate(const JournalOptions& journal) {
  if (journal.max_entries == 0 && journal.keep > Duration{0}) {
    return fail(ErrorCode::kInvalidArgument, "journal.keep is set, but journal.max_entries is 0");
  }
  if (journal.max_entries != 0 && journal.max_entries < limits::kJournalEntriesMin) {
    return fail(ErrorCode::kInvalidArgument,
                "journal.max_entries must be 0 or at least " + std::to_string(limits::kJournalEntriesMin));
  }
  if (journal.max_entries > limits::kJournalEntriesMax) {
    return fail(ErrorCode::kLimitExceeded, "journal.max_entries is " + std::to_string(journal.max_entries) +
                                               ", the limit is " +
                                               std::to_string(limits::kJournalEntriesMax));
  }
  return within(journal.keep, Duration{0}, limits::kKeepMax, "journal.keep");
}

Result<void> validate(const Tags& tags) {
  if (auto ok = at_most(tags.size(), limits::kTags, "the queue", "tags"); !ok) return ok;
  for (const auto& [name, value] : tags) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "a tag's name is empty");
    if (auto ok = at_most(name.size(), limits::kTagNameBytes, "a tag's name"); !ok) return ok;
    if (auto ok = at_most(value.size(), limits::kTagValueBytes, "tag '" + name + "'"); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<void> validate(const QueueOptions& options) {
  if (options.max_deliveries < limits::kMaxDeliveriesMin) {
    return fail(ErrorCode::kInvalidArgument, "max_deliveries must be at least 1");
  }
  if (options.max_deliveries > limits::kMaxDeliveriesMax) {
    return fail(ErrorCode::kLimitExceeded, "max_deliveries is " + std::to_string(options.max_deliveries) +
                                               ", the limit is " + std::to_string(limits::kMaxDeliveriesMax));
  }
  if (options.durability != Durability::kFsync && options.durability != Durability::kBuffered) {
    return fail(ErrorCode::kInvalidArgument, "durability is neither fsync nor buffered");
  }
  if (!options.dead_letter_queue.empty()) {
    if (auto ok = validate_queue_name(options.dead_letter_queue); !ok) {
      return fail(ok.error().code, "dead_letter_queue: " + ok.error().message);
    }
  }
  if (auto ok = validate_routes(options.dead_letter_routes); !ok) return ok;
  if (auto ok = within(options.keep_replayed, Duration{0}, limits::kKeepMax, "keep_replayed"); !ok) return ok;
  if (auto ok = within(options.keep_abandoned, Duration{0}, limits::kKeepMax, "keep_abandoned"); !ok)
    return ok;
  if (auto ok = within(options.keep_unresolved, Duration{0}, limits::kKeepMax, "keep_unresolved"); !ok)
    return ok;
  if (auto ok = validate(options.dead_letter_sources); !ok) return ok;
  if (auto ok = validate_searched(options.searched_attributes); !ok) return ok;
  if (auto ok = validate_delay(options.delay); !ok) return ok;
  if (options.grouping > Grouping::kFair) {
    return fail(ErrorCode::kInvalidArgument, "grouping is neither none, ordered nor fair");
  }
  if (options.deduplication > Deduplication::kByContent) {
    return fail(ErrorCode::kInvalidArgument, "deduplication is neither none, by id nor by content");
  }
  if (auto ok = within(options.deduplication_window, limits::kDeduplicationWindowMin,
                       limits::kDeduplicationWindowMax, "deduplication_window");
      !ok) {
    return ok;
  }
  if (auto ok = validate_priorities(options); !ok) return ok;
  if (auto ok = validate(options.auto_redrive); !ok) return ok;
  if (auto ok = validate(options.alerts); !ok) return ok;
  if (auto ok = validate(options.brake); !ok) return ok;
  if (!options.parking_queue.empty()) {
    if (auto ok = validate_queue_name(options.parking_queue); !ok) {
      return fail(ok.error().code, "parking_queue: " + ok.error().message);
    }
  }
  if (auto ok = validate(options.retry); !ok) return ok;
  if (options.retry.to == ReturnTo::kTail && options.grouping == Grouping::kOrdered) {
    return fail(ErrorCode::kInvalidArgument, "retry.to is tail, but the queue is ordered");
  }
  if (auto ok = within(options.lifetime, Duration{0}, limits::kDelayMax, "lifetime"); !ok) return ok;
  if (auto ok = validate(options.tags); !ok) return ok;
  if (auto ok = validate(options.journal); !ok) return ok;
  if (auto ok = validate_expiry(options); !ok) return ok;
  if (auto ok = validate_overflow(options); !ok) return ok;
  if (options.max_body_bytes == 0) {
    return fail(ErrorCode::kInvalidArgument, "max_body_bytes must be at least 1");
  }
  if (options.max_body_bytes > limits::kBodyBytesMax) {
    return fail(ErrorCode::kLimitExceeded, "max_body_bytes is " + std::to_string(options.max_body_bytes) +
                                               ", the limit is " + std::to_string(limits::kBodyBytesMax));
  }
  return validate_lease(options.lease);
}

Result<void> validate(const Message& message) {
  if (auto ok = at_most(message.body.size(), limits::kBodyBytesMax, "the body"); !ok) return ok;
  if (message.time_to_live) {
    if (auto ok = within(*message.time_to_live, Duration{1}, limits::kDelayMax, "time_to_live"); !ok)
      return ok;
  }
  if (message.delay) {
    if (message.visible_at) {
      return fail(ErrorCode::kInvalidArgument,
                  "delay and visible_at are both set: a message has one of them");
    }
    if (auto ok = validate_delay(*message.delay); !ok) return ok;
  }
  if (auto ok = at_most(message.group.size(), limits::kGroupBytes, "the group"); !ok) return ok;
  if (auto ok = at_most(message.deduplication_id.size(), limits::kDeduplicationIdBytes, "deduplication_id");
      !ok)
    return ok;
  if (message.priority >= limits::kPrioritiesMax) {
    return fail(ErrorCode::kInvalidArgument, "priority is " + std::to_string(message.priority) +
                                                 ", the highest priority of any queue is " +
                                                 std::to_string(limits::kPrioritiesMax - 1));
  }
  if (message.attributes.empty()) return {};
  if (auto ok = at_most(message.attributes.size(), limits::kAttributes, "the message", "attributes"); !ok)
    return ok;
  std::size_t total = 0;
  for (const auto& [name, value] : message.attributes) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "an attribute's name is empty");
    if (auto ok = at_most(name.size(), limits::kAttributeNameBytes, "an attribute's name"); !ok) return ok;
    if (auto ok = at_most(value.size(), limits::kAttributeValueBytes, "attribute '" + name + "'"); !ok)
      return ok;
    total += name.size() + value.size();
  }
  return at_most(total, limits::kAttributesTotalBytes, "the total of the attributes");
}

Result<void> validate(const Rejection& rejection) {
  if (auto ok = at_most(rejection.category.size(), limits::kCategoryBytes, "category"); !ok) return ok;
  if (auto ok = at_most(rejection.code.size(), limits::kErrorCodeBytes, "code"); !ok) return ok;
  if (auto ok = at_most(rejection.causes.size(), limits::kNestedErrors, "causes", "entries"); !ok) return ok;
  for (const auto& [code, message] : rejection.causes) {
    if (auto ok = at_most(code.size() + message.size(), limits::kNestedErrorBytes, "an entry of causes"); !ok)
      return ok;
  }
  return {};
}

Result<void> validate(const Consumer& consumer) {
  if (auto ok = at_most(consumer.instance.size(), limits::kConsumerBytes, "consumer.instance"); !ok)
    return ok;
  return at_most(consumer.version.size(), limits::kConsumerBytes, "consumer.version");
}

Result<void> validate(const ReleaseOptions& options) {
  if (options.to.value_or(ReturnTo::kHead) > ReturnTo::kTail) {
    return fail(ErrorCode::kInvalidArgument, "to is neither head nor tail");
  }
  if (!options.count && !options.failure.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "failure is set, but count is false: a delivery that is not charged did not fail");
  }
  if (auto ok = validate(options.failure); !ok) return ok;
  return validate_delay(options.delay.value_or(Duration{0}));
}

Result<void> validate_lease(Duration lease) {
  return within(lease, limits::kLeaseMin, limits::kLeaseMax, "lease");
}

Result<void> validate_delay(Duration delay) { return within(delay, Duration{0}, limits::kDelayMax, "delay"); }

bool can_expire(const QueueOptions& options) {
  return options.on_expiry == ExpiryPolicy::kDrop || !options.dead_letter_queue.empty();
}

Result<void> validate_visible_at(Timestamp visible_at, Timestamp now) {
  if (visible_at <= now + limits::kDelayMax) return {};
  return fail(ErrorCode::kLimitExceeded, "visible_at is " + format_rounded(visible_at - now) +
                                             " ahead, the limit is " + format_duration(limits::kDelayMax));
}

Result<void> validate_wait(Duration wait) { return within(wait, Duration{0}, limits::kWaitMax, "wait"); }

Result<void> validate_batch_entries(std::size_t count, std::string_view what) {
  return at_most(count, limits::kBatchEntries, "the batch", what);
}

Result<void> validate_batch_bytes(std::size_t bytes, std::size_t entries) {
  if (entries == 1) return {};
  return at_most(bytes, limits::kBatchBytes, "the batch");
}

std::size_t byte_size(std::string_view body, const Attributes& attributes) {
  std::size_t size = body.size();
  for (const auto& [name, value] : attributes) size += name.size() + value.size();
  return size;
}

std::size_t byte_size(const Message& message) { return byte_size(message.body, message.attributes); }

std::string bounded_text(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  const std::string mark = "... [cut, it had " + std::to_string(text.size()) + " bytes]";
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  std::size_t end = limit - mark.size();
  // Goes back by at most 3 bytes. More continuation bytes in a row are not UTF-8.
  for (int i = 0; i < 3 && is_continuation(text[end]); ++i) --end;
  return std::string(text.substr(0, end)) + mark;
}

}  // namespace holdfast
