// Sends acks that nobody waits for.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "holdfast/delivery_stream.h"

namespace holdfast::client {

// One batch is under way at a time. Further acks are gathered meanwhile.
class AckQueue : public std::enable_shared_from_this<AckQueue> {
 public:
  // Starts the acks and returns; calls `answered` once, on any thread, also if the client is closed.
  using Acknowledge = std::function<void(const std::vector<Receipt>& receipts, BatchCallback<void> answered)>;
  // Has `work` called once, soon: what is added until then leaves together.
  using Later = std::function<void(std::function<void()> work)>;

  AckQueue(Acknowledge acknowledge, Later later)
      : acknowledge_(std::move(acknowledge)), later_(std::move(later)) {}

  void add(const Receipt& receipt);
  // Waits for all acks so far, and returns the failures since the last call. Must be called before the queue
  // is dropped.
  std::vector<AckFailure> flush();

 private:
  void send_waiting();
  void note(const std::vector<Receipt>& receipts, const std::vector<Result<void>>& results);

  const Acknowledge acknowledge_;
  const Later later_;
  sync::Mutex mutex_;
  sync::ConditionVariable changed_;
  std::vector<Receipt> waiting_ HOLDFAST_GUARDED_BY(mutex_);
  bool sending_ HOLDFAST_GUARDED_BY(mutex_) = false;  // a batch is under way or about to be
  std::uint64_t added_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::uint64_t answered_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::vector<AckFailure> failures_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::client
