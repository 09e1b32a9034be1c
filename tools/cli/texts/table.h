// This header makes aligned columns for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/terminal/terminal.h"

namespace holdfast::command {

struct Column {
  std::string title;
  bool right = false;  // for numbers, which are never cut
  // A terminal that is too narrow for all columns leaves out those of the highest rank first. A column of
  // rank 0 is left out only if there is not even room for a few letters of each column.
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
  std::vector<std::string> lines;     // the titles come first
  std::vector<std::string> left_out;  // the titles of the columns for which there was no room
};

// Returns what to say about columns that were left out: "no room for CODE, CAUSE: ...". `instead` says where
// to find them. The text fits on one line of the screen: if that is too narrow, the titles are cut first.
std::string left_out_text(const std::vector<std::string>& titles, std::string_view instead,
                          const Screen& screen);

// Cells are made printable, and aligned by the columns that they take on a terminal: two for a CJK character,
// none for a combining one. On a terminal no line is longer than the terminal is wide: texts are cut and
// columns are left out. The first column is never left out, and a number is never cut. A pipe or a file gets
// whole cells.
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
