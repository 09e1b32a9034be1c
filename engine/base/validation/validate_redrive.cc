// Checks the options of a redrive before there is a task. An option that has no effect without another one is
// refused if that is missing, since its caller expects an effect.
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

// The values themselves need no check: every value that a redrive writes is short enough for an attribute.
Result<void> validate(const std::vector<ValueAttribute>& attributes) {
  if (auto ok = at_most(attributes.size(), limits::kAttributes, "edit.value_attributes", "entries"); !ok)
    return ok;
  for (const auto& [name, value] : attributes) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "a name in edit.value_attributes is empty");
    if (auto ok = at_most(name.size(), limits::kAttributeNameBytes, "a name in edit.value_attributes"); !ok)
      return ok;
    if (!parse_redrive_value(to_string(value)))
      return fail(ErrorCode::kInvalidArgument, "edit.value_attributes: '" + name + "' has an unknown value");
  }
  return {};
}

// Returns the error of the first field that is wrong, in this order.
Result<void> validate_edit(const RedriveEdit& edit) {
  if (auto ok = at_most(edit.json_patch.size(), limits::kPatchBytes, "edit.json_patch"); !ok) return ok;
  if (auto ok = at_most(edit.drop_attributes.size(), limits::kAttributes, "edit.drop_attributes", "entries");
      !ok) {
    return ok;
  }
  for (const std::string& name : edit.drop_attributes) {
    if (name.empty()) return fail(ErrorCode::kInvalidArgument, "a name in edit.drop_attributes is empty");
    if (auto ok = at_most(name.size(), limits::kAttributeNameBytes, "a name in edit.drop_attributes"); !ok)
      return ok;
  }
  if (auto ok = validate(edit.value_attributes); !ok) return ok;
  return validate(Message{.body = edit.body.value_or(""), .attributes = edit.set_attributes});
}

}  // namespace

Result<void> validate_actor(std::string_view actor) {
  return at_most(actor.size(), limits::kActorBytes, "actor");
}

Result<void> validate(const RedriveOptions& options) {
  if (!parse_redrive_action(to_string(options.action)))
    return fail(ErrorCode::kInvalidArgument, "action has an unknown value");
  if (auto ok = number_at_most(options.rate, limits::kRedriveRate, "rate"); !ok) return ok;
  if (auto ok = validate_actor(options.actor); !ok) return ok;
  if (auto ok = at_most(options.request_id.size(), limits::kRequestIdBytes, "request_id"); !ok) return ok;
  if (auto ok = at_most(options.unless_version.size(), limits::kConsumerBytes, "unless_version"); !ok)
    return ok;
  if (options.park_refused && options.max_replays == 0) {
    return fail(ErrorCode::kInvalidArgument,
                "park_refused is set, but max_replays is not, so that no message would be refused");
  }
  if (auto ok = number_at_most(options.canary, limits::kCanary, "canary"); !ok) return ok;
  if (options.canary_percent == 0 || options.canary_percent > 100) {
    return fail(ErrorCode::kInvalidArgument,
                "canary_percent is " + std::to_string(options.canary_percent) + ", it must be 1..100");
  }
  if (options.canary == 0 && options.canary_percent != 100)
    return fail(ErrorCode::kInvalidArgument, "canary_percent is set, but canary is not");
  if (auto ok = validate(options.redact); !ok) return ok;
  return validate_edit(options.edit);
}

}  // namespace holdfast
