// The parts that the demo's program plays in processes of their own.
#pragma once

#include <filesystem>
#include <string>

#include "holdfast/error.h"

namespace holdfast::demo {

Result<void> play_producer(const std::string& server, const std::filesystem::path& index,
                           const std::filesystem::path& ledgers);

// Works until SIGTERM. Aborts on a package that the dependency parser has no room for.
Result<void> play_worker(const std::string& server, const std::filesystem::path& ledgers, std::size_t number,
                         bool relaxed);

}  // namespace holdfast::demo
