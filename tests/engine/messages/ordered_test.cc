// Ordered queues under random load. No group is ever out of order, in two hands, or blocked by another group.
#include <algorithm>
#include <future>
#include <list>
#include <map>
#include <optional>
#include <set>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kLeaseLength = 20s;
constexpr auto kDelay = 30s;

// Acks, rejects and sends are fsynced, so a power loss takes only leases and releases.
class OrderedTest : public ::testing::TestWithParam<std::uint64_t>, public CrashableEngine {
 protected:
  OrderedTest() : CrashableEngine(GetParam()) {
    must(engine_->create_queue("orders",
                               {.lease = kLeaseLength,
                                .retry = {.max_deliveries = 4},
                                .dead_letters = {.queue = "dlq"},
                                .grouping = {.mode = Grouping::kOrdered}},
                               MissingQueues::kCreate));
    must(engine_->create_queue("synced"));
  }

  struct Held {
    std::string group;
    int number = 0;
    Timestamp until;
  };

  void crash(Crash how) {
    CrashableEngine::crash(how);
    run_due_until_quiet(*engine_, clock_);
    held_.clear();
    delayed_.clear();
    certain_from_ = clock_.now() + kDelay;
    note_deaths();
  }

  void send() {
    std::vector<Message> messages(random_.between(1, 6));
    for (Message& message : messages) {
      message.group = "g" + std::to_string(random_.below(groups_));
      const int number = next_number_++;
      message.body = std::to_string(number);
      order_[message.group].push_back(number);
    }
    for (auto& sent : must(engine_->send_batch("orders", std::move(messages)))) must(std::move(sent));
  }

  void receive() {
    const std::size_t max = random_.one_in(3) ? 100 : random_.between(1, 4);
    const Deliveries deliveries = must(engine_->receive("orders", {.max = max}));
    std::set<std::string> started;
    for (const Delivery& delivery : deliveries) {
      const int number = std::stoi(std::string(delivery.body));
      if (started.insert(delivery.group).second) {
        ASSERT_FALSE(is_held(delivery.group)) << delivery.group << " is in two hands";
        expected_ = order_[delivery.group].begin();
      } else {
        ++expected_;
      }
      ASSERT_NE(expected_, order_[delivery.group].end());
      ASSERT_EQ(number, *expected_) << "group " << delivery.group << " is out of order";
    }
    for (const Delivery& delivery : deliveries) {
      held_[delivery.receipt] = {delivery.group, std::stoi(std::string(delivery.body)),
                                 delivery.lease_expires_at};
    }
    if (deliveries.size() < max) check_all_are_blocked();
  }

  // The receive found nothing more, so each group must have a reason why it is blocked.
  void check_all_are_blocked() {
    if (clock_.now() < certain_from_) return;
    for (const auto& [group, numbers] : order_) {
      if (numbers.empty() || is_held(group)) continue;
      const auto delayed = delayed_.find(numbers.front());
      ASSERT_TRUE(delayed != delayed_.end() && delayed->second > clock_.now()) << group << " is starved";
    }
  }

  bool is_held(const std::string& group) const {
    return std::ranges::any_of(held_, [&](const auto& held) { return held.second.group == group; });
  }

  // Returns a held receipt, which is then not held any more.
  std::optional<std::pair<Receipt, Held>> take() {
    if (held_.empty()) return std::nullopt;
    const auto at = std::next(held_.begin(), static_cast<std::ptrdiff_t>(random_.below(held_.size())));
    const std::pair<Receipt, Held> taken = *at;
    held_.erase(at);
    return taken;
  }

  void settle() {
    const auto taken = take();
    if (!taken) return;
    const auto& [receipt, held] = *taken;
    if (random_.one_in(4)) {
      const bool delay = random_.one_in(2);
      must(engine_->release(receipt, {.delay = delay ? Duration(kDelay) : 0s, .charge = random_.one_in(2)}));
      if (delay) delayed_[held.number] = clock_.now() + kDelay;
    } else if (random_.one_in(8)) {
      must(engine_->reject(receipt, {}));
    } else {
      must(engine_->ack(receipt));
      order_[held.group].remove(held.number);
    }
    note_deaths();
  }

  void pass_time() {
    advance(*engine_, clock_, std::chrono::seconds(random_.between(1, 25)));
    std::erase_if(held_, [&](const auto& held) { return held.second.until <= clock_.now(); });
    note_deaths();
  }

  void note_deaths() {
    std::size_t died = 0;
    for (const DeadLetter& letter : dead_letters()) {
      died += order_[letter.record.group].remove(std::stoi(letter.body));
    }
    // An fsync covers everything before it. So no power loss takes a death that was noted here.
    if (died > 0) must(engine_->send("synced", {}));
  }

  std::vector<DeadLetter> dead_letters() {
    return must(engine_->list_dead_letters("dlq", {.max = 1000, .bodies = true})).items;
  }

  void redrive() {
    const auto letters = dead_letters();
    ASSERT_EQ(must(engine_->redrive("dlq")).moved, letters.size());
    for (const DeadLetter& letter : letters) {
      delayed_.erase(std::stoi(letter.body));
      order_[letter.record.group].push_back(std::stoi(letter.body));
    }
  }

  void step() {
    const std::uint64_t choice = random_.below(100);
    if (choice < 20 && engine_->describe_queue("orders")->counts.ready < 400) {
      send();
    } else if (choice < 50) {
      receive();
    } else if (choice < 85) {
      settle();
    } else if (choice < 93) {
      pass_time();
    } else if (choice < 95) {
      redrive();
    } else if (choice < 97) {
      must(engine_->close());
      open();
    } else {
      crash(random_.one_in(2) ? Crash::kMachine : Crash::kProcess);
    }
  }

  Random random_{GetParam()};
  std::uint64_t groups_ = random_.one_in(3) ? 2 : random_.between(3, 40);

  int next_number_ = 0;
  std::map<std::string, std::list<int>> order_;  // for each group, what is not done, in its order
  std::list<int>::iterator expected_;
  std::map<Receipt, Held> held_;
  std::map<int, Timestamp> delayed_;
  Timestamp certain_from_{};  // earlier, there may be leases and delays from before a crash
};
INSTANTIATE_TEST_SUITE_P(Seeds, OrderedTest,
                         ::testing::Range<std::uint64_t>(1, 1 + environment_count("HOLDFAST_ORDERED_SEEDS",
                                                                                  40)));

TEST_P(OrderedTest, KeepsEachGroupInOrderAndFree) {
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    step();
  }
  // Takes out everything to the last message.
  for (int i = 0; i < 10'000 && !HasFailure(); ++i) {
    if (std::ranges::all_of(order_, [](const auto& group) { return group.second.empty(); })) return;
    receive();
    while (const auto taken = take()) {
      must(engine_->ack(taken->first));
      order_[taken->second.group].remove(taken->second.number);
    }
    pass_time();
  }
  ADD_FAILURE_AT(__FILE__, __LINE__) << "messages are left";
}

TEST(OrderedWait, AWaitingReceiveGetsWhatAnAckFrees) {
  ManualClock clock;
  auto engine = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                             {.clock = &clock, .background = false}));
  must(engine.create_queue("orders", {.grouping = {.mode = Grouping::kOrdered}}));
  must(engine.send("orders", {.body = "1", .group = "a"}));
  must(engine.send("orders", {.body = "2", .group = "a"}));
  const Deliveries first = must(engine.receive("orders"));
  std::vector<std::string> received;
  std::promise<void> arrived;
  engine.async_receive("orders", {.wait = 1h}, [&](Result<Deliveries> deliveries) {
    for (const Delivery& delivery : must(std::move(deliveries))) received.emplace_back(delivery.body);
    arrived.set_value();
  });
  // All ready messages are blocked, so there is nothing to do until the wait or the lease ends.
  EXPECT_GT(engine.run_due(), clock.now());
  must(engine.ack(first[0].receipt));
  arrived.get_future().wait();
  EXPECT_THAT(received, ::testing::ElementsAre("2"));
}

}  // namespace
}  // namespace holdfast::testing
