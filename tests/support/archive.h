// Reading what retention has written.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "codec/archive_line.h"
#include "holdfast/dead_letter.h"
#include "storage/archive_file.h"
#include "support/result_matchers.h"

namespace holdfast::testing {

inline std::vector<DeadLetter> read_archive(const std::filesystem::path& directory) {
  std::vector<DeadLetter> letters;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::istringstream lines(must(decompress(std::string(std::istreambuf_iterator<char>(file), {}))).lines);
    for (std::string line; std::getline(lines, line);) letters.push_back(must(parse_archive_line(line)));
  }
  return letters;
}

}  // namespace holdfast::testing
