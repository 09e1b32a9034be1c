// HeldStore holds up one commit, so that a test sees what others do while it is being written.
#pragma once

#include <memory>
#include <utility>

#include "tests/support/hold.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {

class HeldStore final : public SwitchedStore {
 public:
  HeldStore(std::unique_ptr<Store> store, std::shared_ptr<Hold> hold)
      : SwitchedStore(std::move(store), power_on()), hold_(std::move(hold)) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    hold_->pass();
    return SwitchedStore::commit(batch, durability);
  }

 private:
  std::shared_ptr<Hold> hold_;
};

}  // namespace holdfast::testing
