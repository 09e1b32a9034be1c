#include "tools/examples/demo/packages/relations.h"

#include <algorithm>
#include <array>

namespace holdfast::demo {
namespace {

std::string_view trim(std::string_view text) {
  const auto begin = std::min(text.find_first_not_of(" \n\t"), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(" \n\t") + 1);
}

// Cuts `text` at the first `separator`, and returns what was before it.
std::string_view take_until(std::string_view& text, char separator) {
  const auto end = std::min(text.find(separator), text.size());
  const auto head = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return head;
}

bool is_name(std::string_view name) {
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  };
  const auto base = name.substr(0, name.find(':'));  // the name without ":any"
  return base.size() >= 2 && std::ranges::all_of(base, is_allowed) && base.front() != '-';
}

constexpr std::array<std::string_view, 5> kOperators{"<<", "<=", "=", ">=", ">>"};

// Returns whether the text is a bound such as "(>= 2.34)".
bool is_version_bound(std::string_view text) {
  if (!text.starts_with('(') || !text.ends_with(')')) return false;
  text = trim(text.substr(1, text.size() - 2));
  const auto operation = text.substr(0, text.find_first_not_of("<=>"));
  const auto version = trim(text.substr(operation.size()));
  const bool known = std::ranges::find(kOperators, operation) != kOperators.end();
  return known && !version.empty() && version.find(' ') == std::string_view::npos;
}

bool is_relation(std::string_view text) {
  text = trim(text);
  const auto name = text.substr(0, text.find_first_of(" ("));
  const auto bound = trim(text.substr(name.size()));
  return is_name(name) && (bound.empty() || is_version_bound(bound));
}

}  // namespace

Relations check_relations(std::string_view list) {
  int count = 0;
  while (!trim(list).empty()) {
    if (++count > kRelationsRoom) return Relations::kTooMany;
    for (std::string_view choices = take_until(list, ','); !choices.empty();) {
      if (!is_relation(take_until(choices, '|'))) return Relations::kMalformed;
    }
  }
  return Relations::kFine;
}

}  // namespace holdfast::demo
