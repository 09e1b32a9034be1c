#include "server/delivery/server_drain.h"

#include <algorithm>

namespace holdfast::server {

void Drain::add_loop(std::shared_ptr<transport::Mailbox> mailbox, std::function<void(bool)> turn) {
  const sync::Lock lock(mutex_);
  loops_.push_back({std::move(mailbox), std::move(turn)});
}

Result<void> Drain::begin(const DrainOptions& options, By by) {
  const sync::Lock lock(mutex_);
  if (by == By::kClient && is_final()) return fail(ErrorCode::kClosed, "the server is ending");
  const bool draining = order_.has_value();
  order_ = {.until = std::chrono::steady_clock::now() + options.timeout, .exits = options.exit, .by = by};
  if (!draining) turn_all(true);
  return {};
}

Result<void> Drain::resume() {
  const sync::Lock lock(mutex_);
  if (is_final()) return fail(ErrorCode::kClosed, "the server is ending");
  if (order_) turn_all(false);
  order_.reset();
  return {};
}

DrainStatus Drain::status() const {
  const sync::Lock lock(mutex_);
  return last_ ? *last_ : status_now();
}

// A closed engine knows of no deliveries, so this is the last moment to ask it.
void Drain::stop() {
  const sync::Lock lock(mutex_);
  if (last_) return;
  last_ = status_now();
  last_->draining = last_->exits = last_->over = true;
}

void Drain::end(const Result<void>& closed) {
  const sync::Lock lock(mutex_);
  last_->ended = true;
  if (!closed) failure_ = closed.error();
}

std::optional<Error> Drain::failure() const {
  const sync::Lock lock(mutex_);
  return failure_;
}

DrainStatus Drain::status_now() const {
  if (!order_) return {.in_flight = meter_.in_flight.count(engine_)};
  const auto left = std::chrono::duration_cast<Duration>(order_->until - std::chrono::steady_clock::now());
  DrainStatus status{.draining = true, .exits = order_->exits, .left = std::max(left, Duration(0))};
  // A loop that has not turned yet may still hand something out.
  const bool turned = *turning_ == 0;
  status.in_flight = meter_.in_flight.count(engine_);
  status.over = (turned && status.in_flight == 0) || status.left == Duration(0);
  return status;
}

void Drain::told(const void* who, const DrainStatus& status) {
  const sync::Lock lock(mutex_);
  if (status.draining && !status.over) {
    following_.insert(who);
  } else {
    following_.erase(who);
  }
}

void Drain::forget(const void* who) {
  const sync::Lock lock(mutex_);
  following_.erase(who);
}

bool Drain::is_known() const {
  const sync::Lock lock(mutex_);
  return following_.empty();
}

void Drain::turn_all(bool draining) {
  meter_.draining = draining;
  for (const Loop& loop : loops_) {
    ++*turning_;
    const bool posted = loop.mailbox->post([turn = loop.turn, turning = turning_, draining] {
      turn(draining);
      --*turning;
    });
    if (!posted) --*turning_;
  }
}

}  // namespace holdfast::server
