// holdfastd, from its start to its clean stop.
#pragma once

#include "server/flags.h"

namespace holdfast::server {

// Serves until SIGTERM or SIGINT, which the calling thread and all others must have blocked. Gives the exit
// status.
int run_daemon(const Flags& flags);

// To be called before there are other threads.
void block_stop_signals();

}  // namespace holdfast::server
