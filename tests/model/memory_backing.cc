// The engine under the model test on a disk in memory, where a crash loses what was not synced.
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "tests/model/backing.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

class MemoryBacking final : public Backing {
 public:
  explicit MemoryBacking(std::uint64_t seed) : disk_(std::make_shared<MemoryDisk>(seed)) {}

  // The cache is as small as possible, so that bodies come from the store.
  Engine open(const Clock& clock) override {
    power_ = power_on();
    auto store = std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_);
    return must(EngineInside::open_over(std::move(store),
                                        {.clock = &clock, .background = false, .message_cache_bytes = 1}));
  }

  void crash(std::optional<Engine>& engine) override {
    cut_power();
    engine.reset();
    disk_->crash();
  }

  bool can_crash() const override { return true; }
  bool loses_unsynced() const override { return true; }
  void cut_power() override { *power_ = false; }

 private:
  std::shared_ptr<MemoryDisk> disk_;
  PowerSwitch power_;
};

}  // namespace

std::unique_ptr<Backing> make_memory_backing(std::uint64_t seed) {
  return std::make_unique<MemoryBacking>(seed);
}

}  // namespace holdfast::testing
