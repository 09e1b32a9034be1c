// holdfastd, from its start to its clean stop.
#pragma once

#include "server/config/load.h"

namespace holdfast::server {

// Serves with what `line` and `environment` say until SIGTERM or SIGINT; SIGHUP has them and the file looked
// at again. The calling thread and all others must have blocked these signals. Gives the exit status.
int run_daemon(const CommandLine& line, const Environment& environment, const Config& config);

}  // namespace holdfast::server
