// Aligned columns for people.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace holdfast::command {

struct Column {
  std::string title;
  bool right = false;    // numbers
  std::size_t max = 60;  // longer cells are cut on a terminal
};

// Cells are made printable; widths are those of the rows there are. Only a terminal has a width: who reads
// from a pipe or a file gets whole cells.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  void add(const std::vector<std::string>& cells);
  void print(std::ostream& out) const;
  // The titles first. `cut`: for a terminal.
  std::vector<std::string> lines(bool cut) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // as they were added
};

}  // namespace holdfast::command
