// One of many callers: makes calls at random, of all verbs of messages, and has the books say what it was
// promised.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/power/books.h"
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
  Place place;
};

// What the callers of a life hold. For any threads.
class Hand {
 public:
  void add(const Held& held) {
    const std::scoped_lock lock(mutex_);
    held_.push_back(held);
  }
  // Some stay, so that others settle them too.
  std::vector<Held> take(Random& random);

 private:
  std::mutex mutex_;
  std::deque<Held> held_;
};

// What the callers of a life share.
struct Shared {
  Machine& machine;
  Books& books;
  ApplicationFamily rows;
  Hand hand = {};
};

class Caller {
 public:
  // At most `most` calls of it are under way at once.
  Caller(Shared& shared, std::unique_ptr<Way> way, std::uint64_t seed, int most)
      : shared_(shared), books_(shared.books), way_(std::move(way)), random_(seed), most_(most) {}

  // Until the life is over. Calls may be under way then.
  void run();
  // Its broker is closed, which answers every call.
  void await_answers() const;

 private:
  void step();
  void send();
  void receive();
  void settle();
  void commit();

  // A call for each of them, and what it asks for.
  using Calls = std::vector<std::pair<Books::CallId, Durability>>;
  Way::Settles settled(const char* verb, Calls calls, std::optional<Mark> mark = {});
  template <class T>
  bool is_refusal(const char* verb, const Result<T>& answer);
  void took(const std::string& queue, const Result<Deliveries>& deliveries, bool charged);
  std::optional<Durability> any_durability();
  const PowerQueue& any_queue() { return power_queues()[random_.below(2)]; }

  Shared& shared_;
  Books& books_;
  std::unique_ptr<Way> way_;
  Random random_;
  const int most_;
  std::atomic<int> under_way_ = 0;
};

// The number in a body that some caller has made.
std::optional<std::uint64_t> message_in(std::string_view body);

}  // namespace holdfast::testing
