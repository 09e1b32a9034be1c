// Reads what retention has written.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/dead_letters/archive_line.h"
#include "engine/storage/files/archive_file.h"
#include "holdfast/dead_letter.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

inline std::vector<DeadLetter> read_archive(const std::filesystem::path& directory) {
  std::vector<DeadLetter> letters;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    must(must(ArchiveReader::open(bytes)).for_each_line([&letters](std::string_view line) {
      letters.push_back(must(parse_archive_line(line)));
      return Result<void>();
    }));
  }
  return letters;
}

// Returns the lines of the whole frames, each with its end.
inline std::string lines_of(std::string_view archive) {
  std::string lines;
  must(must(ArchiveReader::open(archive)).for_each_line([&lines](std::string_view line) {
    lines.append(line).push_back('\n');
    return Result<void>();
  }));
  return lines;
}

// Makes a frame that contains `byte`, so many times 128 KiB. Each 128 KiB takes four bytes: a block that says
// which byte is repeated.
inline std::string repeating_frame(char byte, std::size_t blocks) {
  std::string frame("\x28\xb5\x2f\xfd\x00\x38", 6);  // the window is as large as a block
  for (std::size_t i = 1; i <= blocks; ++i) frame += {i < blocks ? '\x02' : '\x03', '\x00', '\x10', byte};
  return frame;
}

}  // namespace holdfast::testing
