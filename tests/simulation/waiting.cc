// A receive that waits, and what gives it messages: a step of a simulation.
#include "simulation/simulation.h"
#include "support/answer.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

// All that is ready is taken first, so that the receive waits whatever the engine's threads do.
void Simulation::wait_for_messages() {
  const Subject& queue = any_queue(random_.one_in(5));
  if (!receive_all(queue)) return;
  testing::Answer<Result<Deliveries>> answer;
  const auto token = world_->engine().async_receive(queue.name, {.max = random_.between(1, 10), .wait = 1h},
                                                    answer.callback());
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
  // Of an engine that was opened since, it is nobody's.
  world_->engine().cancel_receive(token);
  note_received("waited", queue, answer.get(), true);
}

bool Simulation::receive_all(const Subject& queue) {
  for (bool more = true; more;) {
    const auto answer = world_->engine().receive(queue.name, {.max = 100});
    more = answer && !answer->empty();
    if (!note_received("receive all", queue, answer, true)) return false;
  }
  return true;
}

}  // namespace holdfast::simulation
