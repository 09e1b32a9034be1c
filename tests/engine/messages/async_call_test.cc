// Calls any verb with a callback, and cancels such calls.
#include <atomic>
#include <future>
#include <latch>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AsyncCallTest : public ::testing::Test {
 protected:
  AsyncCallTest() {
    must(engine_->create_queue("parked"));
    must(engine_->create_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  }
  ~AsyncCallTest() override { go_on(); }

  void dead_letter(std::size_t n) {
    must(engine_->send_batch("orders", std::vector<Message>(n, {.body = "x"}),
                             {.durability = Durability::kBuffered}));
    for (std::size_t done = 0; done < n;) {
      std::vector<Receipt> receipts;
      for (const auto& delivery : must(engine_->receive("orders", {.max = 1000})))
        receipts.push_back(delivery.receipt);
      for (const auto& rejected :
           must(engine_->reject_batch(receipts, {}, {.durability = Durability::kBuffered})))
        must(rejected);
      done += receipts.size();
    }
  }

  // Makes as many calls as may run at a time. They run until go_on().
  void fill_the_pool() {
    const int before = running_;
    for (int i = 0; i < kAtATime; ++i) {
      engine_->async_call(
          [this](Engine&) {
            ++running_;
            gate_.wait();
            return Result<void>();
          },
          [](const Result<void>&) {});
    }
    while (running_ < before + kAtATime) std::this_thread::yield();
  }
  void go_on() {
    if (!gate_.try_wait()) gate_.count_down();
  }

  static constexpr int kAtATime = 4;
  std::atomic<int> running_ = 0;
  std::latch gate_{1};
  ManualClock clock_;
  std::optional<Engine> engine_{must(EngineInside::open_over(
      must(open_memory_store(std::make_shared<MemoryDisk>(1))), {.clock = &clock_, .background = false}))};
};

TEST_F(AsyncCallTest, GivesWhatTheVerbGives) {
  dead_letter(3);
  std::promise<Result<DeadLetterPage>> page;
  engine_->async_call([](Engine& engine) { return engine.list_dead_letters("dlq"); },
                      [&](Result<DeadLetterPage> answer) { page.set_value(std::move(answer)); });
  EXPECT_THAT(must(page.get_future().get()).items, SizeIs(3));

  std::promise<Result<QueueInfo>> info;
  engine_->async_call([](Engine& engine) { return engine.describe_queue("nowhere"); },
                      [&](Result<QueueInfo> answer) { info.set_value(std::move(answer)); });
  EXPECT_THAT(info.get_future().get(), FailsWith(ErrorCode::kQueueNotFound));

  std::promise<Result<Redriven>> moved;
  engine_->async_redrive("dlq", {.max = 2},
                         [&](Result<Redriven> answer) { moved.set_value(std::move(answer)); });
  EXPECT_EQ(must(moved.get_future().get()).moved, 2U);
  std::promise<Result<Redriven>> parked;
  engine_->async_redrive("dlq", {.action = RedriveAction::kPark},
                         [&](Result<Redriven> answer) { parked.set_value(std::move(answer)); });
  EXPECT_EQ(must(parked.get_future().get()).parked, 1U);
}

TEST_F(AsyncCallTest, MayHoldWhatCannotBeCopied) {
  std::promise<Result<bool>> created;
  engine_->async_call(
      [name = std::make_unique<std::string>("more")](Engine& engine) -> Result<bool> {
        return must(engine.create_queue(*name)).created;
      },
      [&, held = std::make_unique<int>(1)](Result<bool> answer) { created.set_value(std::move(answer)); });
  EXPECT_TRUE(must(created.get_future().get()));
}

TEST_F(AsyncCallTest, WhatHasNotStartedNeverDoesOnceItIsCancelled) {
  dead_letter(5);
  fill_the_pool();
  std::vector<ErrorCode> codes;
  const auto note = [&](const auto& answer) { codes.push_back(answer ? ErrorCode{} : answer.error().code); };
  const auto purge = engine_->async_call([](Engine& engine) { return engine.purge_queue("dlq"); }, note);
  const auto redrive = engine_->async_redrive("dlq", {}, note);
  const auto park = engine_->async_redrive("dlq", {.action = RedriveAction::kPark}, note);
  EXPECT_THAT(codes, IsEmpty());
  for (const auto token : {purge, redrive, park, park}) engine_->cancel_call(token);
  // The answers are here before the calls could begin.
  EXPECT_EQ(codes, std::vector(3, ErrorCode::kCancelled));
  go_on();
  must(engine_->close());
  EXPECT_THAT(codes, SizeIs(3));
}

// However far the park had come, what moved is told, and nothing is lost.
TEST_F(AsyncCallTest, AParkThatRunsCanBeCancelled) {
  constexpr std::size_t kMessages = 5000;
  dead_letter(kMessages);
  std::promise<Result<Redriven>> answer;
  const auto token =
      engine_->async_redrive("dlq", {.action = RedriveAction::kPark},
                             [&](Result<Redriven> parked) { answer.set_value(std::move(parked)); });
  while (must(engine_->list_redrives()).empty()) std::this_thread::yield();
  engine_->cancel_call(token);
  const Redriven parked = must(answer.get_future().get());
  const TaskStatus status = must(engine_->redrive_status(parked.task));
  EXPECT_NE(status.state, TaskState::kRunning);
  EXPECT_EQ(status.parked, parked.parked);
  EXPECT_EQ(must(engine_->describe_queue("parked")).counts.dead, parked.parked);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, kMessages - parked.parked);
  engine_->cancel_call(token);  // the call is over, so this does nothing
  EXPECT_EQ(must(engine_->redrive("dlq", {.action = RedriveAction::kPark})).parked,
            kMessages - parked.parked);
  EXPECT_THAT(must(engine_->verify()).findings, IsEmpty());
}

TEST_F(AsyncCallTest, ManyWaitAndMoreAreRefused) {
  fill_the_pool();
  std::atomic<std::size_t> answered = 0;
  const auto call = [&](auto done) {
    return engine_->async_call([](Engine& engine) { return engine.describe_queue("orders"); }, done);
  };
  const auto count = [&](const Result<QueueInfo>& info) {
    must(info);
    ++answered;
  };
  const auto first = call([](const Result<QueueInfo>&) {});
  for (std::size_t i = 1; i < limits::kWaitingCalls; ++i) call(count);
  std::optional<Result<QueueInfo>> refused;
  call([&](Result<QueueInfo> info) { refused = std::move(info); });
  ASSERT_TRUE(refused.has_value());
  EXPECT_THAT(*refused, FailsNaming(ErrorCode::kOverloaded, std::to_string(limits::kWaitingCalls)));
  engine_->cancel_call(first);
  call(count);
  go_on();
  while (answered < limits::kWaitingCalls) std::this_thread::yield();
}

TEST_F(AsyncCallTest, ClosingAnswersAllThatWait) {
  fill_the_pool();
  std::vector<ErrorCode> codes;
  std::mutex mutex;
  for (int i = 0; i < 100; ++i) {
    engine_->async_call([](Engine& engine) { return engine.list_queues(); },
                        [&](const Result<std::vector<QueueInfo>>& queues) {
                          const std::scoped_lock lock(mutex);
                          codes.push_back(queues ? ErrorCode{} : queues.error().code);
                        });
  }
  auto closed = std::async(std::launch::async, [&] { return engine_->close(); });
  while (engine_->health().writes) std::this_thread::yield();
  go_on();
  must(closed.get());
  EXPECT_EQ(codes, std::vector(100, ErrorCode::kClosed));
  std::optional<Result<std::vector<QueueInfo>>> late;
  engine_->async_call([](Engine& engine) { return engine.list_queues(); },
                      [&](Result<std::vector<QueueInfo>> queues) { late = std::move(queues); });
  ASSERT_TRUE(late.has_value());
  EXPECT_THAT(*late, FailsWith(ErrorCode::kClosed));
}

}  // namespace
}  // namespace holdfast::testing
