// Collects the rows of a damaged directory from its tables and logs. Each file is read by itself, so that
// damage costs what is in the damaged block and nothing else.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/storage/store.h"
#include "engine/verify/findings.h"

namespace holdfast::salvage {

// Returns the rows of `from` in their latest versions that can be read, and adds what is lost to `losses`.
// `from` stays as it is. `scratch` is an empty directory for the rows, and is in use as long as the reader
// exists. kInvalidArgument if `from` holds nothing of a Holdfast store, kLocked, kStorageFailed if `scratch`
// cannot be written.
Result<std::unique_ptr<Reader>> gather_rows(const std::filesystem::path& from,
                                            const std::filesystem::path& scratch, verify::Findings& losses);

}  // namespace holdfast::salvage
