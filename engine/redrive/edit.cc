#include "engine/redrive/edit.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/time_text.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/encoding/exact_json.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

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

// A body may be edited to what any may have, a large one to twice its size.
std::size_t largest_of(std::string_view body) {
  return std::clamp(2 * body.size(), limits::kBodyBytes, limits::kBodyBytesMax);
}

tl::unexpected<Error> too_large(std::size_t limit) {
  return fail(ErrorCode::kLimitExceeded,
              "the edited body is larger than the limit of " + std::to_string(limit) + " bytes");
}

// Whether a value may be a body, and may be written: see parse_exact_json(). Itself without recursion.
Result<void> check_bounds(const Json& value, std::size_t limit) {
  std::vector<std::pair<const Json*, int>> open{{&value, 0}};
  std::size_t bytes = 0;  // at most what it is as text
  while (!open.empty()) {
    const auto [at, depth] = open.back();
    open.pop_back();
    bytes += at->is_string() ? 2 + at->get_ref<const std::string&>().size() : 1;
    if (at->is_binary()) bytes += at->get_binary().size();
    if (at->is_object()) {
      for (const auto& member : at->items()) bytes += member.key().size() + 3;
    }
    if (bytes > limit) return too_large(limit);
    if (!at->is_structured()) continue;
    if (depth >= limits::kJsonDepth) {
      return fail(ErrorCode::kLimitExceeded,
                  "the edited body is nested deeper than " + std::to_string(limits::kJsonDepth) + " levels");
    }
    for (const Json& part : *at) open.emplace_back(&part, depth + 1);
  }
  return {};
}

void apply_one(const Json& operation, Json& body) { body.patch_inplace(Json::array({operation})); }

// Only objects and arrays contain anything (RFC 6902, 4.1). The library takes that for granted, and asserts
// it or does nothing.
Result<void> check_container(const std::string& path, const Json& body) {
  Json::json_pointer container(path);
  if (container.empty()) return {};
  container.pop_back();
  if (!body.contains(container) || body.at(container).is_structured()) return {};
  return fail(ErrorCode::kInvalidArgument,
              "the patch does not fit: '" + path + "' is not within an object or an array");
}

Result<void> add(const std::string& path, const Json& value, Json& body) {
  if (auto ok = check_container(path, body); !ok) return ok;
  apply_one({{"op", "add"}, {"path", path}, {"value", value}}, body);
  return {};
}

Result<void> remove(const std::string& path, Json& body) {
  if (auto ok = check_container(path, body); !ok) return ok;
  apply_one({{"op", "remove"}, {"path", path}}, body);
  return {};
}

// Copies may double a value each time, so bounds are kept after every one of them; other operations add no
// more than the patch has.
Result<void> apply_operation(const Json& operation, std::size_t limit, Json& body) {
  const auto& op = operation["op"].get_ref<const std::string&>();
  const auto& path = operation["path"].get_ref<const std::string&>();
  if (op == "add") return add(path, operation["value"], body);
  if (op == "remove") return remove(path, body);
  if (op != "copy" && op != "move") {
    apply_one(operation, body);
    return {};
  }
  const auto& from = operation["from"].get_ref<const std::string&>();
  const Json value = body.at(Json::json_pointer(from));
  if (op == "move") {
    if (auto ok = remove(from, body); !ok) return ok;
    return add(path, value, body);
  }
  if (auto ok = add(path, value, body); !ok) return ok;
  return check_bounds(body, limit);
}

Result<void> apply_patch(const Json& operations, std::size_t limit, Json& body) {
  for (const Json& operation : operations) {
    if (auto ok = apply_operation(operation, limit, body); !ok) return ok;
  }
  return check_bounds(body, limit);
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

// Of two that set the same name the last one does.
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
  if (!operations.is_array() || !std::ranges::all_of(operations, is_operation)) {
    return fail(
        ErrorCode::kInvalidArgument,
        "edit.json_patch is no JSON Patch (RFC 6902): an array of objects with op, path and value or from");
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
  if (edited.body.size() > limit) return too_large(limit);
  if (auto ok = validate(edited); !ok) return tl::unexpected(ok.error());
  return edited;
}

}  // namespace holdfast
