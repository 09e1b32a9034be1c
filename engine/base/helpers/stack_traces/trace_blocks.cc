#include "engine/base/helpers/stack_traces/trace_blocks.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "engine/base/validation/validate.h"

namespace holdfast {
namespace {

constexpr std::string_view kCut = "... [cut, lines: ";
constexpr std::size_t kFewestLines = 6;
constexpr std::size_t kHeadingAndFrame = 2;
constexpr std::size_t kShortestLine = 64;  // the least that bounded_text() accepts

// A block has an error and its frames.
struct Block {
  std::vector<std::string_view> lines;
  std::size_t cut = 0;  // lines after these that an earlier call left out
};

bool is_heading(std::string_view line) {
  line = without_indent(line);
  return line.starts_with("Caused by:") || line.starts_with("Suppressed:") || line.starts_with("[cause]:");
}

// Returns how many lines were left out, if the line says so; 0 for any other line.
std::size_t cut_lines(std::string_view line) {
  line = without_indent(line);
  if (!line.starts_with(kCut)) return 0;
  line.remove_prefix(kCut.size());
  std::size_t count = 0;
  std::from_chars(line.data(), line.data() + line.size(), count);
  return count;
}

std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks(1);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (is_heading(line) && !blocks.back().lines.empty()) blocks.emplace_back();
    if (const std::size_t cut = cut_lines(line)) {
      blocks.back().cut += cut;
    } else {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

// Returns the last cause of the error on top; if there is none, the last of the other errors nested in it.
std::size_t root_of(const std::vector<Block>& blocks) {
  for (std::size_t i = blocks.size(); i-- > 1;) {
    if (blocks[i].lines.front().starts_with("Caused by:")) return i;
  }
  return blocks.size() - 1;
}

// Returns how many lines each block keeps.
std::vector<std::size_t> shares(const std::vector<Block>& blocks, std::size_t lines) {
  std::vector<std::size_t> given(blocks.size());
  const std::size_t root = root_of(blocks);
  std::size_t left = lines;
  const auto give = [&](std::size_t block, std::size_t up_to) {
    up_to = std::min(up_to, blocks[block].lines.size());
    const std::size_t more = std::min(left, up_to - std::min(up_to, given[block]));
    given[block] += more;
    left -= more;
  };
  const auto give_others = [&](std::size_t up_to) {
    for (std::size_t i = 1; i < blocks.size(); ++i) {
      if (i != root) give(i, up_to);
    }
  };
  const auto give_most = [&](std::size_t up_to) {
    give(0, up_to);
    give(root, up_to);
  };
  for (std::size_t i = 1; i <= std::max(kHeadingAndFrame, lines * 3 / 10); ++i) give_most(i);
  give_others(1);
  give_others(kHeadingAndFrame);
  for (std::size_t i = 1; i <= lines; ++i) give_most(i);
  give_others(lines);
  return given;
}

void append_line(std::string& out, std::string_view line) {
  if (!out.empty()) out += '\n';
  out += line;
}

std::string shortened(const std::vector<Block>& blocks, std::size_t lines, std::size_t line_bytes) {
  const auto given = shares(blocks, lines);
  std::string out;
  std::size_t cut = 0;
  const auto say_cut = [&] {
    if (cut > 0) append_line(out, '\t' + std::string(kCut) + std::to_string(cut) + ']');
    cut = 0;
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (given[i] > 0) say_cut();
    for (std::size_t line = 0; line < given[i]; ++line)
      append_line(out, bounded_text(blocks[i].lines[line], line_bytes));
    cut += blocks[i].lines.size() - given[i] + blocks[i].cut;
  }
  say_cut();
  return out;
}

}  // namespace

std::string_view without_indent(std::string_view line) {
  const auto begin = line.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

bool has_nested_errors(std::string_view stack_trace) { return blocks_of(stack_trace).size() > 1; }

std::string first_lines_of_blocks(std::string_view stack_trace, std::size_t lines, std::size_t bytes) {
  const auto blocks = blocks_of(stack_trace);
  for (; lines > kFewestLines; --lines) {
    std::string text = shortened(blocks, lines, std::max(bytes, kShortestLine));
    if (text.size() <= bytes) return text;
  }
  return shortened(blocks, lines, std::max(bytes / (2 * kFewestLines), kShortestLine));
}

}  // namespace holdfast
