// Which queue may dead-letter to which.
#pragma once

#include <string>
#include <vector>

#include "engine/queue/catalog.h"

namespace holdfast {

// The names of all queues that the options send dead letters to; the default one first. Repeated ones too.
std::vector<std::string> dead_letter_targets(const QueueOptions& options);

// Holding EngineContext::catalog_mutex: whether queue `name` may have these options: kDeadLetterCycle if dead
// letters would come back to it over dead letter queues, routes and parking queues, kPermissionDenied if a
// target does not take its dead letters, kQueueInUse if queues dead-letter to it that the options do not
// allow to.
Result<void> check_routing(const Catalog& catalog, const std::string& name, const QueueOptions& options);

// Options that work but are known traps, one sentence each.
std::vector<std::string> trap_warnings(const QueueOptions& options);

}  // namespace holdfast
