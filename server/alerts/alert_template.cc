#include "server/alerts/alert_template.h"

#include <algorithm>
#include <optional>

#include "server/alerts/event_fields.h"

namespace holdfast::server {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr std::string_view kTag = "tag ";

bool is_known(std::string_view name) {
  return name == "dropped" || (name.starts_with(kTag) && name.size() > kTag.size()) ||
         std::ranges::find(kEventFields, name) != kEventFields.end();
}

std::string_view trimmed_name(std::string_view name) {
  const auto begin = std::min(name.find_first_not_of(' '), name.size());
  const auto end = name.find_last_not_of(' ') + 1;
  return begin < end ? name.substr(begin, end - begin) : std::string_view();
}

// Piece is a text before a name, and the name. next_piece() cuts both off, and returns nothing if there is no
// further name.
struct Piece {
  std::string_view before;
  std::string_view name;
};
std::optional<Piece> next_piece(std::string_view& rest) {
  const auto open = rest.find(kOpen);
  const auto close = open == std::string_view::npos ? open : rest.find(kClose, open);
  if (close == std::string_view::npos) return std::nullopt;
  const auto inside = open + kOpen.size();
  const Piece piece{rest.substr(0, open), trimmed_name(rest.substr(inside, close - inside))};
  rest.remove_prefix(close + kClose.size());
  return piece;
}

Json value_of(std::string_view name, const Json& fields) {
  const auto member = [](const Json& object, std::string_view key) {
    const auto found = object.find(std::string(key));
    return found == object.end() ? Json(nullptr) : *found;
  };
  if (!name.starts_with(kTag)) return member(fields, name);
  const Json tags = member(fields, "tags");
  return tags.is_object() ? member(tags, trimmed_name(name.substr(kTag.size()))) : Json(nullptr);
}

std::string text_of(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object()) return dump_json(value);
  Tags tags;
  for (const auto& [tag, text] : value.items()) tags[tag] = text.get<std::string>();
  return tags_text(tags);
}

Json filled_text(std::string_view text, const Json& fields) {
  std::string filled;
  std::string_view rest = text;
  while (const auto piece = next_piece(rest)) {
    Json value = value_of(piece->name, fields);
    if (filled.empty() && piece->before.empty() && rest.empty()) return value;
    filled += piece->before;
    filled += text_of(value);
  }
  filled += rest;
  return filled;
}

Json filled(const Json& content, const Json& fields) {
  if (content.is_string()) return filled_text(content.get_ref<const std::string&>(), fields);
  if (!content.is_structured()) return content;
  Json result = content;
  for (Json& member : result) member = filled(member, fields);
  return result;
}

Result<void> check(const Json& content) {
  if (content.is_string()) {
    std::string_view rest = content.get_ref<const std::string&>();
    while (const auto piece = next_piece(rest)) {
      if (is_known(piece->name)) continue;
      return fail(ErrorCode::kInvalidArgument, "no event has a '" + std::string(piece->name) + "'");
    }
    return {};
  }
  if (!content.is_structured()) return {};
  for (const Json& member : content) {
    if (auto ok = check(member); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<AlertTemplate> AlertTemplate::parse(std::string_view text) {
  Json content = parse_json(text);
  if (content.is_discarded()) return fail(ErrorCode::kInvalidArgument, "is not JSON");
  if (auto ok = check(content); !ok) return tl::unexpected(ok.error());
  return AlertTemplate(std::move(content));
}

Json AlertTemplate::fill(const Json& fields) const { return filled(content_, fields); }

}  // namespace holdfast::server
