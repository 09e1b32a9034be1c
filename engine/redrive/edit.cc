#include "engine/redrive/edit.h"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/base/time_text.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/encoding/exact_json.h"
#include "engine/redrive/patch.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Returns how large an edited body may be: as large as any body may be, and if it was large already, twice as
// large as it was.
std::size_t largest_of(std::string_view body) {
  return std::clamp(2 * body.size(), limits::kBodyBytes, limits::kBodyBytesMax);
}

std::string text_of(RedriveValue value, const RedriveValues& values) {
  switch (value) {
    case RedriveValue::kFromDlq:
      return std::string(values.from_dlq);
    case RedriveValue::kTime:
      return format_time(values.time);
    case RedriveValue::kReplays:
      break;
  }
  return std::to_string(values.replays);
}

// Sets attributes to values. If two entries have the same name, the last one counts.
void set_values(const RedriveEdit& edit, const RedriveValues& values, Attributes& attributes) {
  for (const auto& [name, value] : edit.value_attributes) {
    std::erase_if(attributes, [&name = name](const Attribute& attribute) { return attribute.name == name; });
    attributes.push_back({name, text_of(value, values)});
  }
}

void edit_attributes(const RedriveEdit& edit, const RedriveValues& values, Attributes& attributes) {
  std::erase_if(attributes, [&](const Attribute& attribute) {
    return std::ranges::find(edit.drop_attributes, attribute.name) != edit.drop_attributes.end() ||
           std::ranges::find(edit.set_attributes, attribute.name, &Attribute::name) !=
               edit.set_attributes.end();
  });
  attributes.insert(attributes.end(), edit.set_attributes.begin(), edit.set_attributes.end());
  set_values(edit, values, attributes);
}

}  // namespace

struct MessageEdit::Patch {
  Json operations;
};

Result<MessageEdit> MessageEdit::make(const RedriveEdit& edit) {
  MessageEdit result;
  result.edit_ = edit;
  if (edit.json_patch.empty()) return result;
  Json operations = parse_exact_json(edit.json_patch);
  if (!is_patch(operations)) {
    return fail(ErrorCode::kInvalidArgument,
                "edit.json_patch is not a JSON Patch (RFC 6902): an array of objects with op, path and value "
                "or from");
  }
  result.patch_ = std::make_shared<const Patch>(Patch{std::move(operations)});
  return result;
}

Result<Message> MessageEdit::apply(const MessageView& message, const RedriveValues& values) const {
  Message edited{.body = edit_.body ? *edit_.body : std::string(message.body),
                 .attributes = message.attributes()};
  edit_attributes(edit_, values, edited.attributes);
  const std::size_t limit = largest_of(message.body);
  if (patch_) {
    Json body = parse_exact_json(edited.body);
    if (body.is_discarded())
      return fail(ErrorCode::kInvalidArgument, "the body " + exact_json_fault(edited.body));
    try {
      if (auto ok = apply_patch(patch_->operations, limit, body); !ok) return tl::unexpected(ok.error());
      edited.body = dump_exact_json(body);
    } catch (const Json::exception& error) {
      return fail(ErrorCode::kInvalidArgument, std::string("the patch does not fit: ") + error.what());
    }
  }
  if (auto ok = at_most(edited.body.size(), limit, "the edited body"); !ok) return tl::unexpected(ok.error());
  if (auto ok = validate(edited); !ok) return tl::unexpected(ok.error());
  return edited;
}

}  // namespace holdfast
