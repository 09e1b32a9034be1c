#include "tests/simulation/world/world.h"

#include <algorithm>
#include <stdexcept>

#include "engine/engine/engine_inside.h"
#include "engine/services/requests.h"
#include "engine/storage/memory/memory_store.h"
#include "tests/simulation/world/ledger.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {

void World::advance(Duration by) {
  constexpr Duration kRounded(1);
  const Timestamp before = engine_->now();
  clock_.advance(by);
  const Duration passed = engine_->now() - before;
  if (passed < by - by / 20 - kRounded || passed > by + by / 20 + kRounded)
    throw Violation("the engine's time went on by " + format_duration(passed) + " in " + format_duration(by));
  least_ += passed;
  most_ += passed;
  lived_ += std::min(passed, Requests::kLongestStep);
}

void World::open() {
  for (;;) {
    auto store = open_store();
    Result<void> outcome;
    if (store) {
      auto engine = EngineInside::open_over(std::move(*store), {.clock = &clock_,
                                                                .background = false,
                                                                .message_cache_bytes = 1,
                                                                .free_space_reserve = kReserve,
                                                                .id_salt = ++openings_,
                                                                .archive = archive_});
      if (engine) {
        engine_.emplace(std::move(*engine));
        least_ = clock_.now();
        most_ = std::max(most_, clock_.now());
        return;
      }
      outcome = tl::unexpected(engine.error());
    } else {
      outcome = tl::unexpected(store.error());
    }
    // The fault may be meant for the opening itself.
    if (outcome.error().code != ErrorCode::kStorageFailed)
      throw std::runtime_error(to_string(outcome.error()));
  }
}

Result<void> World::reopen() {
  if (auto closed = engine_->close(); !closed) return closed;
  engine_.reset();
  open();
  return {};
}

MemoryWorld::MemoryWorld(std::uint64_t seed) : disk_(std::make_shared<MemoryDisk>(seed)) { open(); }

Result<std::unique_ptr<Store>> MemoryWorld::open_store() {
  power_ = testing::power_on();
  return std::make_unique<testing::SwitchedStore>(testing::must(open_memory_store(disk_)), power_);
}

void MemoryWorld::kill() {
  *power_ = false;
  drop_engine();
  open();
}

bool MemoryWorld::cut_power() {
  *power_ = false;
  drop_engine();
  disk_->crash();
  open();
  return false;
}

void MemoryWorld::break_a_write(testing::Random& random) {
  disk_->fail_commit(random.between(1, 4),
                     random.one_in(2) ? CommitOutcome::kFailed : CommitOutcome::kUnknown);
}

// Half of the reserve stays free, for what makes space.
void MemoryWorld::set_full(bool full) {
  constexpr std::size_t kLarge = std::size_t{1} << 40;
  disk_->set_capacity(kLarge);
  if (full) disk_->set_capacity(kLarge - engine().health().free_bytes.value_or(kLarge) + kReserve / 2);
}

}  // namespace holdfast::simulation
