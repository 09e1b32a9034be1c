#include "tests/simulation/actions/receive_actions.h"

#include <string>

namespace holdfast::simulation {

void ReceiveActions::receive() {
  const Subject& queue = run_.any_queue(run_.random.one_in(5));
  const bool started = !run_.random.one_in(6);
  const auto answer = run_.world->engine().receive(
      queue.name, {.max = run_.random.between(1, 10), .consumer = {"c", "1"}, .prefetch = !started});
  note_received(started ? "receive" : "prefetch", queue, answer, started);
}

bool ReceiveActions::receive_all(const Subject& queue) {
  for (bool more = true; more;) {
    const auto answer = run_.world->engine().receive(queue.name, {.max = 100});
    more = answer && !answer->empty();
    if (!note_received("receive all", queue, answer, true)) return false;
  }
  return check_nothing_ready(queue);
}

bool ReceiveActions::note_received(const char* verb, const Subject& queue, const Result<Deliveries>& answer,
                                   bool started) {
  deliveries_.note_answer(verb, queue, answer, started);
  if (!answer) recovery_.recover_from(verb, answer.error());
  return answer.has_value();
}

// Checks queues in which no group is held, no bound on leases is reached and nothing has just expired.
bool ReceiveActions::check_nothing_ready(const Subject& queue) {
  const QueueOptions& options = queue.options;
  if (options.grouping.mode == Grouping::kOrdered || options.limits.max_leased > 0 || is_bounded(options))
    return true;
  const auto info = run_.world->engine().describe_queue(queue.name);
  if (!info) {
    recovery_.recover_from("describe", info.error());
    return false;
  }
  if (info->counts.ready > 0)
    throw Violation(queue.name + " has " + std::to_string(info->counts.ready) +
                    " ready messages and hands out none");
  return true;
}

}  // namespace holdfast::simulation
