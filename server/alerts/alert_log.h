// Writes to the log when an alert rule of a queue fires or clears, and when the wall clock was set.
#pragma once

#include <spdlog/logger.h>

#include "holdfast/engine.h"

namespace holdfast::server {

// Writes a line at once for each rule that holds already, and then one for each change as long as the
// subscription lives. If the log takes debug lines at the time of the call, it also has a line for each
// death.
Result<Subscription> log_alerts(Engine& engine, spdlog::logger& log);

}  // namespace holdfast::server
