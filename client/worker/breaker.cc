#include "client/worker/breaker.h"

#include <algorithm>

#include "client/worker/backoff.h"

namespace holdfast::worker {

Breaker::State Breaker::state(Timestamp time) const {
  if (opened_ == 0) return State::kClosed;
  return time < until_ ? State::kOpen : State::kTrying;
}

Duration Breaker::pause() const { return backoff(pause_, pause_max_, std::max<std::uint64_t>(opened_, 1)); }

void Breaker::succeeded(Timestamp time) {
  if (state(time) == State::kOpen) return;
  failures_ = 0;
  opened_ = 0;
}

bool Breaker::failed(Timestamp time) {
  if (after_ == 0 || state(time) == State::kOpen) return false;
  if (++failures_ < after_) return false;
  ++opened_;
  until_ = time + pause();
  return true;
}

}  // namespace holdfast::worker
