#include "tests/client/cuts/queue_calls.h"

namespace holdfast::testing {

void QueueCalls::change_queue() {
  const std::string name = context_.next_name() + "queue";
  const auto created = context_.client.create_queue(name, {.durability = Durability::kBuffered});
  {
    const Peace::Kept peace(context_.site.peace());
    context_.ledger.note("create_queue", name, created,
                         context_.connected_owner().describe_queue(name) ? 1 : 0);
    must(context_.owner.create_queue(name, {.durability = Durability::kBuffered}));
    context_.send_as_owner(name, "x");
  }
  const auto altered = context_.client.alter_queue(name, {.retry = {.max_deliveries = 77}});
  note_queue("alter_queue", name, altered,
             [](const QueueInfo& queue) { return queue.options.retry.max_deliveries == 77; });
  const auto paused = context_.client.pause_queue(name, Pause{.sends = true});
  note_queue("pause_queue", name, paused, [](const QueueInfo& queue) { return queue.paused.sends; });
  resume_queue(name);
  const auto purged = context_.client.purge_queue(name);
  note_queue("purge_queue", name, purged, [](const QueueInfo& queue) { return queue.counts.ready == 0; });
  const auto deleted = context_.client.delete_queue(name);
  const Peace::Kept peace(context_.site.peace());
  const bool gone = !context_.connected_owner().describe_queue(name);
  context_.ledger.note("delete_queue", name, deleted, gone ? 1 : 0);
  if (!gone) (void)context_.owner.delete_queue(name);  // a late attempt may delete it first
}

void QueueCalls::resume_queue(const std::string& name) {
  {
    const Peace::Kept peace(context_.site.peace());
    must(context_.connected_owner().pause_queue(name, Pause{.deliveries = true}));
  }
  const auto resumed = context_.client.resume_queue(name, Pause{.deliveries = true});
  note_queue("resume_queue", name, resumed, [](const QueueInfo& queue) { return !queue.paused.deliveries; });
}

}  // namespace holdfast::testing
