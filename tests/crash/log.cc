#include "tests/crash/log.h"

#include <limits.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace holdfast::testing {

LogLine parse_log_line(std::string_view line) {
  std::istringstream words{std::string(line)};
  std::string kind;
  LogLine result;
  if (!(words >> kind >> result.op) || (kind != "pending" && kind != "settled")) {
    throw std::runtime_error("the child wrote: " + std::string(line));
  }
  result.settled = kind == "settled";
  for (std::string word; words >> word;) result.words.push_back(word);
  return result;
}

Durability durability_of(const std::string& word) {
  for (const Durability durability : {Durability::kFsync, Durability::kBuffered}) {
    if (word == word_of(durability)) return durability;
  }
  throw std::runtime_error("no durability: " + word);
}

void write_log_line(const std::string& line) {
  const std::string text = line + "\n";
  if (text.size() > PIPE_BUF ||
      ::write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    std::abort();
  }
}

}  // namespace holdfast::testing
