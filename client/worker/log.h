// Writes a line to the application's log for a delivery that failed, if no callback receives it.
#pragma once

#include "holdfast/worker.h"

namespace holdfast::worker {

void log_failed(const FailedDelivery& failed);

}  // namespace holdfast::worker
