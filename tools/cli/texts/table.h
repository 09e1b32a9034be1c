// Aligned columns for people.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/terminal/terminal.h"

namespace holdfast::command {

struct Column {
  std::string title;
  bool right = false;  // numbers, which are never cut
  // A terminal that is too narrow for all columns does without those of the highest rank first; never without
  // those of rank 0.
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

// Cells are made printable, and aligned by the columns that they take on a terminal, of which a CJK character
// takes two and a combining one none. On a terminal a line takes no more than its width, as far as cells of
// text can be cut for that; who reads from a pipe or a file gets whole cells.
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
