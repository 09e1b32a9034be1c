#include "table.h"

#include <unistd.h>

#include <algorithm>
#include <iostream>

#include "text.h"

namespace holdfast::command {
namespace {

std::size_t width_of(const std::string& text) {
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

bool is_terminal(const std::ostream& out) { return &out == &std::cout && isatty(STDOUT_FILENO) == 1; }

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(const std::vector<std::string>& cells) { rows_.push_back(cells); }

void Table::print(std::ostream& out) const {
  for (const std::string& line : lines(is_terminal(out))) out << line << '\n';
}

std::vector<std::string> Table::lines(bool cut) const {
  std::vector<std::vector<std::string>> rows = rows_;
  for (auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = cut ? printable(row[i], columns_[i].max) : printable(row[i]);
  }
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i].title);
    for (const auto& row : rows) width = std::max(width, width_of(row[i]));
    widths.push_back(width);
  }
  std::vector<std::string> all;
  const auto add_row = [&](const auto& text_of) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = text_of(i);
      const std::string padding(widths[i] - width_of(cell), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].right ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    all.push_back(std::move(line));
  };
  add_row([this](std::size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows) {
    add_row([&row](std::size_t i) -> const std::string& { return row[i]; });
  }
  return all;
}

}  // namespace holdfast::command
