// Aligned columns for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/terminal/terminal.h"

namespace holdfast::command {

struct Column {
  std::string title;
  bool right = false;  // numbers, which are never cut
  // A terminal that is too narrow for all columns does without those of the highest rank first; without those
  // of rank 0 only where a few letters of each have no room.
  int rank = 0;
};

struct Cell {
  Cell(std::string cell_text, Style cell_style = Style::kPlain)
      : text(std::move(cell_text)), style(cell_style) {}
  Cell(const char* cell_text) : Cell(std::string(cell_text)) {}

  std::string text;
  Style style;
};

struct TableLines {
  std::vector<std::string> lines;     // the titles first
  std::vector<std::string> left_out;  // titles of the columns for which there was no room
};

// "no room for CODE, CAUSE: ...": what is said of columns that are left out; `instead`: where they are to be
// had. In one line of the screen: where it is too narrow the titles are cut first.
std::string left_out_text(const std::vector<std::string>& titles, std::string_view instead,
                          const Screen& screen);

// Cells are made printable, and aligned by the columns that they take on a terminal, of which a CJK character
// takes two and a combining one none. On a terminal a line takes no more than its width: text is cut for
// that, and columns are left out; the first one is not, and a number never cut. A pipe or a file gets whole
// cells.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  void add(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  TableLines lines(const Screen& screen) const;

 private:
  struct Layout;
  Layout layout_for(std::size_t columns) const;
  std::vector<std::size_t> dispensable(const std::vector<bool>& empty) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;  // printable
};

}  // namespace holdfast::command
