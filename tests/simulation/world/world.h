// A World is one simulated machine, with an engine, a disk and a clock. It can be killed, lose its power, and
// have its writes fail. It comes back with what the promises leave.
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
  // Stored time, which decides about all waits, lies between now_at_least() and now(). It goes on with the
  // engine's time. From an opening on it may be as late as it ever was, or what the wall clock said.
  Timestamp now_at_least() const { return least_; }
  Timestamp now() const { return most_; }
  Timestamp wall() const { return clock_.now(); }
  // Returns the most time that the engines have seen pass. A process that stands still sees little of it.
  Duration lived() const { return lived_; }
  // Lets time pass. Throws a Violation if it passes too fast or too slowly in the engine.
  void advance(Duration by);
  // Sets the wall clock.
  void set_clock(Duration by) { clock_.step(by); }
  // Returns what retention has written.
  std::vector<DeadLetter> archive() const { return archive_->letters(); }

  Result<void> reopen();    // closes and opens again; kStorageFailed if the close failed
  virtual void kill() = 0;  // lets the process die, while the machine lives
  // Lets the machine die. Returns true if what it left was refused as damaged, and salvage made a directory
  // of it.
  virtual bool cut_power() = 0;
  // Makes something fail that the disk does next.
  virtual void break_a_write(testing::Random& random) = 0;
  // Ends the failures that have started; those that are still to come remain. Returns whether any had
  // started.
  virtual bool mend() { return false; }
  // Does now what a store does for itself.
  virtual void maintain() {}
  // Returns whether runs in this world are meant to lose power often.
  virtual bool loses_power_often() const { return false; }
  // Sets whether less than the reserve is free from now on.
  virtual void set_full(bool /*full*/) {}

 protected:
  // With kStorageFailed, the fault is over, and opening is tried again.
  virtual Result<std::unique_ptr<Store>> open_store() = 0;
  void open();
  // kReserve is the value of free_space_reserve.
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

// MemoryWorld is a machine with the store in memory.
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
