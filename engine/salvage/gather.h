// Collects the rows of a damaged directory from its tables and logs, each read by itself, so that damage
// costs what is in the damaged block and nothing else.
#pragma once

#include <filesystem>
#include <memory>

#include "engine/storage/store.h"
#include "engine/verify/findings.h"

namespace holdfast::salvage {

// The rows of `from`, which stays as it is, in their latest versions that can be read. What is lost is added
// to `losses`. `scratch`: an empty directory for them; it is in use as long as the reader is.
// kInvalidArgument (nothing of a Holdfast store in `from`), kLocked, kStorageFailed (writing to `scratch`).
Result<std::unique_ptr<Reader>> gather_rows(const std::filesystem::path& from,
                                            const std::filesystem::path& scratch, verify::Findings& losses);

}  // namespace holdfast::salvage
