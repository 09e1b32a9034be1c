#include "tools/cli/filter_program/filter_answer.h"

#include <optional>

#include "engine/base/helpers/base64.h"
#include "engine/codec/encoding/request_json.h"

namespace holdfast::command {
namespace {

tl::unexpected<Error> bad(const std::string& what) { return fail(ErrorCode::kInvalidArgument, what); }

std::optional<FilterAnswer::Action> action_of(const Json& name) {
  using enum FilterAnswer::Action;
  if (name == "redrive") return kRedrive;
  if (name == "skip") return kSkip;
  if (name == "discard") return kDiscard;
  return std::nullopt;
}

Result<void> read_field(const std::string& name, const Json& value, RedriveEdit& edit) {
  const bool is_body = name == "body" || name == "body_base64";
  if (is_body && edit.body) return bad("body and body_base64 are both given");
  if (name == "body" && value.is_string()) {
    edit.body = value.get<std::string>();
  } else if (name == "body_base64" && value.is_string()) {
    edit.body = base64_decode(value.get_ref<const std::string&>());
    if (!edit.body) return bad("body_base64 is not base64");
  } else if (name == "set_attributes" && value.is_object()) {
    for (const auto& [attribute, text] : value.items()) {
      if (!text.is_string()) return bad("set_attributes: '" + attribute + "' is not a string");
      edit.set_attributes.push_back({.name = attribute, .value = text.get<std::string>()});
    }
  } else if (name == "drop_attributes" && value.is_array()) {
    for (const Json& attribute : value) {
      if (!attribute.is_string()) return bad("drop_attributes: not all are strings");
      edit.drop_attributes.push_back(attribute.get<std::string>());
    }
  } else {
    return bad("'" + name + "' is not a field of an answer, or has the wrong type");
  }
  return {};
}

}  // namespace

Result<FilterAnswer> parse_filter_answer(std::string_view line) {
  const auto json = parse_request_json(line);
  if (!json) return bad("it " + json.error());
  if (!json->is_object()) return bad("it is not a JSON object");
  const auto action = action_of(json->value("action", Json()));
  if (!action) return bad("action is neither redrive nor skip nor discard");
  FilterAnswer answer{.action = *action};
  for (const auto& [name, value] : json->items()) {
    if (name == "action") continue;
    if (*action != FilterAnswer::Action::kRedrive) return bad("only redrive takes '" + name + "'");
    if (auto ok = read_field(name, value, answer.edit); !ok) return tl::unexpected(ok.error());
  }
  return answer;
}

}  // namespace holdfast::command
