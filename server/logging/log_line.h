// What the lines of the log look like, and how they are read again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::server {

// What happened, and about what: `call refused connection=7 error=overloaded message="the calls in flight
// ..."`.
class LogLine {
 public:
  explicit LogLine(std::string_view event) : text_(event) {}

  // In quotes, as a JSON string, where it has more than letters, digits and simple signs. Nothing if it is
  // empty.
  LogLine& add(std::string_view name, std::string_view value);
  LogLine& add(std::string_view name, std::uint64_t value) { return add(name, std::to_string(value)); }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

struct ParsedLine {
  std::string_view event;
  std::vector<std::pair<std::string_view, std::string>> fields;
};

// What LogLine has made. A line without fields is all event.
ParsedLine parse_log_line(std::string_view text);

}  // namespace holdfast::server
