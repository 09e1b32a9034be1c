// The calls on a whole queue.
#include "tests/client/cuts/caller.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

void Caller::change_queue() {
  const std::string name = next_name() + "queue";
  const auto created = client_.create_queue(name, {.durability = Durability::kBuffered});
  {
    const Peace::Kept peace(site_.peace());
    ledger_.note("create_queue", name, created, owner().describe_queue(name) ? 1 : 0);
    must(owner_.create_queue(name, {.durability = Durability::kBuffered}));
    send_as_owner(name, "x");
  }
  const auto altered = client_.alter_queue(name, {.retry = {.max_deliveries = 77}});
  note_queue("alter_queue", name, altered,
             [](const QueueInfo& queue) { return queue.options.retry.max_deliveries == 77; });
  const auto paused = client_.pause_queue(name, Pause{.sends = true});
  note_queue("pause_queue", name, paused, [](const QueueInfo& queue) { return queue.paused.sends; });
  resume_queue(name);
  const auto purged = client_.purge_queue(name);
  note_queue("purge_queue", name, purged, [](const QueueInfo& queue) { return queue.counts.ready == 0; });
  const auto deleted = client_.delete_queue(name);
  const Peace::Kept peace(site_.peace());
  const bool gone = !owner().describe_queue(name);
  ledger_.note("delete_queue", name, deleted, gone ? 1 : 0);
  if (!gone) (void)owner_.delete_queue(name);  // a late attempt may delete it first
}

void Caller::resume_queue(const std::string& name) {
  {
    const Peace::Kept peace(site_.peace());
    must(owner().pause_queue(name, Pause{.deliveries = true}));
  }
  const auto resumed = client_.resume_queue(name, Pause{.deliveries = true});
  note_queue("resume_queue", name, resumed, [](const QueueInfo& queue) { return !queue.paused.deliveries; });
}

}  // namespace holdfast::testing
