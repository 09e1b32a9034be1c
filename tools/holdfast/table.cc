#include "table.h"

#include <algorithm>
#include <ostream>

#include "text.h"

namespace holdfast::command {
namespace {

std::size_t width_of(const std::string& text) {
  const auto is_continuation = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::add(const std::vector<std::string>& cells) {
  auto& row = rows_.emplace_back();
  row.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) row.push_back(printable(cells.at(i), columns_[i].max));
}

void Table::print(std::ostream& out) const {
  for (const std::string& line : lines()) out << line << '\n';
}

std::vector<std::string> Table::lines() const {
  std::vector<std::size_t> widths;
  widths.reserve(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t width = width_of(columns_[i].title);
    for (const auto& row : rows_) width = std::max(width, width_of(row[i]));
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
  for (const auto& row : rows_) {
    add_row([&row](std::size_t i) -> const std::string& { return row[i]; });
  }
  return all;
}

}  // namespace holdfast::command
