// Writes the lines of the log, and reads them again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::server {

// A line says what happened, and about what: `call refused connection=7 error=overloaded message="the calls
// in flight ..."`.
class LogLine {
 public:
  explicit LogLine(std::string_view event) : text_(event) {}

  // Adds a field, unless its value is empty. A value with more than letters, digits and simple signs is in
  // quotes, as a JSON string.
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

// Parses a line that LogLine has made. A line without fields is an event alone.
ParsedLine parse_log_line(std::string_view text);

}  // namespace holdfast::server
