// A store that holds up one look into a family once it has seen what is there, so that a test sees what
// happens before the look goes on.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/support/gated_store.h"
#include "tests/support/hold.h"

namespace holdfast::testing {

class Pause : public Hold {
 public:
  explicit Pause(Family family) : family_(family) {}

  void looked_into(Family family) {
    if (family == family_) pass();
  }

 private:
  const Family family_;
};

class PausedStore final : public GatedStore {
 public:
  PausedStore(std::unique_ptr<Store> store, CommitGate shut, std::shared_ptr<Pause> pause)
      : GatedStore(std::move(store), power_on(), std::move(shut)), pause_(std::move(pause)) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    auto row = GatedStore::get(family, key);
    pause_->looked_into(family);
    return row;
  }
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    auto rows = GatedStore::scan(family, begin, end);
    pause_->looked_into(family);
    return rows;
  }

 private:
  std::shared_ptr<Pause> pause_;
};

}  // namespace holdfast::testing
