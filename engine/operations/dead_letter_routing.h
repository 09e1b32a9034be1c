// These functions check which queue may dead-letter to which.
#pragma once

#include <string>
#include <vector>

#include "engine/context/context.h"

namespace holdfast {

// Returns the names of all queues that the options send dead letters to, the default one first. A name may
// come twice.
std::vector<std::string> dead_letter_targets(const QueueOptions& options);

// Returns whether queue `name` may have these options. kDeadLetterCycle if dead letters would come back to
// the queue by way of dead letter queues, routes and parking queues; kPermissionDenied if a target does not
// take its dead letters; kQueueInUse if a queue dead-letters to it that the options do not allow to.
Result<void> check_routing(const EngineContext& engine, const std::string& name, const QueueOptions& options)
    HOLDFAST_REQUIRES(engine.catalog_mutex);

// Returns whether all dead letter queues and parking queues that the options of queue `name` name exist:
// kQueueNotFound if not.
Result<void> check_targets_exist(const Catalog& catalog, const std::string& name,
                                 const QueueOptions& options);

// Returns one sentence for each option that works but is a known trap.
std::vector<std::string> trap_warnings(const QueueOptions& options);

}  // namespace holdfast
