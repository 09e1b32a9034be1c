// KillingStore is a store that kills its own process at a named point.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "tests/support/switched_store.h"

namespace holdfast::testing {

enum class KillPoint : std::uint8_t {
  kBeforeCommit,  // everything is ready to be written
  kAfterCommit,   // it is written, and nobody has been told
  kAfterFsync,    // a commit that is fsynced is written, and nobody has been told
  kAfterFamily,   // a family of the application is made, and nobody has been told
};

// Reads "before_commit", "after_commit", "after_fsync" or "after_family".
inline std::optional<KillPoint> parse_kill_point(std::string_view name) {
  if (name == "before_commit") return KillPoint::kBeforeCommit;
  if (name == "after_commit") return KillPoint::kAfterCommit;
  if (name == "after_fsync") return KillPoint::kAfterFsync;
  if (name == "after_family") return KillPoint::kAfterFamily;
  return std::nullopt;
}

class KillingStore final : public SwitchedStore {
 public:
  // Kills the process when `point` is reached for the `nth` time.
  KillingStore(std::unique_ptr<Store> store, KillPoint point, std::uint64_t nth)
      : SwitchedStore(std::move(store), power_on()), point_(point), left_(nth) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    if (point_ == KillPoint::kBeforeCommit) reached();
    CommitResult result = SwitchedStore::commit(batch, durability);
    const bool synced = durability == Durability::kFsync;
    if (point_ == KillPoint::kAfterCommit || (point_ == KillPoint::kAfterFsync && synced)) reached();
    return result;
  }
  Result<void> create_family(Family family) override {
    Result<void> result = SwitchedStore::create_family(family);
    if (point_ == KillPoint::kAfterFamily) reached();
    return result;
  }

 private:
  void reached() {
    if (--left_ == 0) (void)std::raise(SIGKILL);
  }

  const KillPoint point_;
  std::atomic<std::uint64_t> left_;
};

}  // namespace holdfast::testing
