// What a worker says of deliveries that failed if nobody else hears of them.
#pragma once

#include "holdfast/worker.h"

namespace holdfast::worker {

void log_failed(const FailedDelivery& failed);

}  // namespace holdfast::worker
