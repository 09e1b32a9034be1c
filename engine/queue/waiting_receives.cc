#include "engine/queue/waiting_receives.h"

#include <algorithm>
#include <utility>

namespace holdfast {

void WaitingReceives::serve_first(LeasedBatch batch) {
  waiters_.front().resolve(std::move(batch));
  waiters_.pop_front();
}

void WaitingReceives::end(Timestamp deadline, const Result<LeasedBatch>& answer) {
  std::erase_if(waiters_, [&](const Waiter& waiter) {
    if (waiter.deadline > deadline) return false;
    waiter.resolve(answer);
    return true;
  });
}

void WaitingReceives::fail(const Error& error) {
  for (const Waiter& waiter : waiters_) waiter.resolve(tl::unexpected(error));
  waiters_.clear();
}

Timestamp WaitingReceives::next_deadline() const {
  Timestamp next = Timestamp::max();
  for (const Waiter& waiter : waiters_) next = std::min(next, waiter.deadline);
  return next;
}

void WaitingReceives::cancel(std::uint64_t token) {
  end_loading(token);
  const auto waiter = std::ranges::find(waiters_, token, &Waiter::token);
  if (waiter == waiters_.end()) return;
  waiter->resolve(LeasedBatch{});
  waiters_.erase(waiter);
}

}  // namespace holdfast
