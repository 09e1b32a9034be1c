// One simulated machine: an engine over the store in memory, its disk, and its clock. It can be killed, lose
// its power, and have its writes fail; it comes back with what the promises leave.
#pragma once

#include <memory>
#include <optional>

#include "holdfast/engine.h"
#include "storage/memory_disk.h"
#include "support/manual_clock.h"
#include "support/random.h"
#include "support/switched_store.h"

namespace holdfast::simulation {

class World {
 public:
  explicit World(std::uint64_t seed);

  Engine& engine() { return *engine_; }
  Timestamp now() const { return clock_.now(); }
  void advance(Duration by) { clock_.advance(by); }

  Result<void> reopen();  // close, and open again; kStorageFailed if the close failed
  void kill();            // the process dies, the machine lives
  void cut_power();       // the machine dies
  // One of the next commits fails.
  void fail_a_commit(testing::Random& random);

 private:
  void open();

  std::shared_ptr<MemoryDisk> disk_;
  testing::ManualClock clock_;
  testing::PowerSwitch power_;
  std::uint64_t openings_ = 0;
  std::optional<Engine> engine_;
};

}  // namespace holdfast::simulation
