#include "tests/simulation/actions/machine_actions.h"

#include <algorithm>

#include "engine/services/requests.h"
#include "tests/support/engine_time.h"

namespace holdfast::simulation {

// Lets the process stand still for longer than clients repeat calls. Often the process is started anew after
// that.
void MachineActions::stand_still() {
  run_.world->advance(std::chrono::minutes(run_.random.between(1, 60)));
  run_.note("the process stood still, it is",
            format_duration(run_.world->now_at_least() - testing::kTestEpoch));
  repeats_.stood_still();
  run_.world->engine().run_due();  // this notices the standstill
  if (!run_.random.one_in(2)) return;
  run_.breaks ? recovery_.lose_process() : recovery_.reopen();
}

// Lets minutes pass while the process runs and sees them pass.
void MachineActions::idle() {
  run_.note("nobody calls for some minutes");
  for (std::uint64_t looks = run_.random.between(1, 80); looks > 0; --looks) {
    run_.world->advance(Requests::kLongestStep * 9 / 10);
    run_.world->engine().run_due();
  }
}

void MachineActions::pass_time() {
  // A waiting receive may have been given messages, whose leases would end before anybody looks.
  if (!waiting_.waits() && run_.random.one_in(30)) return stand_still();
  if (!waiting_.waits() && run_.random.one_in(60)) return idle();
  if (run_.random.one_in(20)) {
    const auto by =
        std::chrono::milliseconds(run_.random.between(1, run_.random.one_in(10) ? 10'000'000 : 20'000));
    // The clock goes forward more often than back, so that openings decide about the time that is stored.
    const bool back = run_.random.one_in(3);
    run_.note("the clock is set", back ? "back by" : "forward by", format_duration(by));
    run_.mark(Mark::kClockSet);
    return run_.world->set_clock(back ? -by : by);
  }
  run_.world->advance(std::chrono::milliseconds(run_.random.one_in(10) ? run_.random.between(1000, 100'000)
                                                                       : run_.random.between(0, 500)));
  run_.note("time passes, it is", format_duration(run_.world->now_at_least() - testing::kTestEpoch));
}

void MachineActions::do_due() {
  run_.note("what is due");
  const Timestamp next = run_.world->engine().run_due();
  if (!waiting_.waits()) check_asks_in_time(next);
  if (run_.random.one_in(4)) run_.world->maintain();
}

// Checks that no lease and no delay ends before the engine asks to be called again, by the wall clock at
// `next`. What could not be read holds up its neighbours for a second.
void MachineActions::check_asks_in_time(Timestamp next) {
  constexpr Duration kPause = std::chrono::seconds(1);
  Engine& engine = run_.world->engine();
  const Duration to_wall = run_.world->wall() - engine.now();
  for (const Subject& queue : run_.queues) {
    for (const bool scheduled : {false, true}) {
      const auto page = engine.peek(queue.name, {.scheduled = scheduled});
      if (!page) return;  // the step after this one meets the error
      for (const PeekedMessage& message : page->items) {
        if (message.due && next > std::max(*message.due + to_wall, run_.world->wall()) + kPause)
          throw Violation(queue.name + ": something is due before run_due() wants to be called again");
      }
    }
  }
}

void MachineActions::break_something() {
  if (run_.random.one_in(4)) {
    run_.full = !run_.full;
    run_.note(run_.full ? "the disk is full" : "the disk has space");
    return run_.world->set_full(run_.full);
  }
  if (!run_.breaks) return recovery_.reopen();
  switch (run_.random.below(4)) {
    case 0:
      return recovery_.reopen();
    case 1:
      run_.note("a write will fail");
      return run_.world->break_a_write(run_.random);
    default:
      return recovery_.die();
  }
}

}  // namespace holdfast::simulation
