// The machine's package index, as `apt-cache dumpavail` prints it: packages of "Name: value" fields.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/error.h"

namespace holdfast::demo {

// One package. It refers to the text that it was parsed from.
class Package {
 public:
  explicit Package(std::string_view text) : text_(text) {}

  std::string_view text() const { return text_; }
  // Returns the field's value with its continuation lines; nothing if there is no such field.
  std::optional<std::string_view> field(std::string_view name) const;

 private:
  std::string_view text_;
};

// A whole index, held in memory.
class PackageIndex {
 public:
  static Result<PackageIndex> read(const std::filesystem::path& file);

  std::size_t size() const { return packages_.size(); }
  Package package(std::size_t number) const;
  // Returns the name of the package in the correlation id of its message: "17/0ad_0.0.26-3_amd64".
  std::string key(std::size_t number) const;

 private:
  std::string text_;
  std::vector<std::pair<std::size_t, std::size_t>> packages_;  // offsets and lengths in text_
};

// Returns the number at the start of a key; nothing if the key is not one of this demo.
std::optional<std::size_t> number_of(std::string_view key);

}  // namespace holdfast::demo
