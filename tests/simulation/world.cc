#include "simulation/world.h"

#include <stdexcept>

#include "storage/memory_store.h"
#include "support/result_matchers.h"

namespace holdfast::simulation {

using testing::must;

World::World(std::uint64_t seed) : disk_(std::make_shared<MemoryDisk>(seed)) { open(); }

void World::open() {
  for (;;) {
    power_ = testing::power_on();
    auto store = std::make_unique<testing::SwitchedStore>(must(open_memory_store(disk_)), power_);
    auto engine = Engine::open(
        std::move(store),
        {.clock = &clock_, .background = false, .message_cache_bytes = 1, .id_salt = ++openings_});
    if (engine) {
      engine_.emplace(std::move(*engine));
      return;
    }
    // The commit that is to fail may be the opening's own.
    if (engine.error().code != ErrorCode::kStorageFailed) throw std::runtime_error(to_string(engine.error()));
  }
}

Result<void> World::reopen() {
  if (auto closed = engine_->close(); !closed) return closed;
  engine_.reset();
  open();
  return {};
}

void World::kill() {
  *power_ = false;
  engine_.reset();
  open();
}

void World::cut_power() {
  *power_ = false;
  engine_.reset();
  disk_->crash();
  open();
}

void World::fail_a_commit(testing::Random& random) {
  disk_->fail_commit(random.between(1, 4),
                     random.one_in(2) ? CommitOutcome::kFailed : CommitOutcome::kUnknown);
}

}  // namespace holdfast::simulation
