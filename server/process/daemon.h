// Runs holdfastd from its start to its clean stop.
#pragma once

#include "server/config/load.h"

namespace holdfast::server {

// Serves with the configuration of `line` and `environment` until SIGTERM or SIGINT. SIGHUP reads them and
// the file again. The calling thread and all others must have blocked these signals. Returns the exit status.
int run_daemon(const CommandLine& line, const Environment& environment, const Config& config);

}  // namespace holdfast::server
