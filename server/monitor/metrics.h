// The numbers of an engine and a server, by Prometheus' conventions: base units, totals end in _total.
#pragma once

#include "holdfast/engine.h"
#include "server/bounds/meter.h"
#include "server/monitor/families.h"

namespace holdfast::server {

void add_server_families(const Engine& engine, const Meter& meter, Families& families);
// kStorageFailed after a failed write, and then what says so is there: the rest the engine refuses to tell.
Result<void> add_engine_families(Engine& engine, Families& families);

// Of the first `max_queues` queues by name; how many others there are is a number of its own. Of the causes
// and categories of a queue's dead letters the largest kDeadLetterGroups, the others as one; none if a record
// cannot be read. An error: none of these.
inline constexpr std::size_t kDeadLetterGroups = 20;
Result<void> add_queue_families(Engine& engine, std::size_t max_queues, Timestamp now, Families& families);

}  // namespace holdfast::server
