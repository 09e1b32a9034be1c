#include "engine/base/validation/validate.h"

#include <algorithm>
#include <string>

#include "holdfast/limits.h"

namespace holdfast {
namespace {

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

// Makes the error of at_most() apart from it, which is called several times for every message that is sent,
// and is inlined without the text.
Result<void> above_limit(std::size_t size, std::size_t limit, std::string_view field, std::string_view unit) {
  return fail(ErrorCode::kLimitExceeded, std::string(field) + " has " + std::to_string(size) + " " +
                                             std::string(unit) + ", the limit is " + std::to_string(limit));
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
  return above_limit(size, limit, field, unit);
}

Result<void> within(Duration value, Duration min, Duration max, std::string_view field) {
  if (value >= min && value <= max) return {};
  const auto code = value > max ? ErrorCode::kLimitExceeded : ErrorCode::kInvalidArgument;
  return fail(code, std::string(field) + " is " + format_duration(value) + ", it must be " +
                        format_duration(min) + ".." + format_duration(max));
}

Result<void> within(std::uint64_t value, std::uint64_t min, std::uint64_t max, std::string_view field) {
  if (value >= min && value <= max) return {};
  const auto code = value > max ? ErrorCode::kLimitExceeded : ErrorCode::kInvalidArgument;
  return fail(code, std::string(field) + " is " + std::to_string(value) + ", it must be " +
                        std::to_string(min) + ".." + std::to_string(max));
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
  if (!options.charge && !options.failure.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "failure is set, but charge is false: a delivery that is not charged did not fail");
  }
  if (auto ok = validate(options.failure); !ok) return ok;
  return validate_delay(options.delay.value_or(Duration{0}));
}

Result<void> validate_lease(Duration lease) {
  return within(lease, limits::kLeaseMin, limits::kLeaseMax, "lease");
}

Result<void> validate_delay(Duration delay) { return within(delay, Duration{0}, limits::kDelayMax, "delay"); }

bool can_expire(const QueueOptions& options) {
  return options.expiry.policy == ExpiryPolicy::kDrop || !options.dead_letters.queue.empty();
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
