#include "tools/cli/texts/text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <boost/locale/utf.hpp>
#include <iterator>

#include "engine/base/helpers/escaped_text.h"
#include "engine/base/helpers/utf8.h"

namespace holdfast::command {
namespace {

namespace utf = boost::locale::utf;

// Returns how many columns the character takes on a terminal: 2 for CJK and most emoji, 0 for combining
// characters.
std::size_t columns_of(utf::code_point point) {
  return static_cast<std::size_t>(utf8proc_charwidth(static_cast<utf8proc_int32_t>(point)));
}

struct Piece {
  std::string text;
  std::size_t width;
};

// Returns what is shown for the character at `at`, and moves `at` past it.
Piece next_piece(const char*& at, const char* end) {
  const char* begin = at;
  std::string escape = escape_of(at, end);
  if (!escape.empty()) {
    const std::size_t width = escape.size();
    return {std::move(escape), width};
  }
  const char* from = begin;
  return {std::string(begin, at), columns_of(utf::utf_traits<char>::decode(from, at))};
}

constexpr std::size_t kContained = 1;  // the distance of a name that contains what was typed

// Returns how many insertions, deletions, replacements and swaps of neighbours lead from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replaced, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
  return lower;
}

// Returns the parts of a name between its points, dashes and underscores, in alphabetic order.
std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> parts;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find_first_of("-_."), name.size());
    if (end > 0) parts.emplace_back(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  std::ranges::sort(parts);
  return parts;
}

// Returns how far the name is from what was typed. Both must be in lower case.
std::size_t distance_of(std::string_view typed, std::string_view name) {
  const bool begun = typed.size() >= 2 && name.starts_with(typed);
  if (begun || typed == name) return 1;
  if (const auto parts = parts_of(typed); parts.size() > 1 && parts == parts_of(name)) return 1;
  const std::size_t distance = edit_distance(typed, name);
  const bool contained =
      typed.size() >= 3 && !name.starts_with('-') && name.find(typed) != std::string_view::npos;
  return contained ? std::min(distance, kContained) : distance;
}

}  // namespace

bool is_utf8(std::string_view bytes) { return is_valid_utf8(bytes); }

std::string base64(std::string_view bytes) {
  namespace it = boost::archive::iterators;
  using Encoder = it::base64_from_binary<it::transform_width<const char*, 6, 8>>;
  std::string text(Encoder(bytes.begin()), Encoder(bytes.end()));
  text.append((3 - bytes.size() % 3) % 3, '=');
  return text;
}

std::string printable(std::string_view bytes, std::size_t max) {
  std::string text;
  std::size_t width = 0;
  std::size_t cut = 0;  // where the ellipsis goes if the text is too long
  for (const char *at = bytes.begin(), *end = bytes.end(); at != end;) {
    const Piece piece = next_piece(at, end);
    width += piece.width;
    if (width > max) return max == 0 ? "" : text.substr(0, cut) + "…";
    text += piece.text;
    if (width < max) cut = text.size();
  }
  return text;
}

std::string printable_end(std::string_view bytes, std::size_t max) {
  std::vector<Piece> pieces;
  std::size_t width = 0;
  for (const char *at = bytes.begin(), *end = bytes.end(); at != end;) {
    pieces.push_back(next_piece(at, end));
    width += pieces.back().width;
  }
  const bool cut = width > max;
  auto first = pieces.begin();
  for (; first != pieces.end() && width + (cut ? 1 : 0) > max; ++first) width -= first->width;
  std::string text = cut && max > 0 ? "…" : "";
  for (; first != pieces.end(); ++first) text += first->text;
  return text;
}

std::string with_tabs_expanded(std::string_view bytes) {
  constexpr std::size_t kTab = 8;
  std::string text;
  std::size_t width = 0;  // the width of the line so far
  for (const char *at = bytes.begin(), *end = bytes.end(); at != end;) {
    const char* begin = at;
    if (*at == '\t') {
      const std::size_t blanks = kTab - width % kTab;
      text.append(blanks, ' ');
      width += blanks;
      ++at;
      continue;
    }
    const std::size_t taken = next_piece(at, end).width;
    width = *begin == '\n' ? 0 : width + taken;
    text.append(begin, at);
  }
  return text;
}

std::size_t display_width(std::string_view bytes) {
  std::size_t width = 0;
  for (const char *at = bytes.begin(), *end = bytes.end(); at != end;) width += next_piece(at, end).width;
  return width;
}

std::vector<std::string> wrapped(std::string_view bytes, std::size_t columns) {
  std::vector<std::string> lines(1);
  std::size_t width = 0;
  for (const char *at = bytes.begin(), *end = bytes.end(); at != end;) {
    const Piece piece = next_piece(at, end);
    if (width + piece.width > columns && !lines.back().empty()) {
      lines.emplace_back();
      width = 0;
    }
    lines.back() += piece.text;
    width += piece.width;
  }
  return lines;
}

std::vector<std::string> wrapped_at_blanks(std::string_view bytes, std::size_t columns) {
  std::vector<std::string> lines(1);
  for (std::size_t begin = 0; begin <= bytes.size();) {
    const std::size_t end = std::min(bytes.find(' ', begin), bytes.size());
    const std::string_view word = bytes.substr(begin, end - begin);
    if (begin > 0 && display_width(lines.back()) + 1 + display_width(word) <= columns) {
      lines.back() += ' ' + printable(word);
    } else {
      std::vector<std::string> pieces = wrapped(word, columns);
      if (begin == 0) lines.clear();
      std::ranges::move(pieces, std::back_inserter(lines));
    }
    begin = end + 1;
  }
  return lines;
}

std::string counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::vector<std::string> nearest(std::string_view typed, const std::vector<std::string>& known,
                                 std::size_t most) {
  const std::string lower = lower_case(typed);
  const std::size_t near = std::max<std::size_t>(typed.size() / 3, 1);
  std::vector<std::pair<std::size_t, std::string>> found;
  for (const std::string& name : known) {
    const std::size_t distance = distance_of(lower, lower_case(name));
    if (distance <= near) found.emplace_back(distance, name);
  }
  std::ranges::stable_sort(found, {}, &std::pair<std::size_t, std::string>::first);
  if (found.size() > most) found.resize(most);
  std::vector<std::string> names(found.size());
  std::ranges::transform(found, names.begin(), &std::pair<std::size_t, std::string>::second);
  return names;
}

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  const auto names = nearest(typed, known, 1);
  return names.empty() ? "" : names.front();
}

}  // namespace holdfast::command
