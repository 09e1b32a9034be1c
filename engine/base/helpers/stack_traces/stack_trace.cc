#include "engine/base/helpers/stack_traces/stack_trace.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "engine/base/helpers/stack_traces/trace_blocks.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr std::string_view kMark = "... [cut, it had ";  // the mark of bounded_text()
constexpr std::size_t kMarkBytes = 44;                   // at most, with its numbers and the line's end

// Takes the first line off the text, without its end.
std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

// Returns the number of a frame that has one: "#3 f", "3# f", "3: f".
std::optional<unsigned> frame_number(std::string_view line) {
  line = without_indent(line);
  const bool hash_first = line.starts_with('#');
  if (hash_first) line.remove_prefix(1);
  unsigned number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  const bool numbered = hash_first ? line.starts_with(' ') : line.starts_with("# ") || line.starts_with(": ");
  return numbered ? std::optional(number) : std::nullopt;
}

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

// Takes ":12" off the end of the line. Returns false if there is no such end.
bool take_number_off(std::string_view& line) {
  const auto end = line.find_last_not_of("0123456789");
  if (end == std::string_view::npos || end + 1 == line.size() || line[end] != ':') return false;
  line.remove_suffix(line.size() - end);
  return true;
}

// Returns whether the line is a frame of Firefox or Safari: "f@http://shop/a.js:9:5".
bool is_browser_frame(std::string_view line) {
  const auto at = line.rfind('@');
  if (at == std::string_view::npos || line.find(' ', at) != std::string_view::npos) return false;
  return take_number_off(line) && take_number_off(line) && line.size() > at + 1;
}

// Returns whether the line is a frame of Ruby: "a.rb:9:in 'check': bad (RuntimeError)", "\tfrom a.rb:1:in
// 'main'". Earlier versions open the quote with a backtick.
bool is_ruby_frame(std::string_view line) {
  const auto in = std::min(line.find(":in '"), line.find(":in `"));
  return in != std::string_view::npos && in > 0 && is_decimal(line[in - 1]);
}

// Returns whether the line is a frame without a number, in a format whose first frame is the innermost.
bool is_plain_frame(std::string_view line) {
  return without_indent(line).starts_with("at ") || is_ruby_frame(line) || is_browser_frame(line);
}

bool is_frame(std::string_view line) { return is_plain_frame(line) || frame_number(line).has_value(); }

std::string_view without_mark(std::string_view stack_trace) {
  if (stack_trace.starts_with(kMark)) take_line(stack_trace);
  if (const auto last = stack_trace.rfind('\n');
      last != std::string_view::npos && stack_trace.substr(last + 1).starts_with(kMark))
    stack_trace = stack_trace.substr(0, last);
  return stack_trace;
}

// Returns the line in a trace that says that the trace was cut before; an empty text if it was not.
std::string_view mark_of(std::string_view stack_trace) {
  if (stack_trace.starts_with(kMark)) return take_line(stack_trace);
  const auto last = stack_trace.rfind('\n');
  const bool cut = last != std::string_view::npos && stack_trace.substr(last + 1).starts_with(kMark);
  return cut ? stack_trace.substr(last + 1) : std::string_view();
}

std::string_view first_lines(std::string_view text, std::size_t lines) {
  std::size_t end = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    const auto next = text.find('\n', end);
    if (next == std::string_view::npos) return text;
    end = next + 1;
  }
  return text.substr(0, end - 1);
}

std::string_view last_lines(std::string_view text, std::size_t lines) {
  std::size_t begin = text.size();
  for (std::size_t i = 0; i < lines; ++i) {
    begin = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
    if (begin == std::string_view::npos) return text;
  }
  return text.substr(begin + 1);
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Returns at most `bytes` bytes, so that no character of UTF-8 is cut in two.
std::string_view first_bytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  for (int i = 0; i < 3 && bytes > 0 && is_continuation(text[bytes]); ++i) --bytes;
  return text.substr(0, bytes);
}

std::string_view last_bytes(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  text.remove_prefix(text.size() - bytes);
  for (int i = 0; i < 3 && !text.empty() && is_continuation(text.front()); ++i) text.remove_prefix(1);
  return text;
}

}  // namespace

bool is_innermost_first(std::string_view stack_trace) {
  if (stack_trace.find("Traceback (most recent call last)") != std::string_view::npos) return false;
  std::optional<unsigned> first;
  for (bool any = false; !stack_trace.empty();) {
    const std::string_view line = take_line(stack_trace);
    if (!any && line.starts_with("goroutine ")) return true;
    if (is_plain_frame(line)) return true;
    if (const auto number = frame_number(line)) {
      if (any) return *number > *first;
      first = number;
      any = true;
    }
  }
  return first.has_value();
}

std::string bounded_stack_trace(std::string_view stack_trace, std::size_t limit) {
  while (stack_trace.ends_with('\n')) stack_trace.remove_suffix(1);
  std::string mark(mark_of(stack_trace));
  const std::string_view whole = without_mark(stack_trace);
  const bool first = is_innermost_first(whole);
  const bool nested = first && has_nested_errors(whole);
  const std::string blocks =
      nested ? first_lines_of_blocks(whole, limits::kStackTraceFrames, limit - std::min(limit, kMarkBytes))
             : std::string();
  std::string_view kept = nested  ? std::string_view(blocks)
                          : first ? first_lines(whole, limits::kStackTraceFrames)
                                  : last_lines(whole, limits::kStackTraceFrames);
  if (mark.empty()) {
    if (kept.size() == whole.size() && whole.size() <= limit) return std::string(whole);
    mark = std::string(kMark) + std::to_string(stack_trace.size()) + " bytes]";
  }
  const std::size_t room = limit - std::min(limit, mark.size() + 1);
  kept = first ? first_bytes(kept, room) : last_bytes(kept, room);
  return first ? std::string(kept) + '\n' + mark : mark + '\n' + std::string(kept);
}

std::string_view innermost_frames(std::string_view stack_trace, std::size_t frames) {
  const std::string_view whole = without_mark(stack_trace);
  if (!is_innermost_first(whole)) return last_lines(whole, frames);
  std::string_view rest = whole;
  for (std::string_view before = rest; !rest.empty(); before = rest) {
    if (is_frame(take_line(rest))) return first_lines(before, frames);
  }
  return first_lines(whole, frames);  // the frames of Go look like any other line
}

}  // namespace holdfast
