// Priorities under random load, compared with a model of a few lines.
#include <algorithm>
#include <map>
#include <tuple>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class PriorityTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  PriorityTest() {
    open();
    must(engine_->create_queue("jobs", {.lease = 1h,
                                        .durability = Durability::kBuffered,
                                        .expiry = {.policy = ExpiryPolicy::kDrop},
                                        .priority = {.levels = levels_, .aging = aging_}}));
  }

  void open() {
    engine_.emplace(must(EngineInside::open_over(
        must(open_memory_store(disk_)), {.clock = &clock_, .background = false, .message_cache_bytes = 1})));
  }

  void send() {
    // All messages of the batch have one priority, so that they share a chunk.
    const std::uint32_t priority = priority_of(random_.below(levels_));
    std::vector<Message> messages(random_.between(1, 3));
    for (Message& message : messages) {
      message.body = std::to_string(next_);
      message.priority = priority;
      Timestamp end = Timestamp::max();
      if (random_.one_in(3)) {
        message.time_to_live = std::chrono::seconds(random_.between(1, 60));
        end = clock_.now() + *message.time_to_live;
      }
      ready_.emplace(next_++, Sent{priority, clock_.now(), end, false});
    }
    for (const auto& sent : must(engine_->send_batch("jobs", messages))) must(sent);
  }

  // Draws a priority. Low ones are rarer, so that they meet a crowd.
  std::uint32_t priority_of(std::uint64_t level) {
    return static_cast<std::uint32_t>(random_.one_in(3) ? level
                                                        : std::max<std::uint64_t>(level, levels_ / 2));
  }

  struct Sent {
    std::uint32_t priority;
    Timestamp at;
    Timestamp expires_at;
    bool returned;  // goes before what was never handed out
  };

  void pass(Duration time) {
    advance(*engine_, clock_, time);
    std::erase_if(ready_, [&](const auto& each) { return each.second.expires_at <= clock_.now(); });
  }

  // Returns what must be handed out next: the first message of the lane whose turn it is.
  int expected() const {
    const auto head_first = [&](int number) {
      const Sent& sent = ready_.at(number);
      return std::tuple(sent.priority, !sent.returned, number);
    };
    std::map<std::uint32_t, int> heads;
    for (const auto& [number, sent] : ready_) {
      const auto [head, added] = heads.emplace(sent.priority, number);
      if (!added && head_first(number) < head_first(head->second)) head->second = number;
    }
    const auto rank = [&](const auto& head) {
      const Duration back = aging_ * static_cast<Duration::rep>(head.first);
      const Timestamp time = aging_ > Duration{0} ? ready_.at(head.second).at - back : Timestamp{};
      return std::pair(time, -static_cast<std::int64_t>(head.first));
    };
    return std::ranges::min_element(heads, {}, rank)->second;
  }

  void receive() {
    const std::size_t max = random_.between(1, 5);
    const Deliveries deliveries = must(engine_->receive("jobs", {.max = max}));
    ASSERT_EQ(deliveries.size(), std::min(max, ready_.size()));
    for (const Delivery& delivery : deliveries) {
      const int number = expected();
      ASSERT_EQ(delivery.body, std::to_string(number)) << "priority " << delivery.priority;
      out_.emplace_back(delivery.receipt, number, ready_.at(number));
      ready_.erase(number);
    }
  }

  void settle() {
    if (out_.empty()) return;
    const auto at = out_.begin() + static_cast<std::ptrdiff_t>(random_.below(out_.size()));
    auto [receipt, number, sent] = *at;
    out_.erase(at);
    if (random_.one_in(2)) {
      must(engine_->ack(receipt));
      return;
    }
    must(engine_->release(receipt, {.charge = false}));
    if (sent.expires_at <= clock_.now()) return;
    sent.returned = true;
    ready_.emplace(number, sent);
  }

  void step() {
    const std::uint64_t choice = random_.below(100);
    if (choice < 50) {
      send();
    } else if (choice < 75) {
      receive();
    } else if (choice < 90) {
      settle();
    } else if (choice < 97) {
      pass(std::chrono::milliseconds(random_.between(1, 2000)));
    } else {
      must(engine_->close());
      open();
    }
  }

  Random random_{GetParam()};
  std::uint32_t levels_ = static_cast<std::uint32_t>(random_.between(2, 16));
  Duration aging_ = random_.one_in(2) ? Duration{0} : std::chrono::seconds(random_.between(1, 20));
  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(GetParam());
  std::optional<Engine> engine_;
  int next_ = 0;
  std::map<int, Sent> ready_;
  std::vector<std::tuple<Receipt, int, Sent>> out_;
};
INSTANTIATE_TEST_SUITE_P(Seeds, PriorityTest, ::testing::Range<std::uint64_t>(1, 41));

TEST_P(PriorityTest, HandsOutWhatTheModelSays) {
  SCOPED_TRACE("levels " + std::to_string(levels_) + ", aging " + std::to_string(aging_.count()) + "us");
  for (int i = 0; i < 1500 && !HasFailure(); ++i) {
    SCOPED_TRACE("step " + std::to_string(i));
    step();
  }
  while (!ready_.empty() && !HasFailure()) receive();
}

// Aging bounds by how much later another message may have been sent and still overtake a message. The bound
// follows from the levels between them.
TEST_P(PriorityTest, AgingBoundsTheWait) {
  must(engine_->alter_queue("jobs", {.priority = {.levels = 4, .aging = 10s}}));
  must(engine_->send("jobs", {.body = "low"}));
  for (int second = 0; second < 100; ++second) {
    must(engine_->send("jobs", {.body = "high", .priority = 3}));
    must(engine_->send("jobs", {.body = "high", .priority = 3}));
    const Deliveries next = must(engine_->receive("jobs"));
    if (next.at(0).body == "low") return;
    must(engine_->ack(next[0].receipt));
    // The message that is received now was sent half this time ago.
    ASSERT_LE(second / 2, 30);
    advance(*engine_, clock_, 1s);
  }
  ADD_FAILURE() << "starved";
}

// The result is the same whether the engine remembers the messages behind those that are gone, or must read
// them first.
TEST(PriorityAging, IsNotJudgedByMessagesThatAreGone) {
  for (const bool reopened : {false, true}) {
    SCOPED_TRACE(reopened ? "reopened" : "all in memory");
    ManualClock clock;
    const auto disk = std::make_shared<MemoryDisk>(1);
    std::optional<Engine> engine;
    const auto open = [&] {
      engine.reset();
      engine.emplace(must(
          EngineInside::open_over(must(open_memory_store(disk)), {.clock = &clock, .background = false})));
    };
    open();
    must(engine->create_queue(
        "jobs",
        {.lease = 1h, .expiry = {.policy = ExpiryPolicy::kDrop}, .priority = {.levels = 2, .aging = 10s}}));
    must(engine->send_batch("jobs", std::vector<Message>(2, {.body = "brief", .time_to_live = 1s})));
    ASSERT_EQ(must(engine->receive("jobs")).size(), 1U);
    advance(*engine, clock, 2s);
    ASSERT_EQ(must(engine->describe_queue("jobs")).counts, (QueueCounts{.leased = 1}));
    advance(*engine, clock, 50s);
    must(engine->send("jobs", {.body = "earlier", .priority = 1}));
    advance(*engine, clock, 50s);
    must(engine->send("jobs", {.body = "later"}));
    if (reopened) open();
    EXPECT_EQ(must(engine->receive("jobs")).at(0).body, "earlier");
    EXPECT_EQ(must(engine->receive("jobs")).at(0).body, "later");
  }
}

}  // namespace
}  // namespace holdfast::testing
