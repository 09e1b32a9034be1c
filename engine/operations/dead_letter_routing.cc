#include "engine/operations/dead_letter_routing.h"

#include <algorithm>
#include <set>

namespace holdfast {
namespace {

bool allows(const DeadLetterSources& sources, const std::string& name) {
  switch (sources.allow) {
    case DeadLetterSources::Allow::kAll:
      return true;
    case DeadLetterSources::Allow::kNone:
      return false;
    case DeadLetterSources::Allow::kListed:
      break;
  }
  return std::ranges::find(sources.queues, name) != sources.queues.end();
}

// Returns where dead letters may go from a queue: to its dead letter queues, and to where it parks.
std::vector<std::string> onward(const QueueOptions& options) {
  std::vector<std::string> names = dead_letter_targets(options);
  if (!options.dead_letters.parking_queue.empty()) names.push_back(options.dead_letters.parking_queue);
  return names;
}

// Returns whether dead letters that go to `target` may come from there to `name`.
bool leads_to(const EngineContext& engine, const std::string& target, const std::string& name)
    HOLDFAST_REQUIRES(engine.catalog_mutex) {
  std::set<std::string> seen;
  std::vector<std::string> open{target};
  while (!open.empty()) {
    const std::string next = std::move(open.back());
    open.pop_back();
    if (next == name) return true;
    if (!seen.insert(next).second) continue;
    const auto queue = engine.catalog.find(next);
    if (!queue) continue;
    for (std::string& further : onward((*queue)->options_in_catalog(engine.catalog_mutex)))
      open.push_back(std::move(further));
  }
  return false;
}

tl::unexpected<Error> would_come_back(const std::string& name, const std::string& target) {
  return fail(ErrorCode::kDeadLetterCycle,
              "dead letters of '" + name + "' would come back to it by '" + target + "'");
}

tl::unexpected<Error> takes_none_of(const std::string& target, const std::string& name) {
  return fail(ErrorCode::kPermissionDenied,
              "queue '" + target + "' does not take dead letters of '" + name + "'");
}

Result<void> check_cycles(const EngineContext& engine, const std::string& name, const QueueOptions& options)
    HOLDFAST_REQUIRES(engine.catalog_mutex) {
  for (const std::string& target : onward(options)) {
    if (target == name) {
      return fail(ErrorCode::kDeadLetterCycle, "queue '" + name + "' can't be its own dead letter queue");
    }
    if (leads_to(engine, target, name)) {
      return would_come_back(name, target);
    }
  }
  return {};
}

Result<void> check_targets(const EngineContext& engine, const std::string& name, const QueueOptions& options)
    HOLDFAST_REQUIRES(engine.catalog_mutex) {
  for (const std::string& target : dead_letter_targets(options)) {
    const auto existing = engine.catalog.find(target);
    if (existing &&
        !allows((*existing)->options_in_catalog(engine.catalog_mutex).dead_letters.sources, name)) {
      return takes_none_of(target, name);
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> dead_letter_targets(const QueueOptions& options) {
  std::vector<std::string> names;
  if (!options.dead_letters.queue.empty()) names.push_back(options.dead_letters.queue);
  for (const DeadLetterRoute& route : options.dead_letters.routes) names.push_back(route.queue);
  return names;
}

Result<void> check_routing(const EngineContext& engine, const std::string& name,
                           const QueueOptions& options) {
  if (auto ok = check_cycles(engine, name, options); !ok) return ok;
  if (auto ok = check_targets(engine, name, options); !ok) return ok;
  if (options.dead_letters.sources.allow == DeadLetterSources::Allow::kAll) return {};
  for (const auto& other : engine.catalog.all()) {
    const auto targets = dead_letter_targets(other->options_in_catalog(engine.catalog_mutex));
    const bool uses = std::ranges::find(targets, name) != targets.end();
    if (!uses || allows(options.dead_letters.sources, other->name)) continue;
    return fail(ErrorCode::kQueueInUse, "'" + other->name + "' dead-letters to '" + name +
                                            "', which dead_letter_sources would not allow");
  }
  return {};
}

Result<void> check_targets_exist(const Catalog& catalog, const std::string& name,
                                 const QueueOptions& options) {
  const auto missing = [&](std::string_view verb, const std::string& target) {
    return fail(ErrorCode::kQueueNotFound, "queue '" + name + "' would " + std::string(verb) + " '" + target +
                                               "', which does not exist");
  };
  for (const std::string& target : dead_letter_targets(options)) {
    if (!catalog.find(target)) return missing("dead-letter to", target);
  }
  const std::string& parking = options.dead_letters.parking_queue;
  if (!parking.empty() && !catalog.find(parking)) return missing("park in", parking);
  return {};
}

std::vector<std::string> trap_warnings(const QueueOptions& options) {
  std::vector<std::string> warnings;
  if (options.dead_letters.queue.empty()) {
    if (!options.dead_letters.routes.empty()) {
      warnings.emplace_back(
          "dead_letter_routes without a dead_letter_queue: what fails max_deliveries times, or is rejected "
          "with another category, has nowhere to go");
    }
    return warnings;
  }
  if (options.retry.max_deliveries == 1) {
    warnings.emplace_back(
        "max_deliveries is 1: a short outage of what consumers depend on dead-letters healthy messages");
  }
  if (options.retry.max_deliveries >= 100) {
    warnings.emplace_back(
        "max_deliveries is " + std::to_string(options.retry.max_deliveries) +
        ": a message that can't be processed is tried that often before anybody hears of it");
  }
  return warnings;
}

}  // namespace holdfast
