// This header declares one of many callers. It makes calls at random, of all verbs of messages, and tells the
// ledger what it was promised.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/power/promise_ledger.h"
#include "tests/power/ways.h"
#include "tests/support/random.h"

namespace holdfast::testing {

struct PowerQueue {
  std::string name;
  QueueOptions options;
};
const std::vector<PowerQueue>& power_queues();

struct Held {
  Receipt receipt;
  std::uint64_t message;
  MessageLife life;
};

// HeldReceipts are what the callers of a life hold. Any thread may use them.
class HeldReceipts {
 public:
  void add(const Held& held) {
    const std::scoped_lock lock(mutex_);
    held_.push_back(held);
  }
  // Takes some receipts. Some of them stay, so that other callers settle them too.
  std::vector<Held> take(Random& random);

 private:
  std::mutex mutex_;
  std::deque<Held> held_;
};

// The callers of a life share one Shared.
struct Shared {
  Machine& machine;
  PromiseLedger& ledger;
  ApplicationFamily rows;
  HeldReceipts receipts = {};
};

class PowerCaller {
 public:
  // The caller has at most `most` calls under way at once.
  PowerCaller(Shared& shared, std::unique_ptr<Way> way, std::uint64_t seed, int most)
      : shared_(shared), ledger_(shared.ledger), way_(std::move(way)), random_(seed), most_(most) {}

  // Makes calls until the life is over. Calls may still be under way then.
  void run();
  // Waits for all answers. Requires that the broker is closed, which answers every call.
  void await_answers() const;

 private:
  void step();
  void send();
  void receive();
  void settle();
  void commit();

  // One call for each receipt, with the durability that it asks for.
  using Calls = std::vector<std::pair<PromiseLedger::CallId, Durability>>;
  Way::Settles settled(const char* verb, Calls calls, std::optional<Mark> mark = {});
  template <class T>
  bool is_refusal(const char* verb, const Result<T>& answer);
  void took(const std::string& queue, const Result<Deliveries>& deliveries, bool charged);
  std::optional<Durability> any_durability();
  const PowerQueue& any_queue() { return power_queues()[random_.below(2)]; }

  Shared& shared_;
  PromiseLedger& ledger_;
  std::unique_ptr<Way> way_;
  Random random_;
  const int most_;
  std::atomic<int> under_way_ = 0;
};

// Returns the number in a body that a caller has made.
std::optional<std::uint64_t> message_in(std::string_view body);

}  // namespace holdfast::testing
