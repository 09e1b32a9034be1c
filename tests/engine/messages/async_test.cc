// These tests are about the verbs with a callback.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/answer.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using SendAnswer = Answer<BatchResult<Sent>>;
using ReceiveAnswer = Answer<Result<Deliveries>>;
using BatchAnswer = Answer<BatchResult<void>>;

class AsyncTest : public ::testing::Test {
 protected:
  AsyncTest() {
    must(engine_.create_queue(
        "orders", {.lease = 10s, .retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
  }

  void send(const std::string& body) { must(engine_.send("orders", {.body = body})); }
  Receipt receive_one() { return must(engine_.receive("orders")).at(0).receipt; }
  QueueCounts counts(std::string_view queue) { return must(engine_.describe_queue(queue)).counts; }

  ManualClock clock_;
  TempDir temp_;
  Engine engine_ = must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false}));
};

TEST_F(AsyncTest, SendsABatch) {
  SendAnswer answer;
  engine_.async_send_batch("orders", {{.body = "a"}, {.attributes = {{"", "bad"}}}, {.body = "b"}}, {},
                           answer.callback());
  const auto sent = must(answer.get());
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_EQ(must(sent[0]).durability, Durability::kFsync);
  EXPECT_THAT(sent[1], FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(sent[2], Succeeds());
  EXPECT_EQ(counts("orders").ready, 2U);
}

TEST_F(AsyncTest, AnswersWhatConcernsTheWholeCall) {
  SendAnswer sent;
  engine_.async_send_batch("nowhere", {{}}, {}, sent.callback());
  EXPECT_THAT(sent.get(), FailsWith(ErrorCode::kQueueNotFound));
  ReceiveAnswer received;
  engine_.async_receive("nowhere", {}, received.callback());
  EXPECT_THAT(received.get(), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_F(AsyncTest, ReceivesWhatIsThere) {
  send("a");
  ReceiveAnswer answer;
  engine_.async_receive("orders", {.max = 5}, answer.callback());
  const Deliveries deliveries = must(answer.get());
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].body, "a");
}

TEST_F(AsyncTest, ReceivesNothingAtOnceWithoutAWait) {
  ReceiveAnswer answer;
  engine_.async_receive("orders", {}, answer.callback());
  EXPECT_THAT(must(answer.get()), IsEmpty());
}

TEST_F(AsyncTest, WaitsForAMessage) {
  ReceiveAnswer answer;
  engine_.async_receive("orders", {.wait = 1h}, answer.callback());
  EXPECT_FALSE(answer.here());
  send("a");
  EXPECT_EQ(must(answer.get()).at(0).body, "a");
}

TEST_F(AsyncTest, WaitsWhileDeliveriesArePaused) {
  must(engine_.pause_queue("orders", {.deliveries = true}));
  ReceiveAnswer answer;
  engine_.async_receive("orders", {.wait = 1h}, answer.callback());
  send("a");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  must(engine_.resume_queue("orders", {.deliveries = true}));
  EXPECT_EQ(must(answer.get()).at(0).body, "a");
}

TEST_F(AsyncTest, WhatWasPrefetchedByWaitingIsNotCharged) {
  for (int i = 0; i < 3; ++i) {
    ReceiveAnswer answer;
    engine_.async_receive("orders", {.wait = 1h, .prefetch = true}, answer.callback());
    if (i == 0) send("a");
    const Delivery delivery = must(answer.get()).at(0);
    EXPECT_EQ(delivery.deliveries, 1U);
    must(engine_.release(delivery.receipt));
  }
}

TEST_F(AsyncTest, WaitsNoLongerThanAsked) {
  ReceiveAnswer answer;
  engine_.async_receive("orders", {.wait = 5s}, answer.callback());
  advance(engine_, clock_, 5s - 1us);
  EXPECT_FALSE(answer.here());
  advance(engine_, clock_, 1us);
  EXPECT_THAT(must(answer.get()), IsEmpty());
}

TEST_F(AsyncTest, ServesThoseWhoWaitInTurn) {
  std::vector<ReceiveAnswer> answers(3);
  for (auto& answer : answers) engine_.async_receive("orders", {.wait = 1h}, answer.callback());
  for (const char* body : {"a", "b", "c"}) send(body);
  EXPECT_EQ(must(answers[0].get()).at(0).body, "a");
  EXPECT_EQ(must(answers[1].get()).at(0).body, "b");
  EXPECT_EQ(must(answers[2].get()).at(0).body, "c");
}

TEST_F(AsyncTest, CancelEndsAWaitWithAnEmptyList) {
  ReceiveAnswer cancelled;
  ReceiveAnswer kept;
  const auto token = engine_.async_receive("orders", {.wait = 1h}, cancelled.callback());
  engine_.async_receive("orders", {.wait = 1h}, kept.callback());
  engine_.cancel_receive(token);
  EXPECT_THAT(must(cancelled.get()), IsEmpty());
  send("a");
  EXPECT_EQ(must(kept.get()).at(0).body, "a");
  engine_.cancel_receive(token);
}

TEST_F(AsyncTest, CancelAfterTheAnswerDoesNothing) {
  send("a");
  ReceiveAnswer answer;
  engine_.cancel_receive(engine_.async_receive("orders", {.wait = 1h}, answer.callback()));
  EXPECT_EQ(must(answer.get()).size(), 1U);
  engine_.cancel_receive({});
}

TEST_F(AsyncTest, SettlesInBatches) {
  for (const char* body : {"acked", "extended", "released", "rejected"}) send(body);
  std::vector<Receipt> receipts(4);
  std::ranges::generate(receipts, [this] { return receive_one(); });
  const auto one = [&](std::size_t i) { return std::span(receipts).subspan(i, 1); };

  BatchAnswer acked;
  engine_.async_ack_batch(one(0), {}, acked.callback());
  EXPECT_THAT(must(acked.get()), ElementsAre(Succeeds()));
  BatchAnswer extended;
  engine_.async_extend_batch(one(1), 1h, {}, extended.callback());
  EXPECT_THAT(must(extended.get()), ElementsAre(Succeeds()));
  BatchAnswer released;
  engine_.async_release_batch(one(2), {.charge = false}, released.callback());
  EXPECT_THAT(must(released.get()), ElementsAre(Succeeds()));
  BatchAnswer rejected;
  engine_.async_reject_batch(one(3), {.category = "c"}, {}, rejected.callback());
  EXPECT_THAT(must(rejected.get()), ElementsAre(Succeeds()));

  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .leased = 1}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
  BatchAnswer stale;
  engine_.async_ack_batch(receipts, {}, stale.callback());
  const auto answers = must(stale.get());
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_THAT(answers[0], FailsAsSettled());
  EXPECT_THAT(answers[1], Succeeds());
  EXPECT_THAT(answers[2], FailsAsSettled());
  EXPECT_THAT(answers[3], FailsAsSettled());
}

TEST_F(AsyncTest, TakesAnEmptyBatch) {
  BatchAnswer answer;
  engine_.async_ack_batch({}, {}, answer.callback());
  EXPECT_THAT(must(answer.get()), IsEmpty());
}

TEST_F(AsyncTest, ReleaseDeadLettersTheLastDelivery) {
  send("a");
  const std::vector<Receipt> one{receive_one()};
  BatchAnswer answer;
  engine_.async_release_batch(one, {}, answer.callback());
  EXPECT_THAT(must(answer.get()), ElementsAre(Succeeds()));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_F(AsyncTest, CloseAnswersEverything) {
  std::vector<ReceiveAnswer> waiting(3);
  for (auto& answer : waiting) engine_.async_receive("dlq", {.wait = 1h}, answer.callback());
  std::vector<SendAnswer> sends(20);
  for (auto& answer : sends) engine_.async_send_batch("orders", {{.body = "x"}}, {}, answer.callback());
  must(engine_.close());
  for (auto& answer : waiting) EXPECT_THAT(must(answer.get()), IsEmpty());
  for (auto& answer : sends) EXPECT_THAT(must(answer.get()), Each(Succeeds()));

  SendAnswer late;
  engine_.async_send_batch("orders", {{.body = "x"}}, {}, late.callback());
  EXPECT_THAT(late.get(), FailsWith(ErrorCode::kClosed));
  ReceiveAnswer late_receive;
  engine_.async_receive("orders", {.wait = 1h}, late_receive.callback());
  EXPECT_THAT(late_receive.get(), FailsWith(ErrorCode::kClosed));
  BatchAnswer late_ack;
  engine_.async_ack_batch(std::vector<Receipt>(2), {}, late_ack.callback());
  EXPECT_THAT(late_ack.get(), FailsWith(ErrorCode::kClosed));

  Engine again = must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false}));
  EXPECT_EQ(must(again.describe_queue("orders")).counts.ready, sends.size());
}

// Receives again with each answer, until one is an error. `end` is told the error.
void receive_on(Engine& engine, const std::function<void(ErrorCode)>& end) {
  engine.async_receive("orders", {.wait = 1h}, [&engine, end](const Result<Deliveries>& answer) {
    answer ? receive_on(engine, end) : end(answer.error().code);
  });
}

TEST_F(AsyncTest, CloseEndsThoseWhoReceiveAgainWithEachAnswer) {
  std::vector<Answer<ErrorCode>> ends(10);
  for (auto& end : ends) receive_on(engine_, end.callback());
  must(engine_.close());
  for (auto& end : ends) EXPECT_EQ(end.get(), ErrorCode::kClosed);
}

// Counts the commits that have started.
class CountingStore final : public SwitchedStore {
 public:
  using Commits = std::shared_ptr<std::atomic<std::uint64_t>>;
  CountingStore(std::unique_ptr<Store> store, Commits commits)
      : SwitchedStore(std::move(store), power_on()), commits_(std::move(commits)) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    ++*commits_;
    commits_->notify_all();
    return SwitchedStore::commit(batch, durability);
  }

 private:
  Commits commits_;
};

// One callback is held until close() itself commits the send for which the other callback waits. So both call
// an engine that is closed to all: one of them on a thread that close() waits for, and one on the thread of
// close() itself.
TEST(AsyncClose, RefusesWhatCallbacksCallMeanwhile) {
  const auto commits = std::make_shared<std::atomic<std::uint64_t>>(0);
  Engine engine = must(EngineInside::open_over(
      std::make_unique<CountingStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), commits),
      {.background = false}));
  must(engine.create_queue("orders"));
  std::atomic<bool> held = false;
  SendAnswer after_held;
  SendAnswer after_other;
  engine.async_send_batch("orders", {{.body = "a"}}, {}, [&](const auto& sent) {
    EXPECT_THAT(sent, Succeeds());
    const std::uint64_t before = *commits;
    held = true;
    held.notify_all();
    commits->wait(before);
    engine.async_send_batch("orders", {{.body = "b"}}, {}, after_held.callback());
  });
  held.wait(false);
  engine.async_send_batch("orders", {{.body = "c"}}, {}, [&](const auto& sent) {
    EXPECT_THAT(sent, Succeeds());
    engine.async_send_batch("orders", {{.body = "d"}}, {}, after_other.callback());
  });
  must(engine.close());
  EXPECT_THAT(after_held.get(), FailsWith(ErrorCode::kClosed));
  EXPECT_THAT(after_other.get(), FailsWith(ErrorCode::kClosed));
}

}  // namespace
}  // namespace holdfast::testing
