// Tells the log when an alert rule of a queue fires or clears, when a flood brake goes on or off, and when
// the wall clock was set.
#pragma once

#include <spdlog/logger.h>

#include "holdfast/engine.h"

namespace holdfast::server {

// A line at once for each rule that holds already, then one for each change as long as the subscription
// lives; and for each death, if the log takes debug lines now.
Result<Subscription> log_alerts(Engine& engine, spdlog::logger& log);

}  // namespace holdfast::server
