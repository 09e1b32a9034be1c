// Remembers what receives from FIFO queues were answered, for clients that did not get the answer and ask
// again with the same ReceiveRequestAttemptId. If several ask at the same time, one of them receives, and the
// others wait for its answer.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/sync/mutex.h"
#include "holdfast/message.h"
#include "server/http/json/json_values.h"

namespace holdfast::server::sqs {

struct ReceiveAttempt {
  std::vector<Receipt> receipts;
  Json answer;
};

// Any thread may use it. It is kept only in memory, and takes at most kBytes: beyond that the oldest attempts
// are forgotten early.
class ReceiveAttempts {
  using Key = std::pair<std::string, std::string>;

 public:
  using Time = std::chrono::steady_clock::time_point;

  // Nobody else receives from the queue under the id while this object lives.
  class Turn {
   public:
    Turn(ReceiveAttempts& attempts, Key key) : attempts_(attempts), key_(std::move(key)) {}
    ~Turn() { attempts_.end(key_); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    ReceiveAttempts& attempts_;
    const Key key_;
  };

  // Returns null if somebody else has the turn.
  std::unique_ptr<Turn> take_turn(const std::string& queue, const std::string& id);
  // Calls `tell` once, on any thread, when nobody has the turn. The caller may then try again.
  void when_free(const std::string& queue, const std::string& id, std::function<void()> tell);

  void remember(const std::string& queue, const std::string& id, ReceiveAttempt attempt, Time now);
  std::optional<ReceiveAttempt> find(const std::string& queue, const std::string& id, Time now);
  // Forgets an attempt whose messages have changed since.
  void forget(const std::string& queue, const std::string& id);

 private:
  struct Kept {
    ReceiveAttempt attempt;
    Time until;
    std::size_t bytes;
  };

  static constexpr std::chrono::minutes kLength{5};
  static constexpr std::size_t kBytes = 16 << 20;

  void end(const Key& turn);
  void remove(std::map<Key, Kept>::iterator kept) HOLDFAST_REQUIRES(mutex_);
  void make_room(std::size_t bytes, Time now) HOLDFAST_REQUIRES(mutex_);

  sync::Mutex mutex_;
  std::map<Key, Kept> kept_ HOLDFAST_GUARDED_BY(mutex_);
  // `order_` has the attempts, oldest first. Some of them may be gone from kept_ already.
  std::deque<std::pair<Key, Time>> order_ HOLDFAST_GUARDED_BY(mutex_);
  std::size_t bytes_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // `turns_` says what to call when a turn that somebody has becomes free.
  std::map<Key, std::vector<std::function<void()>>> turns_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace holdfast::server::sqs
