#include "server/logging/log_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace holdfast::server {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string>>;

bool is_simple(unsigned char c) { return c > ' ' && c < 0x7f && c != '"' && c != '=' && c != '\\'; }
bool is_name(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

// Takes a value off the front of `rest`. Returns nothing if there is none.
std::optional<std::string> take_value(std::string_view& rest) {
  std::size_t end = 0;
  if (!rest.starts_with('"')) {
    end = static_cast<std::size_t>(std::ranges::find(rest, ' ') - rest.begin());
    const auto value = rest.substr(0, end);
    rest.remove_prefix(end);
    if (value.empty() || !std::ranges::all_of(value, is_simple)) return std::nullopt;
    return std::string(value);
  }
  for (end = 1; end < rest.size() && rest[end] != '"'; ++end) {
    if (rest[end] == '\\') ++end;
  }
  if (end >= rest.size()) return std::nullopt;
  const auto parsed = nlohmann::json::parse(rest.substr(0, end + 1), nullptr, false);
  rest.remove_prefix(end + 1);
  if (!parsed.is_string()) return std::nullopt;
  return parsed.get<std::string>();
}

// Returns nothing unless the text consists of fields to its end.
std::optional<Fields> parse_fields(std::string_view rest) {
  Fields fields;
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the blank
    const auto name = rest.substr(0, rest.find('='));
    if (name.empty() || name.size() == rest.size() || !std::ranges::all_of(name, is_name))
      return std::nullopt;
    rest.remove_prefix(name.size() + 1);
    auto value = take_value(rest);
    if (!value || (!rest.empty() && rest.front() != ' ')) return std::nullopt;
    fields.emplace_back(name, *std::move(value));
  }
  return fields;
}

}  // namespace

LogLine& LogLine::add(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  (text_ += ' ').append(name) += '=';
  if (std::ranges::all_of(value, is_simple)) {
    text_ += value;
  } else {
    text_ += nlohmann::json(std::string(value)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  }
  return *this;
}

ParsedLine parse_log_line(std::string_view text) {
  for (auto at = text.find(' '); at != std::string_view::npos; at = text.find(' ', at + 1)) {
    if (at > 0 && text[at - 1] == ' ') continue;  // no event ends like this
    if (auto fields = parse_fields(text.substr(at))) return {text.substr(0, at), *std::move(fields)};
  }
  return {text, {}};
}

}  // namespace holdfast::server
