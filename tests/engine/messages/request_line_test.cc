// Calls under a request id that another call holds. They stand in line behind that call, and no thread of the
// engine waits for them.
#include <array>
#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/answer.h"
#include "tests/support/held_store.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using SendAnswer = Answer<BatchResult<Sent>>;
using BatchAnswer = Answer<BatchResult<void>>;
using CommitAnswer = Answer<Result<Committed>>;

class RequestLineTest : public ::testing::Test {
 protected:
  RequestLineTest() { must(engine_.create_queue("orders")); }
  ~RequestLineTest() override { hold_->go_on(); }

  void send(const std::string& id, SendAnswer& answer) {
    engine_.async_send_batch("orders", {{.body = "x"}}, {.request_id = id}, answer.callback());
  }
  // Makes all commits from here on wait until hold_->go_on(). A thread of the test commits, so that the
  // engine's threads are free to answer.
  void hold_commits() {
    hold_->arm();
    held_ =
        std::async(std::launch::async, [&] { must(engine_.send("orders", {.body = "holds the commit"})); });
    hold_->wait_until_held();
  }
  // Returns when the engine's thread has done everything that was left to it before, as far as it can without
  // a commit.
  void wait_for_background() {
    BatchAnswer stale;
    engine_.async_release_batch(std::vector<Receipt>{Receipt{}}, {}, stale.callback());
    EXPECT_THAT(must(stale.get()).at(0), FailsWith(ErrorCode::kMessageNotFound));
  }
  std::uint64_t ready() { return must(engine_.describe_queue("orders")).counts.ready; }
  static MessageId id_of(SendAnswer& answer) { return must(must(answer.get()).at(0)).id; }

  ManualClock clock_;
  std::shared_ptr<Hold> hold_ = std::make_shared<Hold>();
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<HeldStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), hold_),
      {.clock = &clock_, .background = false}));
  std::future<void> held_;
};

TEST_F(RequestLineTest, ACallInLineHoldsUpNobody) {
  hold_commits();
  SendAnswer first;
  SendAnswer again;
  send("a", first);
  send("a", again);
  wait_for_background();
  EXPECT_FALSE(again.here());
  hold_->go_on();
  EXPECT_EQ(id_of(again), id_of(first));
  EXPECT_EQ(ready(), 2U);
}

TEST_F(RequestLineTest, EveryVerbStandsInLine) {
  must(engine_.create_queue("dead"));
  must(engine_.alter_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  for (int i = 0; i < 2; ++i) must(engine_.send("orders", {.body = "x"}));
  const std::vector<Receipt> acked{must(engine_.receive("orders")).at(0).receipt};
  const std::vector<Receipt> rejected{must(engine_.receive("orders")).at(0).receipt};
  hold_commits();
  std::array<BatchAnswer, 4> settled;
  std::array<CommitAnswer, 2> committed;
  for (std::size_t i = 0; i < 2; ++i) {
    engine_.async_ack_batch(acked, {.request_id = "ack"}, settled[i].callback());
    engine_.async_reject_batch(rejected, {}, {.request_id = "reject"}, settled[2 + i].callback());
    engine_.async_commit(Transaction().send("orders", {.body = "t"}), {.request_id = "commit"},
                         committed[i].callback());
  }
  wait_for_background();
  hold_->go_on();
  for (BatchAnswer& answer : settled) EXPECT_THAT(must(answer.get()).at(0), Succeeds());
  EXPECT_EQ(must(committed[0].get()).sent, must(committed[1].get()).sent);
  EXPECT_EQ(ready(), 2U);
}

// A blocking caller waits on its own thread. Calls with callbacks that stand behind it go on when it is done.
TEST_F(RequestLineTest, ThreadsAndCallbacksStandInOneLine) {
  hold_commits();
  std::array<SendAnswer, 3> answers;
  send("a", answers[0]);
  auto blocking = std::async(std::launch::async, [&] {
    return must(engine_.send("orders", {.body = "x"}, {.request_id = "a"})).id;
  });
  send("a", answers[1]);
  send("a", answers[2]);
  hold_->go_on();
  const MessageId id = blocking.get();
  for (SendAnswer& answer : answers) EXPECT_EQ(id_of(answer), id);
  EXPECT_EQ(ready(), 2U);
}

// A call that fails as a whole leaves the id to the call behind it, which then counts as the first.
TEST_F(RequestLineTest, AFailureLeavesTheIdToTheNext) {
  must(engine_.create_queue("full", {.limits = {.max_length = 1}}));
  must(engine_.send("full", {.body = "x"}));
  hold_commits();
  SendAnswer refused;
  SendAnswer sent;
  engine_.async_send_batch("nowhere", {{.body = "x"}}, {.request_id = "a"}, refused.callback());
  send("a", sent);
  hold_->go_on();
  EXPECT_THAT(refused.get(), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(must(sent.get()).at(0), Succeeds());
}

TEST_F(RequestLineTest, ARetryFromTheCallbackIsAnsweredAgain) {
  std::promise<std::pair<MessageId, MessageId>> both;
  engine_.async_send_batch("orders", {{.body = "x"}}, {.request_id = "a"}, [&](auto first) {
    engine_.async_send_batch("orders", {{.body = "x"}}, {.request_id = "a"}, [&, first](auto again) {
      both.set_value({must(must(first).at(0)).id, must(must(again).at(0)).id});
    });
  });
  const auto [first, again] = both.get_future().get();
  EXPECT_EQ(first, again);
  EXPECT_EQ(ready(), 1U);
}

TEST_F(RequestLineTest, AnIdHasItsLimitWithACallbackToo) {
  SendAnswer longest;
  SendAnswer too_long;
  send(std::string(limits::kRequestIdBytes, 'x'), longest);
  send(std::string(limits::kRequestIdBytes + 1, 'x'), too_long);
  EXPECT_THAT(longest.get(), Succeeds());
  EXPECT_THAT(too_long.get(), FailsNaming(ErrorCode::kLimitExceeded, "request_id"));
}

TEST_F(RequestLineTest, ClosingAnswersThoseInLine) {
  hold_commits();
  std::vector<SendAnswer> answers(100);
  for (SendAnswer& answer : answers) send("a", answer);
  auto closed = std::async(std::launch::async, [&] { return engine_.close(); });
  while (engine_.list_queues()) std::this_thread::yield();
  hold_->go_on();
  EXPECT_THAT(closed.get(), Succeeds());
  EXPECT_THAT(answers.front().get(), Succeeds());
  for (std::size_t i = 1; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i].here()) << i;
    const auto answer = answers[i].get();
    EXPECT_TRUE(answer || answer.error().code == ErrorCode::kClosed) << i;
  }
}

// A thread and a callback, which runs on the thread that commits, race for each of many ids.
TEST_F(RequestLineTest, CallsThatRaceForAnIdAreAllAnswered) {
  constexpr int kRounds = 10000;
  std::atomic<int> turn = -1;
  for (int round = 0; round < kRounds; ++round) {
    const std::string id = std::to_string(round);
    SendAnswer of_thread;
    SendAnswer of_callback;
    engine_.async_send_batch("orders", {{.body = "first"}}, {.durability = Durability::kBuffered},
                             [&, round](const auto&) {
                               turn = round;
                               send(id, of_callback);
                             });
    while (turn != round) std::this_thread::yield();
    send(id, of_thread);
    ASSERT_EQ(id_of(of_thread), id_of(of_callback)) << "round " << round;
  }
}

// The answer of such a transaction is remembered, so that repetitions get it also after a power loss.
// Therefore the call is not answered before the answer is written.
TEST_F(RequestLineTest, ATransactionThatOnlyExpectsIsAnsweredAfterItsRecord) {
  const ApplicationFamily family = must(engine_.open_family("state"));
  hold_commits();
  CommitAnswer answer;
  engine_.async_commit(Transaction().expect(family, "key", std::nullopt), {.request_id = "a"},
                       answer.callback());
  // A call that writes nothing, and whose answer is not remembered, is answered in the meantime.
  CommitAnswer later;
  engine_.async_commit(Transaction().expect(family, "key", std::nullopt), {}, later.callback());
  must(later.get());
  EXPECT_FALSE(answer.here());
  hold_->go_on();
  EXPECT_EQ(must(answer.get()).durability, Durability::kFsync);
}

}  // namespace
}  // namespace holdfast::testing
