// Directories of the file system, without exceptions.
#pragma once

#include <filesystem>
#include <system_error>
#include <vector>

namespace holdfast {

// Makes the entries of a directory durable.
std::error_code sync_directory(const std::filesystem::path& directory);

// Creates it and what is missing above it, each durably.
std::error_code create_durably(const std::filesystem::path& directory);

// The regular files in a directory, sorted; not those in folders in it. What was found before an error, too.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& directory, std::error_code& error);

}  // namespace holdfast
