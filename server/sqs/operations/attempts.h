// Remembers what receives from FIFO queues were answered, for clients that did not get the answer and ask
// again with the same ReceiveRequestAttemptId.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/message.h"
#include "server/http/json/json_values.h"

namespace holdfast::server::sqs {

struct Attempt {
  std::vector<Receipt> receipts;
  Json answer;
};

// Thread-safe. It is kept only in memory, and takes at most kBytes: beyond that the oldest attempts are
// forgotten early.
class Attempts {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void remember(const std::string& queue, const std::string& id, Attempt attempt, Time now);
  std::optional<Attempt> find(const std::string& queue, const std::string& id, Time now);
  // Forgets an attempt whose messages have changed since.
  void forget(const std::string& queue, const std::string& id);

 private:
  using Key = std::pair<std::string, std::string>;
  struct Kept {
    Attempt attempt;
    Time until;
    std::size_t bytes;
  };

  static constexpr std::chrono::minutes kLength{5};
  static constexpr std::size_t kBytes = 16 << 20;

  void remove(std::map<Key, Kept>::iterator kept) HOLDFAST_REQUIRES(mutex_);
  void make_room(std::size_t bytes, Time now) HOLDFAST_REQUIRES(mutex_);

  sync::Mutex mutex_;
  std::map<Key, Kept> kept_ HOLDFAST_GUARDED_BY(mutex_);
  // The attempts, oldest first. Some of them may be gone from kept_ already.
  std::deque<std::pair<Key, Time>> order_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t bytes_ HOLDFAST_GUARDED_BY(mutex_) = 0;
};

}  // namespace holdfast::server::sqs
