#include "client/calls/ack_queue.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/batch_result.h"

namespace holdfast::client {

void AckQueue::add(const Receipt& receipt) {
  {
    const sync::Lock lock(mutex_);
    waiting_.push_back(receipt);
    ++added_;
    if (std::exchange(sending_, true)) return;
  }
  later_([self = shared_from_this()] { self->send_waiting(); });
}

std::vector<AckFailure> AckQueue::flush() {
  sync::Lock lock(mutex_);
  const std::uint64_t so_far = added_;
  while (answered_ < so_far) changed_.wait(lock);
  return std::exchange(failures_, {});
}

void AckQueue::send_waiting() {
  std::vector<Receipt> batch;
  {
    const sync::Lock lock(mutex_);
    const std::size_t count = std::min(waiting_.size(), limits::kBatchEntries);
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    batch.assign(waiting_.begin(), end);
    waiting_.erase(waiting_.begin(), end);
    sending_ = !batch.empty();
  }
  if (batch.empty()) return;
  acknowledge_(batch, [self = shared_from_this(), batch](BatchResult<void> answers) {
    self->note(batch, by_entry(std::move(answers), batch.size()));
    self->send_waiting();
  });
}

void AckQueue::note(const std::vector<Receipt>& receipts, const std::vector<Result<void>>& results) {
  const sync::Lock lock(mutex_);
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    if (results[i] || failures_.size() >= limits::kBatchEntries) continue;
    failures_.push_back({receipts[i], results[i].error()});
  }
  answered_ += receipts.size();
  changed_.notify_all();
}

}  // namespace holdfast::client
