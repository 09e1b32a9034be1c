// Copies a directory that a store has open.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <system_error>

namespace holdfast::testing {

using Listing = std::map<std::filesystem::path, std::uintmax_t>;

inline Listing listing_of(const std::filesystem::path& directory, std::error_code& failed) {
  Listing listing;
  for (const auto& file : std::filesystem::directory_iterator(directory, failed)) {
    listing[file.path()] = file.file_size(failed);
    if (failed) break;
  }
  return listing;
}

// Copies again if a file changed meanwhile: RocksDB compacts and cleans up in the background.
inline void copy_directory(const std::filesystem::path& from, const std::filesystem::path& to) {
  for (;;) {
    std::error_code failed;
    std::filesystem::remove_all(to);
    const Listing before = listing_of(from, failed);
    if (!failed) std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, failed);
    if (!failed && listing_of(from, failed) == before && !failed) return;
    if (failed && failed != std::errc::no_such_file_or_directory) {
      throw std::filesystem::filesystem_error("copying a directory", from, to, failed);
    }
  }
}

}  // namespace holdfast::testing
