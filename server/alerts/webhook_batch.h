// Events as a webhook is sent them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "holdfast/event.h"

namespace holdfast::server {

// {"events": [{"kind": "rule_fired", "time_ms": …, "queue": "orders-dlq", "rule": "depth", "value": 1}, …],
// "dropped": 0}. Bytes that are not UTF-8 are replaced.
std::string webhook_batch(std::span<const Event> events, std::uint64_t dropped);

}  // namespace holdfast::server
