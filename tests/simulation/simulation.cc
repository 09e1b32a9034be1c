#include "tests/simulation/simulation.h"

#include "tests/simulation/plan.h"

namespace holdfast::simulation {

Simulation::Simulation(std::uint64_t seed, const MakeWorld& make_world, bool breaks)
    : run_(seed, make_world, breaks) {
  declare_queues(run_, recovery_);
  transactions_.declare_family();
}

void Simulation::run(const Steps& steps) {
  work(steps);
  drain();
}

void Simulation::work(const Steps& steps) {
  for (const std::uint64_t number : steps) {
    step(number);
    audit_.audit();
  }
}

void Simulation::step(std::uint64_t number) {
  using Action = void (*)(Simulation&);
  struct Share {
    std::uint64_t of_hundred;
    Action action;
  };
  static constexpr Share kShares[] = {
      {20, [](Simulation& all) { all.send_.send(); }},
      {19, [](Simulation& all) { all.receive_.receive(); }},
      {15, [](Simulation& all) { all.settle_.settle(); }},
      {4, [](Simulation& all) { all.settle_.extend(); }},
      {3, [](Simulation& all) { all.dead_.redrive(); }},
      {3, [](Simulation& all) { all.dead_.redrive_task(); }},
      {2, [](Simulation& all) { all.dead_.triage(); }},
      {2, [](Simulation& all) { all.dead_.discard(); }},
      {7, [](Simulation& all) { all.transactions_.transact(); }},
      {3, [](Simulation& all) { all.repeats_.repeat_send(); }},
      {6, [](Simulation& all) { all.machine_.pass_time(); }},
      {5, [](Simulation& all) { all.machine_.do_due(); }},
      {4, [](Simulation& all) { all.machine_.break_something(); }},
      {1, [](Simulation& all) { all.queues_.look(); }},
      {1, [](Simulation& all) { all.queues_.pause(); }},
      {1, [](Simulation& all) { all.queues_.alter(); }},
      {1, [](Simulation& all) { all.queues_.come_and_go(); }},
      {2, [](Simulation& all) { all.wait_.wait_for_messages(); }},
      {1, [](Simulation& all) { all.transactions_.add_and_drop_family(); }},
  };
  run_.begin(number);
  if (run_.breaks && run_.world->loses_power_often() && run_.random.one_in(10)) return recovery_.lose_power();
  std::uint64_t choice = run_.random.below(100);
  for (const auto& [share, action] : kShares) {
    if (choice < share) return action(*this);
    choice -= share;
  }
}

}  // namespace holdfast::simulation
