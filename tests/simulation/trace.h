// The last things that happened, for a report.
#pragma once

#include <deque>
#include <sstream>
#include <string>

#include "support/print.h"

namespace holdfast::simulation {

class Trace {
 public:
  template <class... Parts>
  void add(std::uint64_t step, const Parts&... parts) {
    std::ostringstream line;
    line << "  " << step;
    ((line << ' ', write(line, parts)), ...);
    lines_.push_back(std::move(line).str());
    if (lines_.size() > kLines) lines_.pop_front();
  }

  std::string text() const {
    std::string all;
    for (const std::string& line : lines_) all += line + '\n';
    return all;
  }

 private:
  static constexpr std::size_t kLines = 60;

  static void write(std::ostream& out, const std::string& part) { out << part; }
  static void write(std::ostream& out, const char* part) { out << part; }
  static void write(std::ostream& out, const Result<void>& answer) {
    out << (answer ? "ok" : error_info(answer.error().code).name);
  }
  template <class T>
  static void write(std::ostream& out, const T& part) {
    out << ::testing::PrintToString(part);
  }

  std::deque<std::string> lines_;
};

}  // namespace holdfast::simulation
