// Writes operations as text, for the report of a failed run.
#pragma once

#include <ostream>
#include <sstream>
#include <string>

#include "tests/model/driver.h"
#include "tests/support/print.h"

namespace holdfast::testing {

inline constexpr std::size_t kLastOperations = 40;

inline void write_part(std::ostream& out, const std::string& part) { out << part; }
inline void write_part(std::ostream& out, const char* part) { out << part; }
inline void write_part(std::ostream& out, const Result<void>& answer) {
  out << (answer ? "ok" : error_info(answer.error().code).name);
}
inline void write_part(std::ostream& out, const std::vector<Result<void>>& answers) {
  for (const auto& answer : answers) {
    write_part(out, answer);
    out << ' ';
  }
}
template <class T>
void write_part(std::ostream& out, const T& part) {
  out << ::testing::PrintToString(part);
}

template <class... Parts>
void Driver::note(const Parts&... parts) {
  std::ostringstream line;
  line << "  " << steps_;
  ((line << ' ', write_part(line, parts)), ...);
  last_operations_.push_back(std::move(line).str());
  if (last_operations_.size() > kLastOperations) last_operations_.pop_front();
}

}  // namespace holdfast::testing
