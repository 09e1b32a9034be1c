// A step of a simulation in which a receive waits, and what gives it messages.
#include <utility>

#include "tests/simulation/simulation.h"
#include "tests/support/answer.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

struct Simulation::Wait {
  explicit Wait(const Subject* of) : queue(of) {}
  const Subject* queue;
  testing::Answer<Result<Deliveries>> answer;
};

// Takes all ready messages first, so that the receive waits whatever the engine's threads do.
void Simulation::wait_for_messages() {
  const Subject& queue = any_queue(random_.one_in(5));
  if (!receive_all(queue)) return;
  wait_ = std::make_shared<Wait>(&queue);
  const auto token = world_->engine().async_receive(queue.name, {.max = random_.between(1, 10), .wait = 1h},
                                                    wait_->answer.callback());
  note("a receive waits", queue.name);
  switch (random_.below(3)) {
    case 0:
      queue.dead_letters ? settle() : send_to(queue);
      break;
    case 1:
      settle();
      break;
    default:
      pass_time();
      do_due();
      break;
  }
  if (!wait_) return;
  world_->engine().cancel_receive(token);
  if (!end_wait()) recover();
}

bool Simulation::end_wait() {
  if (!wait_) return true;
  const auto wait = std::exchange(wait_, nullptr);
  const Result<Deliveries> answer = wait->answer.get();
  mark(Mark::kGivenWhileWaiting, answer && !answer->empty());
  note_handed_out("waited", *wait->queue, answer, true);
  if (!answer && answer.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(answer.error()));
  return answer.has_value();
}

bool Simulation::receive_all(const Subject& queue) {
  for (bool more = true; more;) {
    const auto answer = world_->engine().receive(queue.name, {.max = 100});
    more = answer && !answer->empty();
    if (!note_received("receive all", queue, answer, true)) return false;
  }
  return check_nothing_ready(queue);
}

// Checks queues in which no group is held, no bound on leases is reached and nothing has just expired.
bool Simulation::check_nothing_ready(const Subject& queue) {
  const QueueOptions& options = queue.options;
  if (options.grouping.mode == Grouping::kOrdered || options.limits.max_leased > 0 || is_bounded(options))
    return true;
  const auto info = world_->engine().describe_queue(queue.name);
  if (!info) {
    recover_from("describe", info.error());
    return false;
  }
  if (info->counts.ready > 0)
    throw Violation(queue.name + " has " + std::to_string(info->counts.ready) +
                    " ready messages and hands out none");
  return true;
}

}  // namespace holdfast::simulation
