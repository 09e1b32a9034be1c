// Directories of the file system, without exceptions.
#pragma once

#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

namespace holdfast {

// The one absolute name of what the system finds by `path`: a symbolic link is followed before the ".."
// behind it. What is not there yet is named as it is written. Without a trailing slash.
std::filesystem::path resolve(const std::filesystem::path& path, std::error_code& error);

// Makes the entries of a directory durable.
std::error_code sync_directory(const std::filesystem::path& directory);

// Creates it and what is missing above it, each durably and for its owner alone, whatever the umask. `sync`
// makes the entries of its argument durable.
std::error_code create_durably(
    const std::filesystem::path& directory,
    const std::function<std::error_code(const std::filesystem::path&)>& sync = sync_directory);

// The regular files in a directory, sorted; not those in folders in it. What was found before an error, too.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& directory, std::error_code& error);

}  // namespace holdfast
