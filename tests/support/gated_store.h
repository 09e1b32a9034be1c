// GatedStore is a store with a gate in front of its commits. While the gate is shut, they wait.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "tests/support/switched_store.h"

namespace holdfast::testing {

using CommitGate = std::shared_ptr<std::atomic<bool>>;  // true: the gate is shut

inline CommitGate open_gate() { return std::make_shared<std::atomic<bool>>(false); }

class GatedStore : public SwitchedStore {
 public:
  GatedStore(std::unique_ptr<Store> store, PowerSwitch power, CommitGate shut)
      : SwitchedStore(std::move(store), std::move(power)), shut_(std::move(shut)) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    shut_->wait(true);
    return SwitchedStore::commit(batch, durability);
  }

 private:
  CommitGate shut_;
};

}  // namespace holdfast::testing
