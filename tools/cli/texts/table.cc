#include "tools/cli/texts/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

constexpr std::size_t kGap = 2;          // blanks between columns
constexpr std::size_t kShortText = 8;    // texts are cut to this first, or to the width of their title
constexpr std::size_t kLeastText = 3;    // texts are cut to this if the terminal is very narrow
constexpr std::size_t kEnoughText = 24;  // what rank 0 keeps while other columns can be left out

}  // namespace

// Says which columns are shown, and how wide each is.
struct Table::Layout {
  std::vector<bool> shown;
  std::vector<std::size_t> widths;

  std::size_t total(const std::vector<std::size_t>& of) const {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < of.size(); ++i) sum += shown[i] ? of[i] + kGap : 0;
    return sum < kGap ? 0 : sum - kGap;
  }

  // Takes from the widest column that may still be cut, until all columns fit or none may be cut.
  void shrink(const std::vector<std::size_t>& least, std::size_t columns) {
    while (total(widths) > columns) {
      std::size_t widest = widths.size();
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const bool can = shown[i] && widths[i] > least[i];
        if (can && (widest == widths.size() || widths[i] > widths[widest])) widest = i;
      }
      if (widest == widths.size()) return;
      --widths[widest];
    }
  }
};

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(std::vector<Cell> cells) {
  for (Cell& cell : cells) cell.text = printable(cell.text);
  rows_.push_back(std::move(cells));
}

// Returns the columns that a terminal may do without, in the order in which they are left out. Empty ones
// come first.
std::vector<std::size_t> Table::dispensable(const std::vector<bool>& empty) const {
  std::vector<std::size_t> all;
  for (std::size_t i = columns_.size(); i-- > 0;) {
    if (columns_[i].rank > 0) all.push_back(i);
  }
  std::ranges::stable_sort(all, [&](std::size_t a, std::size_t b) {
    return std::pair(!empty[a], -columns_[a].rank) < std::pair(!empty[b], -columns_[b].rank);
  });
  return all;
}

Table::Layout Table::layout_for(std::size_t columns) const {
  Layout layout{.shown = std::vector<bool>(columns_.size(), true), .widths = {}};
  std::vector<bool> empty(columns_.size(), true);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = display_width(columns_[i].title);
    for (const auto& row : rows_) {
      width = std::max(width, display_width(row[i].text));
      empty[i] = empty[i] && row[i].text.empty();
    }
    layout.widths.push_back(width);
  }
  if (columns == 0) return layout;

  std::vector<std::size_t> least = layout.widths;
  std::vector<std::size_t> enough = layout.widths;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].right) continue;
    const std::size_t shortest = std::max(kShortText, display_width(columns_[i].title));
    least[i] = std::min(least[i], shortest);
    enough[i] = std::min(enough[i], columns_[i].rank == 0 ? std::max(kEnoughText, shortest) : shortest);
    layout.widths[i] = std::min(layout.widths[i], columns);  // so that shrink() takes few steps
  }
  for (const std::size_t i : dispensable(empty)) {
    if (layout.total(enough) <= columns) break;
    layout.shown[i] = false;
  }
  layout.shrink(least, columns);
  // This terminal has only a few columns: texts are cut until they can just be told apart, and then columns
  // are left out from the end.
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!columns_[i].right) least[i] = std::min(least[i], kLeastText);
  }
  layout.shrink(least, columns);
  for (std::size_t i = columns_.size(); i-- > 1 && layout.total(layout.widths) > columns;)
    layout.shown[i] = false;
  return layout;
}

TableLines Table::lines(const Screen& screen) const {
  const Layout layout = layout_for(screen.columns);
  TableLines result;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!layout.shown[i]) result.left_out.push_back(columns_[i].title);
  }
  const auto add_line = [&](const auto& cell_of) {
    std::string line;
    std::string padding;  // written only before something else, so that no line ends in blanks
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!layout.shown[i]) continue;
      const Cell cell = cell_of(i);
      const std::string text = printable(cell.text, layout.widths[i]);
      const std::string missing(layout.widths[i] - std::min(layout.widths[i], display_width(text)), ' ');
      if (columns_[i].right) padding += missing;
      if (!text.empty()) line += std::exchange(padding, "") + styled(text, cell.style, screen.color);
      if (!columns_[i].right) padding += missing;
      padding.append(kGap, ' ');
    }
    result.lines.push_back(std::move(line));
  };
  add_line([this](std::size_t i) { return Cell(columns_[i].title, Style::kTitle); });
  for (const auto& row : rows_) {
    add_line([&row](std::size_t i) { return row[i]; });
  }
  return result;
}

std::string left_out_text(const std::vector<std::string>& titles, std::string_view instead,
                          const Screen& screen) {
  constexpr std::size_t kLeastTitles = 4;  // with less room for the titles, all of the text is cut
  constexpr std::string_view kNoRoom = "no room for ";
  const std::string head = fmt::format("{}{}", kNoRoom, fmt::join(titles, ", "));
  const std::string tail = fmt::format(": {}", instead);
  if (!screen.is_terminal()) return head + tail;
  const std::size_t room = screen.columns - std::min(screen.columns, display_width(tail));
  if (room >= kNoRoom.size() + kLeastTitles) return printable(head, room) + tail;
  return printable(head + tail, screen.columns);
}

}  // namespace holdfast::command
