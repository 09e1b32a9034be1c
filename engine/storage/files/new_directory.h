// A new directory comes to be as a whole or not at all: it is filled under another name beside its place.
#pragma once

#include <filesystem>
#include <string_view>

#include "holdfast/error.h"

namespace holdfast {

class NewDirectory {
 public:
  // Prepares to create `target`; `word` becomes part of the temporary name. kInvalidArgument if `target` is
  // there and is not an empty directory or a link to one, since nothing is ever overwritten, or if it is the
  // root of a mounted file system, which cannot be replaced.
  static Result<NewDirectory> begin(const std::filesystem::path& target, std::string_view word);

  NewDirectory(NewDirectory&& other) noexcept;
  NewDirectory& operator=(NewDirectory&&) = delete;
  // Removes the directory, unless finish() gave it its name.
  ~NewDirectory();

  // Returns the directory to write into until finish().
  const std::filesystem::path& path() const { return path_; }
  // Gives the directory its final name, durably.
  Result<void> finish();

 private:
  NewDirectory(std::filesystem::path target, std::filesystem::path path);

  std::filesystem::path target_;
  std::filesystem::path path_;  // empty once finished
};

}  // namespace holdfast
