// A store that holds up one look into a family, once it has seen what is there: for what happens before the
// one who looked goes on.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "support/gated_store.h"

namespace holdfast::testing {

class Pause {
 public:
  explicit Pause(Family family) : family_(family) {}

  // The next look is held up.
  void arm() { phase_ = Phase::kArmed; }
  void wait_until_held() const { phase_.wait(Phase::kArmed); }
  void go_on() {
    phase_ = Phase::kOff;
    phase_.notify_all();
  }

  void looked_into(Family family) {
    Phase armed = Phase::kArmed;
    if (family != family_ || !phase_.compare_exchange_strong(armed, Phase::kHeld)) return;
    phase_.notify_all();
    phase_.wait(Phase::kHeld);
  }

 private:
  enum class Phase : std::uint8_t { kOff, kArmed, kHeld };
  const Family family_;
  std::atomic<Phase> phase_ = Phase::kOff;
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
