// The numbers of an engine and a server, by Prometheus' conventions: base units, totals end in _total.
#pragma once

#include "holdfast/engine.h"
#include "server/meter.h"
#include "server/monitor/families.h"

namespace holdfast::server {

void add_server_families(const Engine& engine, const Meter& meter, Families& families);
Result<void> add_engine_families(Engine& engine, Families& families);

// Of the first `max_queues` queues by name; how many others there are is a number of its own. Of the causes
// and categories of a queue's dead letters the largest kDeadLetterGroups, the others as one.
inline constexpr std::size_t kDeadLetterGroups = 20;
Result<void> add_queue_families(Engine& engine, std::size_t max_queues, Timestamp now, Families& families);

}  // namespace holdfast::server
