// Acks that nobody waits for.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "holdfast/delivery_stream.h"

namespace holdfast::client {

// Sends them on a thread of its own, one batch at a time.
class AckQueue {
 public:
  using Acknowledge = std::function<std::vector<Result<void>>(std::span<const Receipt>)>;

  explicit AckQueue(Acknowledge acknowledge) : acknowledge_(std::move(acknowledge)) {}
  // After the last ack is answered.
  ~AckQueue();
  AckQueue(const AckQueue&) = delete;
  AckQueue& operator=(const AckQueue&) = delete;

  void add(const Receipt& receipt);
  // Waits for those so far; the failures since the last call.
  std::vector<AckFailure> flush();

 private:
  void run();

  const Acknowledge acknowledge_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Receipt> waiting_;
  std::uint64_t added_ = 0;
  std::uint64_t answered_ = 0;
  std::vector<AckFailure> failures_;
  bool stopping_ = false;
  std::thread thread_{[this] { run(); }};
};

}  // namespace holdfast::client
