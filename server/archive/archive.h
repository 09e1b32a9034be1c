// The archive of dead letters, as it is configured.
#pragma once

#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "server/options/archive_options.h"

namespace holdfast::server {

// Whether it can be used, as far as can be told without writing to it. kInvalidArgument, in the words of the
// options. Adds to the warnings what is allowed and unwise.
Result<void> check_archive(const ArchiveOptions& options, std::vector<std::string>& warnings);

// Has an engine archive there. What check_archive() refuses.
Result<void> set_archive(const ArchiveOptions& options, EngineOptions& engine);

}  // namespace holdfast::server
