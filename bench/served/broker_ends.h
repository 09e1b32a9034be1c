// This header has producers and consumers over a Broker, an engine's or a client's.
#pragma once

#include <string>

#include "bench/pipeline/service.h"
#include "holdfast/broker.h"

namespace holdfast::bench {

void send_to(Broker& broker, const std::string& queue, const Workload& workload, const Bodies& bodies);
void consume_from(Broker& broker, const std::string& queue, const Workload& workload,
                  const std::function<void(std::string_view)>& each);

}  // namespace holdfast::bench
