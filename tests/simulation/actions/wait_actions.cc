#include "tests/simulation/actions/wait_actions.h"

namespace holdfast::simulation {

// Takes all ready messages first, so that the receive waits whatever the engine's threads do.
void WaitActions::wait_for_messages() {
  const Subject& queue = run_.any_queue(run_.random.one_in(5));
  if (!beside_.receive.receive_all(queue)) return;
  const auto token = waiting_.start(queue);
  run_.note("a receive waits", queue.name);
  switch (run_.random.below(3)) {
    case 0:
      queue.dead_letters ? beside_.settle.settle() : beside_.send.send_to(queue);
      break;
    case 1:
      beside_.settle.settle();
      break;
    default:
      beside_.machine.pass_time();
      beside_.machine.do_due();
      break;
  }
  if (!waiting_.waits()) return;
  run_.world->engine().cancel_receive(token);
  if (!waiting_.end_wait()) recovery_.recover();
}

}  // namespace holdfast::simulation
