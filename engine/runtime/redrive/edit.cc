#include "runtime/redrive/edit.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/validate.h"

namespace holdfast {
namespace {

using Json = nlohmann::ordered_json;  // keeps the order of members

bool is_operation(const Json& entry) {
  constexpr std::array kWithValue = {"add", "replace", "test"};
  constexpr std::array kWithFrom = {"move", "copy"};
  if (!entry.is_object() || !entry.contains("op") || !entry["op"].is_string() || !entry.contains("path") ||
      !entry["path"].is_string()) {
    return false;
  }
  const auto& op = entry["op"].get_ref<const std::string&>();
  if (std::ranges::find(kWithValue, op) != kWithValue.end()) return entry.contains("value");
  if (std::ranges::find(kWithFrom, op) != kWithFrom.end())
    return entry.contains("from") && entry["from"].is_string();
  return op == "remove";
}

void edit_attributes(const RedriveEdit& edit, Attributes& attributes) {
  std::erase_if(attributes, [&](const Attribute& attribute) {
    return std::ranges::find(edit.drop_attributes, attribute.name) != edit.drop_attributes.end() ||
           std::ranges::find(edit.set_attributes, attribute.name, &Attribute::name) !=
               edit.set_attributes.end();
  });
  attributes.insert(attributes.end(), edit.set_attributes.begin(), edit.set_attributes.end());
}

}  // namespace

struct MessageEdit::Patch {
  Json operations;
};

Result<MessageEdit> MessageEdit::make(const RedriveEdit& edit) {
  MessageEdit result;
  result.edit_ = edit;
  if (edit.json_patch.empty()) return result;
  Json operations = Json::parse(edit.json_patch, nullptr, false);
  if (!operations.is_array() || !std::ranges::all_of(operations, is_operation)) {
    return fail(
        ErrorCode::kInvalidArgument,
        "edit.json_patch is no JSON Patch (RFC 6902): an array of objects with op, path and value or from");
  }
  result.patch_ = std::make_shared<const Patch>(Patch{std::move(operations)});
  return result;
}

Result<Message> MessageEdit::apply(const MessageView& message) const {
  Message edited{.body = std::string(message.body), .attributes = message.attributes()};
  edit_attributes(edit_, edited.attributes);
  if (patch_) {
    const Json body = Json::parse(edited.body, nullptr, false);
    if (body.is_discarded()) return fail(ErrorCode::kInvalidArgument, "the body is not JSON");
    try {
      edited.body = body.patch(patch_->operations).dump();
    } catch (const Json::exception& error) {
      return fail(ErrorCode::kInvalidArgument, std::string("the patch does not fit: ") + error.what());
    }
  }
  if (auto ok = validate(edited); !ok) return tl::unexpected(ok.error());
  return edited;
}

}  // namespace holdfast
