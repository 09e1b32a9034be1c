// This header declares helpers for directories of the file system. They throw no exceptions.
#pragma once

#include <filesystem>
#include <functional>
#include <system_error>
#include <vector>

namespace holdfast {

// Returns the error of the last call of the system, which `errno` has.
std::error_code last_error();

// Returns the one absolute name, without a trailing slash, of what the system finds by `path`: a symbolic
// link is followed before the ".." behind it. The part of the path that is not there yet is named as it is
// written.
std::filesystem::path resolve(const std::filesystem::path& path, std::error_code& error);

// Returns whether a file system is mounted at the directory. Its root cannot be replaced.
bool is_mounted(const std::filesystem::path& directory);

// Makes a file durable with an fsync.
std::error_code sync_file(const std::filesystem::path& file);

// Makes the entries of a directory durable with an fsync.
std::error_code sync_directory(const std::filesystem::path& directory);

// Creates a directory and those that are missing above it, each durably and with access for its owner alone,
// whatever the umask. A directory that is there already is made durable too, unless it is a mount point or
// its parent may not be read. `sync` makes the entries of its argument durable.
std::error_code create_durably(
    const std::filesystem::path& directory,
    const std::function<std::error_code(const std::filesystem::path&)>& sync = sync_directory);

// Returns the regular files in a directory, sorted, without those in folders below it. After an error it
// returns the files that were found before.
std::vector<std::filesystem::path> files_of(const std::filesystem::path& directory, std::error_code& error);

}  // namespace holdfast
