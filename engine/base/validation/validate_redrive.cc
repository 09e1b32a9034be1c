#include <string>

#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

Result<void> number_at_most(std::uint64_t value, std::uint64_t limit, std::string_view field) {
  if (value <= limit) return {};
  return fail(ErrorCode::kLimitExceeded, std::string(field) + " is " + std::to_string(value) +
                                             ", the limit is " + std::to_string(limit));
}

// What they become is no longer than any value may be.
Result<void> validate(const std::vector<ValueAttribute>& attributes) {
  if (auto ok = number_at_most(attributes.size(), limits::kAttributes, "the count of edit.value_attributes");
      !ok) {
    return ok;
  }
  for (const auto& [name, value] : attributes) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "a name in edit.value_attributes is empty");
    if (auto ok = number_at_most(name.size(), limits::kAttributeNameBytes, "the size of a name to set"); !ok)
      return ok;
    if (!parse_redrive_value(to_string(value)))
      return fail(ErrorCode::kInvalidArgument, "edit.value_attributes: '" + name + "' has an unknown value");
  }
  return {};
}

// In this order, the first that is wrong.
Result<void> validate_edit(const RedriveEdit& edit) {
  if (auto ok = number_at_most(edit.json_patch.size(), limits::kPatchBytes, "the size of edit.json_patch");
      !ok)
    return ok;
  if (auto ok = number_at_most(edit.drop_attributes.size(), limits::kAttributes,
                               "the count of edit.drop_attributes");
      !ok) {
    return ok;
  }
  for (const std::string& name : edit.drop_attributes) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "a name in edit.drop_attributes is empty");
    if (auto ok = number_at_most(name.size(), limits::kAttributeNameBytes, "the size of a name to drop"); !ok)
      return ok;
  }
  if (auto ok = validate(edit.value_attributes); !ok) return ok;
  return validate(Message{.body = edit.body.value_or(""), .attributes = edit.set_attributes});
}

}  // namespace

Result<void> validate_actor(std::string_view actor) {
  return number_at_most(actor.size(), limits::kActorBytes, "the size of actor");
}

Result<void> validate(const RedriveOptions& options) {
  if (auto ok = number_at_most(options.rate, limits::kRedriveRate, "rate"); !ok) return ok;
  if (auto ok = validate_actor(options.actor); !ok) return ok;
  if (auto ok = number_at_most(options.request_id.size(), limits::kRequestIdBytes, "the size of request_id");
      !ok) {
    return ok;
  }
  if (auto ok =
          number_at_most(options.unless_version.size(), limits::kConsumerBytes, "the size of unless_version");
      !ok) {
    return ok;
  }
  if (options.park_refused && options.max_replays == 0) {
    return fail(ErrorCode::kInvalidArgument, "park_refused needs max_replays, which refuses");
  }
  if (auto ok = number_at_most(options.canary, limits::kCanary, "canary"); !ok) return ok;
  if (options.canary_percent == 0 || options.canary_percent > 100) {
    return fail(ErrorCode::kInvalidArgument,
                "canary_percent is " + std::to_string(options.canary_percent) + ", it is 1 to 100");
  }
  if (options.canary == 0 && options.canary_percent != 100)
    return fail(ErrorCode::kInvalidArgument, "canary_percent needs canary");
  return validate_edit(options.edit);
}

}  // namespace holdfast
