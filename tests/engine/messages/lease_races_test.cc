// Threads receive and settle while leases run out. A message has one holder at a time. A delivery is over
// once it is settled, or once a later delivery of its message is handed out. From then on its receipt settles
// nothing. Until the end of its lease the receipt settles the message, unless another call was about to end
// the delivery.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/transaction.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kThreads = 4;
constexpr std::size_t kMessages = 40;
constexpr std::size_t kCallsPerThread = 400;
constexpr std::size_t kRecent = 60;  // how many deliveries threads choose from
constexpr Duration kLease = 10ms;

// When a call was under way, in ticks that all threads share.
struct Span {
  std::uint64_t began = 0;
  std::uint64_t returned = 0;
};

struct Delivered {
  Receipt receipt;
  MessageId message;
  std::uint32_t deliveries = 0;
  bool started = true;
  Timestamp until{};
  Span span = {};
};

// kCommitAck and kCommitRelease are transactions.
enum class Verb : std::uint8_t { kAck, kRelease, kReject, kExtend, kStart, kCommitAck, kCommitRelease };

bool takes_out(Verb verb) { return verb == Verb::kAck || verb == Verb::kReject || verb == Verb::kCommitAck; }
bool ends(Verb verb) { return takes_out(verb) || verb == Verb::kRelease || verb == Verb::kCommitRelease; }

struct Call {
  Receipt receipt;
  Verb verb = Verb::kAck;
  bool succeeded = false;
  Timestamp returned_at{};
  Span span = {};
  bool ended() const { return succeeded && ends(verb); }
};

struct Witness {
  std::vector<Delivered> deliveries;
  std::vector<Call> calls;
};

class Race {
 public:
  explicit Race(std::uint64_t seed)
      : seed_(seed),
        engine_(
            must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(seed))),
                                         {.clock = &clock_, .background = false, .free_space_reserve = 0}))) {
    must(engine_.create_queue(
        "orders", {.lease = kLease, .retry = {.max_deliveries = 1000}, .dead_letters = {.queue = "dead"}},
        MissingQueues::kCreate));
    must(engine_.create_queue("committed"));
    must(engine_.send_batch("orders", std::vector<Message>(kMessages, {.body = "x"})));
  }

  Witness run() {
    std::vector<Witness> seen(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads.emplace_back([this, i, &witness = seen[i]] {
        Random random(seed_ * kThreads + i);
        for (std::size_t n = 0; n < kCallsPerThread; ++n) act(random, witness);
      });
    }
    for (std::thread& thread : threads) thread.join();
    Witness all;
    for (const Witness& one : seen) {
      all.deliveries.insert(all.deliveries.end(), one.deliveries.begin(), one.deliveries.end());
      all.calls.insert(all.calls.end(), one.calls.begin(), one.calls.end());
    }
    return all;
  }

  std::uint64_t messages_in(const std::string& queue) {
    const QueueCounts counts = must(engine_.describe_queue(queue)).counts;
    return counts.ready + counts.waiting + counts.leased;
  }

 private:
  void act(Random& random, Witness& witness) {
    const std::uint64_t choice = random.below(10);
    if (choice < 2) return receive(random, witness);
    if (choice > 2) return settle(random, witness);
    clock_.advance(std::chrono::milliseconds(random.between(1, 4)));
    engine_.run_due();
  }

  void receive(Random& random, Witness& witness) {
    const bool started = random.one_in(2);
    Span span{.began = ++ticks_};
    const Deliveries deliveries =
        must(engine_.receive("orders", {.max = random.between(1, 5), .prefetch = !started}));
    span.returned = ++ticks_;
    const std::scoped_lock lock(mutex_);
    for (const Delivery& delivery : deliveries) {
      witness.deliveries.push_back(
          {delivery.receipt, delivery.id, delivery.deliveries, started, delivery.lease_expires_at, span});
      recent_.push_back(delivery.receipt);
    }
    if (recent_.size() > kRecent) recent_.erase(recent_.begin(), recent_.end() - kRecent);
  }

  std::optional<Receipt> any_receipt(Random& random) {
    const std::scoped_lock lock(mutex_);
    if (recent_.empty()) return std::nullopt;
    return random.pick(recent_);
  }

  void settle(Random& random, Witness& witness) {
    const auto receipt = any_receipt(random);
    if (!receipt) return;
    Call call{.receipt = *receipt, .verb = any_verb(random)};
    call.span.began = ++ticks_;
    call.succeeded = settle(call.receipt, call.verb).has_value();
    call.returned_at = clock_.now();
    call.span.returned = ++ticks_;
    witness.calls.push_back(call);
  }

  // Draws a verb, in most cases one after which the message comes again.
  static Verb any_verb(Random& random) {
    static const std::vector<Verb> rare{Verb::kAck, Verb::kReject, Verb::kCommitAck};
    static const std::vector<Verb> frequent{Verb::kExtend, Verb::kStart, Verb::kRelease,
                                            Verb::kCommitRelease};
    return random.pick(random.one_in(12) ? rare : frequent);
  }

  Result<void> settle(const Receipt& receipt, Verb verb) {
    switch (verb) {
      case Verb::kAck:
        return engine_.ack(receipt);
      case Verb::kRelease:
        return engine_.release(receipt);
      case Verb::kReject:
        return engine_.reject(receipt, {});
      case Verb::kStart:
        return engine_.start(receipt);
      case Verb::kCommitAck:
        return commit(Transaction().ack(receipt));
      case Verb::kCommitRelease:
        return commit(Transaction().release(receipt));
      case Verb::kExtend:
        break;
    }
    return engine_.extend(receipt, kLease);
  }

  Result<void> commit(Transaction transaction) {
    transaction.send("committed", {.body = "x"});
    const auto done = engine_.commit(std::move(transaction));
    return done ? Result<void>() : tl::unexpected(done.error());
  }

  const std::uint64_t seed_;
  ManualClock clock_;
  Engine engine_;
  std::atomic<std::uint64_t> ticks_ = 0;
  std::mutex mutex_;
  std::vector<Receipt> recent_;
};

// `next` is a later delivery of the message, which is the following one if it was charged. It is null if
// there was none.
void check(const Delivered& delivered, const Delivered* next, const std::vector<Call>& calls) {
  const auto end = std::ranges::find_if(calls, &Call::ended);
  const bool has_end = end != calls.end();
  EXPECT_LE(std::ranges::count_if(calls, &Call::ended), 1) << "two calls ended one delivery";
  if (has_end && takes_out(end->verb)) {
    EXPECT_EQ(next, nullptr) << "a message was handed out after it had left the queue";
  }
  for (const Call& call : calls) {
    const bool was_over = (has_end && call.span.began > end->span.returned) ||
                          (next != nullptr && call.span.began > next->span.returned);
    const bool may_end = (has_end && call.span.returned > end->span.began) ||
                         (next != nullptr && call.span.returned > next->span.began);
    if (was_over) {
      EXPECT_FALSE(call.succeeded) << "a receipt settled what was over";
    } else if (!may_end && call.returned_at < delivered.until) {
      EXPECT_TRUE(call.succeeded) << "a valid receipt was refused";
    }
  }
}

TEST(LeaseRaces, AMessageHasOneHolder) {
  std::size_t deliveries = 0;  // how many were charged
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Race race(seed);
    const Witness seen = race.run();

    std::map<Receipt, std::vector<Call>> calls;
    for (const Call& call : seen.calls) calls[call.receipt].push_back(call);
    const auto is_charged = [&](const Delivered& delivered) {
      return delivered.started || std::ranges::any_of(calls[delivered.receipt], [](const Call& call) {
               return call.succeeded && call.verb == Verb::kStart;
             });
    };
    std::map<MessageId, std::map<std::uint32_t, const Delivered*>> charged;
    for (const Delivered& delivered : seen.deliveries) {
      if (!is_charged(delivered)) continue;
      const bool is_new = charged[delivered.message].emplace(delivered.deliveries, &delivered).second;
      EXPECT_TRUE(is_new) << "a delivery was counted once and handed out twice";
    }
    for (const Delivered& delivered : seen.deliveries) {
      // A delivery that was never started is followed by deliveries with the same number.
      const auto& later = charged[delivered.message];
      const auto next = later.lower_bound(delivered.deliveries + (is_charged(delivered) ? 1 : 0));
      check(delivered, next == later.end() ? nullptr : next->second, calls[delivered.receipt]);
    }
    for (const auto& [message, by_number] : charged) {
      EXPECT_TRUE(by_number.empty() || by_number.rbegin()->first == by_number.size())
          << "a delivery was counted that nobody started";
      deliveries += by_number.size();
    }
    const auto succeeded = [&](Verb verb) {
      return static_cast<std::uint64_t>(std::ranges::count_if(
          seen.calls, [verb](const Call& call) { return call.succeeded && call.verb == verb; }));
    };
    const std::uint64_t acked = succeeded(Verb::kAck) + succeeded(Verb::kCommitAck);
    EXPECT_EQ(race.messages_in("orders"), kMessages - acked - succeeded(Verb::kReject));
    EXPECT_EQ(race.messages_in("dead"), succeeded(Verb::kReject));
    EXPECT_EQ(race.messages_in("committed"), succeeded(Verb::kCommitAck) + succeeded(Verb::kCommitRelease));
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(deliveries, 1000U) << "hardly anything was handed out again";
}

}  // namespace
}  // namespace holdfast::testing
