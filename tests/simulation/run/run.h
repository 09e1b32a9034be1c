// All parts of a simulation share one Run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "holdfast/message.h"
#include "tests/simulation/run/event_record.h"
#include "tests/simulation/run/mark.h"
#include "tests/simulation/run/subject.h"
#include "tests/simulation/world/ledger.h"
#include "tests/simulation/world/reasons.h"
#include "tests/simulation/world/turns.h"
#include "tests/simulation/world/world.h"
#include "tests/support/random.h"

namespace holdfast::simulation {

using MakeWorld = std::function<std::unique_ptr<World>(std::uint64_t seed)>;

struct Run {
  Run(std::uint64_t seed, const MakeWorld& make_world, bool breaks);
  Run(const Run&) = delete;  // its parts refer to it
  Run& operator=(const Run&) = delete;

  // Seeds the random source for a step. The plan is drawn from the seed itself.
  void begin(std::uint64_t number);

  const Subject& any_queue(bool dead_letters);
  // Returns a wait, mostly within the window, and now and then beyond its horizon.
  Duration any_wait();
  Message any_message(const Subject& queue);

  void mark(Mark what, bool reached = true) {
    if (reached) marks.set(static_cast<std::size_t>(what));
  }
  template <class... Parts>
  void note(const Parts&... parts) {
    record.add(step, parts...);
  }

  const std::uint64_t seed;
  testing::Random random;
  const std::unique_ptr<World> world;
  const bool breaks;  // the simulation itself lets writes fail, and processes and machines die
  Ledger ledger;
  Turns turns{ledger};
  Reasons reasons;
  EventRecord record;
  Marks marks;
  std::vector<Subject> queues;
  std::uint64_t step = 0;
  std::uint64_t bodies = 0;
  bool full = false;  // the disk has less than the reserve
};

}  // namespace holdfast::simulation
