// The class is part of holdfast/event.h.
#include <utility>

#include "engine/policies/subscriber.h"
#include "holdfast/event.h"

namespace holdfast {

Subscription::Subscription() = default;
Subscription::Subscription(std::shared_ptr<Subscriber> subscriber) : subscriber_(std::move(subscriber)) {}
Subscription::Subscription(Subscription&&) noexcept = default;

Subscription& Subscription::operator=(Subscription&& other) noexcept {
  if (this != &other && subscriber_) subscriber_->cancel();
  subscriber_ = std::move(other.subscriber_);
  return *this;
}

Subscription::~Subscription() {
  if (subscriber_) subscriber_->cancel();
}

}  // namespace holdfast
