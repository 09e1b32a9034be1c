// Checks that queues have a definition and a checkpoint that fit each other, names of their own, and dead
// letter queues that exist and form no cycle.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/seq_math.h"
#include "engine/verify/checks.h"

namespace holdfast::verify {
namespace {

void check_cursors(const QueueCheckpoint& checkpoint, const std::string& where, Findings& findings) {
  for (std::size_t lane = 0; lane < lane_count(checkpoint); ++lane) {
    const LaneCheckpoint at = lane_at(checkpoint, lane_begin(lane));
    if (at.cursor <= at.next_seq) continue;
    findings.add("cursor_past_end", where,
                 "the cursor of lane " + std::to_string(lane) + " is past the lane's next seq");
  }
}

void check_rows(const Facts& facts, const QueueFacts& queue, Findings& findings) {
  const std::string where = place("catalog", queue.name, queue.id);
  if (!queue.definition) findings.add("definition_missing", where, "a checkpoint has no definition");
  if (!queue.checkpoint) findings.add("checkpoint_missing", where, "the queue has no checkpoint");
  if (static_cast<std::uint64_t>(queue.id) >= facts.allocation.next_queue_id) {
    findings.add("id_not_allocated", where, "the id is to be given out again");
  }
  if (queue.checkpoint) check_cursors(*queue.checkpoint, where, findings);
}

using ByName = std::map<std::string, const QueueFacts*, std::less<>>;

// Returns the queues that dead letters of a queue may go to, and what each of them is to the queue.
std::vector<std::pair<std::string, std::string>> onward(const QueueFacts& queue) {
  std::vector<std::pair<std::string, std::string>> targets;
  if (!queue.definition) return targets;
  const QueueOptions& options = queue.definition->options;
  if (!options.dead_letters.queue.empty())
    targets.emplace_back(options.dead_letters.queue, "dead letter queue");
  for (const DeadLetterRoute& route : options.dead_letters.routes) {
    targets.emplace_back(route.queue, "dead letter queue");
  }
  if (!options.dead_letters.parking_queue.empty())
    targets.emplace_back(options.dead_letters.parking_queue, "parking queue");
  return targets;
}

void check_targets(const ByName& by_name, const QueueFacts& queue, Findings& findings) {
  for (const auto& [target, what] : onward(queue)) {
    if (by_name.contains(target)) continue;
    findings.add("dead_letter_queue_missing", place("catalog", queue.name, queue.id),
                 std::string("its ").append(what).append(" '").append(target).append("' is not there"));
  }
}

void check_cycle(const ByName& by_name, const QueueFacts& queue, Findings& findings) {
  std::set<std::string, std::less<>> seen;
  std::vector<const QueueFacts*> open{&queue};
  while (!open.empty()) {
    const QueueFacts& at = *open.back();
    open.pop_back();
    for (const auto& [target, what] : onward(at)) {
      if (target == queue.name) {
        return findings.add("dead_letter_cycle", place("catalog", queue.name, queue.id),
                            "its dead letters would come back to it");
      }
      const auto found = by_name.find(target);
      if (found != by_name.end() && seen.insert(target).second) open.push_back(found->second);
    }
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
    check_cycle(by_name, queue, findings);
    check_targets(by_name, queue, findings);
  }
}

}  // namespace holdfast::verify
