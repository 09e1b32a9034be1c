// The metrics of an engine and a server, by Prometheus' conventions: base units, and totals that end in
// _total.
#pragma once

#include "holdfast/engine.h"
#include "server/bounds/meter.h"
#include "server/monitor/families.h"

namespace holdfast::server {

void add_server_families(const Engine& engine, const Meter& meter, Families& families);
// Adds the engine's families. kStorageFailed after a failed write: the family that says so is there, and the
// engine refuses to tell the rest.
Result<void> add_engine_families(Engine& engine, Families& families);

// Adds families of the first `max_queues` queues by name, and the number of the other queues. Of the causes
// and categories of a queue's dead letters there are the largest kDeadLetterGroups, and the others as one;
// there are none if a record cannot be read. After an error none of these families is there.
inline constexpr std::size_t kDeadLetterGroups = 20;
Result<void> add_queue_families(Engine& engine, std::size_t max_queues, Timestamp now, Families& families);

}  // namespace holdfast::server
