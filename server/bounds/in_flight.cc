#include "server/bounds/in_flight.h"
#include "engine/engine/engine_inside.h"

#include <algorithm>
#include <utility>

namespace holdfast::server {

void ConnectionInFlight::add(const Engine& engine, std::span<const Receipt> receipts) {
  const sync::Lock lock(mutex_);
  if (receipts_.size() >= ask_at_) forget_those_over(engine);
  receipts_.insert(receipts_.end(), receipts.begin(), receipts.end());
}

std::size_t ConnectionInFlight::count(const Engine& engine) {
  const sync::Lock lock(mutex_);
  forget_those_over(engine);
  return receipts_.size();
}

void ConnectionInFlight::forget_those_over(const Engine& engine) {
  if (receipts_.empty()) return;
  receipts_ = EngineInside::leased(engine, receipts_).value_or(std::vector<Receipt>());
  ask_at_ = std::max(kAskAt, 2 * receipts_.size());
}

std::shared_ptr<ConnectionInFlight> InFlight::open() {
  const sync::Lock lock(mutex_);
  std::erase_if(connections_, [](const std::weak_ptr<ConnectionInFlight>& one) { return one.expired(); });
  auto one = std::make_shared<ConnectionInFlight>();
  connections_.push_back(one);
  return one;
}

std::size_t InFlight::count(const Engine& engine) const {
  std::vector<std::shared_ptr<ConnectionInFlight>> all;
  {
    const sync::Lock lock(mutex_);
    for (const auto& weak : connections_) {
      if (auto one = weak.lock()) all.push_back(std::move(one));
    }
  }
  std::size_t sum = 0;
  for (const auto& one : all) sum += one->count(engine);
  return sum;
}

}  // namespace holdfast::server
