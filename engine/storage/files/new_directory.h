// A directory that comes to be in whole or not at all: it is filled under another name beside it.
#pragma once

#include <filesystem>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast {

class NewDirectory {
 public:
  // kInvalidArgument if `target` is there and is not an empty directory, or a link to one: nothing is ever
  // overwritten; nor is a mounted file system's root, which cannot be replaced. `word` is put into the
  // temporary name.
  static Result<NewDirectory> begin(const std::filesystem::path& target, std::string_view word);

  NewDirectory(NewDirectory&& other) noexcept;
  NewDirectory& operator=(NewDirectory&&) = delete;
  // Removes it, unless it was finished.
  ~NewDirectory();

  // Where to write until finish().
  const std::filesystem::path& path() const { return path_; }
  // Gives it its name, durably.
  Result<void> finish();

 private:
  NewDirectory(std::filesystem::path target, std::filesystem::path path);

  std::filesystem::path target_;
  std::filesystem::path path_;  // empty once finished
};

}  // namespace holdfast
