#include "server/bounds/hands.h"

#include <algorithm>
#include <utility>

namespace holdfast::server {

void Hand::add(const Engine& engine, std::span<const Delivery> deliveries) {
  const std::lock_guard lock(mutex_);
  if (receipts_.size() >= ask_at_) forget_those_over(engine);
  for (const Delivery& delivery : deliveries) receipts_.push_back(delivery.receipt);
}

std::size_t Hand::count(const Engine& engine) {
  const std::lock_guard lock(mutex_);
  forget_those_over(engine);
  return receipts_.size();
}

void Hand::forget_those_over(const Engine& engine) {
  if (receipts_.empty()) return;
  receipts_ = engine.leased(receipts_).value_or(std::vector<Receipt>());
  ask_at_ = std::max(kAskAt, 2 * receipts_.size());
}

std::shared_ptr<Hand> Hands::open() {
  const std::lock_guard lock(mutex_);
  std::erase_if(hands_, [](const std::weak_ptr<Hand>& hand) { return hand.expired(); });
  auto hand = std::make_shared<Hand>();
  hands_.push_back(hand);
  return hand;
}

std::size_t Hands::count(const Engine& engine) const {
  std::vector<std::shared_ptr<Hand>> hands;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& weak : hands_) {
      if (auto hand = weak.lock()) hands.push_back(std::move(hand));
    }
  }
  std::size_t sum = 0;
  for (const auto& hand : hands) sum += hand->count(engine);
  return sum;
}

}  // namespace holdfast::server
