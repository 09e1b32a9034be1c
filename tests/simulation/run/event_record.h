// Records the steps of a simulation, for the report of a broken promise.
#pragma once

#include <sstream>
#include <string>

#include "tests/support/print.h"

namespace holdfast::simulation {

class EventRecord {
 public:
  template <class... Parts>
  void add(std::uint64_t step, const Parts&... parts) {
    std::ostringstream line;
    line << "  " << step;
    ((line << ' ', write(line, parts)), ...);
    text_ += std::move(line).str() + '\n';
  }

  const std::string& text() const { return text_; }

 private:
  static void write(std::ostream& out, const std::string& part) { out << part; }
  static void write(std::ostream& out, const char* part) { out << part; }
  static void write(std::ostream& out, const Result<void>& answer) {
    out << (answer ? "ok" : error_info(answer.error().code).name);
  }
  template <class T>
  static void write(std::ostream& out, const T& part) {
    out << ::testing::PrintToString(part);
  }

  std::string text_;
};

}  // namespace holdfast::simulation
