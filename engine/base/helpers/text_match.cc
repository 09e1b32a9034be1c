#include "engine/base/helpers/text_match.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace holdfast {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same(char a, char b) { return lower(a) == lower(b); }

// Returns whether '#' may stand for the character: a digit of a number or a UUID, or a '#'.
bool is_of_number(char c) {
  const char l = lower(c);
  return (l >= '0' && l <= '9') || (l >= 'a' && l <= 'f') || l == 'x' || l == '-' || l == '#';
}

// Returns whether the character may have been left out of the form: a quote around a function's name.
bool may_be_left_out(char c) { return c == '\'' || c == '`'; }

}  // namespace

bool contains(std::string_view text, std::string_view part) {
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

// Follows all ways to match at once: at[i] says that the part so far may end where form[i] goes on or begins.
// A '#' or '?' in the form may stand for several characters.
bool may_contain(std::string_view form, std::string_view part) {
  std::vector<bool> at(form.size() + 1, true);
  for (const char c : part) {
    std::vector<bool> next = may_be_left_out(c) ? at : std::vector<bool>(form.size() + 1, false);
    for (std::size_t i = 0; i < form.size(); ++i) {
      if (!at[i]) continue;
      const bool more = form[i] == '?' || (form[i] == '#' && is_of_number(c));
      if (more) next[i] = true;
      if (more || same(form[i], c)) next[i + 1] = true;
    }
    at.swap(next);
  }
  return std::ranges::find(at, true) != at.end();
}

}  // namespace holdfast
