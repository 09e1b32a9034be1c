// Checks and makes the archive of dead letters that the configuration names.
#pragma once

#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "server/options/archive_options.h"

namespace holdfast::server {

// Checks whether the archive can be used, as far as that shows without writing to it. Adds what is allowed
// but unwise to `warnings`. kInvalidArgument, in the words of the options.
Result<void> check_archive(const ArchiveOptions& options, std::vector<std::string>& warnings);

// Makes an engine archive there. Returns the errors of check_archive().
Result<void> set_archive(const ArchiveOptions& options, EngineOptions& engine);

}  // namespace holdfast::server
