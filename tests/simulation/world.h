// One simulated machine: an engine, its disk, and its clock. It can be killed, lose its power, and have its
// writes fail; it comes back with what the promises leave.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/storage/memory/memory_disk.h"
#include "engine/storage/store.h"
#include "holdfast/engine.h"
#include "tests/support/archive_box.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/switched_store.h"

namespace holdfast::simulation {

class World {
 public:
  virtual ~World() = default;

  Engine& engine() { return *engine_; }
  // Stored time, which all waits go by, lies between these two: it goes on with the engine's time, and from
  // an opening on it may be as late as it ever was, or what the wall clock said.
  Timestamp now_at_least() const { return least_; }
  Timestamp now() const { return most_; }
  Timestamp wall() const { return clock_.now(); }
  // What the engines have seen pass, at most: a process that stands still sees little of it.
  Duration lived() const { return lived_; }
  // Time passes. A Violation if it passes too fast or too slowly in the engine.
  void advance(Duration by);
  // The wall clock is set.
  void set_clock(Duration by) { clock_.step(by); }
  // What retention has written.
  std::vector<DeadLetter> archive() const { return archive_->letters(); }

  Result<void> reopen();    // close, and open again; kStorageFailed if the close failed
  virtual void kill() = 0;  // the process dies, the machine lives
  // The machine dies. True if what it left was refused as damaged, and salvage made a directory of it.
  virtual bool cut_power() = 0;
  // Something that the disk does next fails.
  virtual void break_a_write(testing::Random& random) = 0;
  // What has begun to fail fails no more. What is to fail later stays so. Whether anything had begun to.
  virtual bool mend() { return false; }
  // What a store does for itself, now.
  virtual void maintain() {}
  // What runs over it are for.
  virtual bool loses_power_often() const { return false; }
  // Whether less than the reserve is free from now on.
  virtual void set_full(bool /*full*/) {}

 protected:
  // kStorageFailed: the fault is over, and it is tried again.
  virtual Result<std::unique_ptr<Store>> open_store() = 0;
  void open();
  // What free_space_reserve is.
  static constexpr std::uint64_t kReserve = 1 << 20;
  void drop_engine() { engine_.reset(); }

 private:
  // Refuses some batches, and takes some without saying so.
  const std::shared_ptr<testing::ArchiveBox> archive_ =
      std::make_shared<testing::ArchiveBox>([batches = 0](const auto&, const auto&) mutable {
        using Fate = testing::ArchiveBox::Fate;
        ++batches;
        if (batches % 5 == 3) return Fate::kTakenUnknown;
        return batches % 3 == 1 ? Fate::kRefused : Fate::kTaken;
      });
  testing::ManualClock clock_;
  Timestamp least_ = clock_.now();
  Timestamp most_ = clock_.now();
  Duration lived_{};
  std::uint64_t openings_ = 0;
  std::optional<Engine> engine_;
};

// Over the store in memory.
class MemoryWorld final : public World {
 public:
  explicit MemoryWorld(std::uint64_t seed);

  void kill() override;
  bool cut_power() override;
  void break_a_write(testing::Random& random) override;
  void set_full(bool full) override;

 private:
  Result<std::unique_ptr<Store>> open_store() override;

  std::shared_ptr<MemoryDisk> disk_;
  testing::PowerSwitch power_;
};

}  // namespace holdfast::simulation
