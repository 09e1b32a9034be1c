#include "server/drain.h"

#include <algorithm>

namespace holdfast::server {

void Drain::add_loop(std::shared_ptr<transport::Mailbox> mailbox, std::function<void(bool)> turn) {
  loops_.push_back({std::move(mailbox), std::move(turn)});
}

Result<void> Drain::begin(const DrainOptions& options, By by) {
  const std::lock_guard lock(mutex_);
  if (by == By::kClient && is_final()) return fail(ErrorCode::kClosed, "the server is ending");
  const bool draining = order_.has_value();
  order_ = {.until = std::chrono::steady_clock::now() + options.timeout, .exits = options.exit, .by = by};
  if (!draining) turn_all(true);
  return {};
}

Result<void> Drain::resume() {
  const std::lock_guard lock(mutex_);
  if (is_final()) return fail(ErrorCode::kClosed, "the server is ending");
  if (order_) turn_all(false);
  order_.reset();
  return {};
}

DrainStatus Drain::status() const {
  const std::lock_guard lock(mutex_);
  if (!order_) return {.in_hand = meter_.in_hand};
  const auto left = std::chrono::duration_cast<Duration>(order_->until - std::chrono::steady_clock::now());
  DrainStatus status{.draining = true, .exits = order_->exits, .left = std::max(left, Duration(0))};
  // A loop that has not turned yet may still hand something out.
  const bool turned = *turning_ == 0;
  status.in_hand = in_hand();
  status.over = (turned && status.in_hand == 0) || status.left == Duration(0);
  return status;
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

// A client that lets a lease run out, or settles over a connection that it did not receive over, is counted
// as holding the message still; the engine knows better.
std::uint64_t Drain::in_hand() const {
  const std::uint64_t counted = meter_.in_hand;
  if (counted == 0) return 0;
  const auto queues = engine_.list_queues();
  if (!queues) return 0;
  std::uint64_t leased = 0;
  for (const QueueInfo& queue : *queues) leased += queue.counts.leased;
  return std::min(counted, leased);
}

}  // namespace holdfast::server
