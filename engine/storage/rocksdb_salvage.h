// Getting at the rows of a damaged RocksDB directory.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "holdfast/error.h"
#include "storage/store.h"

namespace holdfast {

// Of a row that may stand in each family of a store that was rebuilt; no key of Holdfast's equals it.
inline constexpr std::string_view kSkeletonKey = "skeleton";

// `file`: which one; `why`: what became of it.
using LostFile = std::function<void(const std::string& file, const std::string& why)>;

// Copies the files of `from`, which stays as it is, to `copy`, an empty directory. kLocked, kInvalidArgument.
Result<void> copy_store_files(const std::filesystem::path& from, const std::filesystem::path& copy,
                              const LostFile& lost);

// Opens what is left in `copy`, rebuilding what RocksDB needs to find it. Reads of it may still fail with
// kCorruption, row by row.
Result<std::unique_ptr<Store>> open_damaged_store(const std::filesystem::path& copy, const LostFile& lost);

}  // namespace holdfast
