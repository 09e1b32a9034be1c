// Queues have a definition and a checkpoint that fit each other, names of their own, and dead letter queues
// that exist and form no cycle.
#include <map>
#include <set>
#include <string>

#include "verify/check.h"

namespace holdfast::verify {
namespace {

void check_rows(const Facts& facts, const QueueFacts& queue, Findings& findings) {
  const std::string where = place("catalog", queue.name, queue.id);
  if (!queue.definition) findings.add("definition_missing", where, "a checkpoint has no definition");
  if (!queue.checkpoint) findings.add("checkpoint_missing", where, "the queue has no checkpoint");
  if (static_cast<std::uint64_t>(queue.id) >= facts.allocation.next_queue_id) {
    findings.add("id_not_allocated", where, "the id is to be given out again");
  }
  if (queue.checkpoint && queue.checkpoint->cursor > queue.checkpoint->next_seq) {
    findings.add("cursor_past_end", where, "the cursor is past the next seq");
  }
}

using ByName = std::map<std::string, const QueueFacts*, std::less<>>;

// Those that no chain follows.
void check_targets(const ByName& by_name, const QueueFacts& queue, Findings& findings) {
  if (!queue.definition) return;
  const QueueOptions& options = queue.definition->options;
  const auto check = [&](const std::string& target, const std::string& what) {
    if (target.empty() || by_name.contains(target)) return;
    findings.add("dead_letter_queue_missing", place("catalog", queue.name, queue.id),
                 "its " + what + " '" + target + "' is not there");
  };
  check(options.parking_queue, "parking queue");
  for (const DeadLetterRoute& route : options.dead_letter_routes) check(route.queue, "dead letter queue");
}

void check_chain(const ByName& by_name, const QueueFacts& queue, Findings& findings) {
  const std::string where = place("catalog", queue.name, queue.id);
  std::set<std::string, std::less<>> seen{queue.name};
  const QueueFacts* at = &queue;
  while (at->definition && !at->definition->options.dead_letter_queue.empty()) {
    const std::string& target = at->definition->options.dead_letter_queue;
    const auto found = by_name.find(target);
    if (found == by_name.end()) {
      return at == &queue ? findings.add("dead_letter_queue_missing", where,
                                         "its dead letter queue '" + target + "' is not there")
                          : void();
    }
    if (!seen.insert(target).second) {
      return target == queue.name
                 ? findings.add("dead_letter_cycle", where, "its dead letters would come back to it")
                 : void();
    }
    at = found->second;
  }
}

}  // namespace

void check_catalog(const Facts& facts, Findings& findings) {
  ByName by_name;
  for (const auto& [id, queue] : facts.queues) {
    check_rows(facts, queue, findings);
    if (queue.definition && !by_name.emplace(queue.name, &queue).second) {
      findings.add("name_twice", place("catalog", queue.name, id), "another queue has the same name");
    }
  }
  for (const auto& [id, queue] : facts.queues) {
    check_chain(by_name, queue, findings);
    check_targets(by_name, queue, findings);
  }
}

}  // namespace holdfast::verify
