// These tests are about the buffered sender, over an engine and over a client.
#include "holdfast/buffered_sender.h"

#include <thread>

#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class BufferedSenderTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders");
  }
};
HOLDFAST_FOR_EACH_BROKER(BufferedSenderTest);

TEST_P(BufferedSenderTest, ManyThreadsMessagesArriveOnceAndEachThreadsInOrder) {
  constexpr int kThreads = 4;
  constexpr int kEach = 200;
  auto sender =
      must(BufferedSender::make(broker(), {.queue = "orders", .batch_messages = 16, .buffer_messages = 50}));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::vector<std::future<Result<Sent>>> outcomes;
      for (int i = 0; i < kEach; ++i)
        outcomes.push_back(
            sender.send({.body = std::to_string(i), .attributes = {{"t", std::to_string(t)}}}));
      for (auto& outcome : outcomes) EXPECT_THAT(outcome.get(), Succeeds());
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<int> next(kThreads);
  for (const Delivery& delivery : receive_all("orders")) {
    const int t = std::stoi(std::string(find_attribute(delivery.attributes, "t")));
    EXPECT_EQ(delivery.body, std::to_string(next.at(t)++));
  }
  for (const int count : next) EXPECT_EQ(count, kEach);
}

TEST_P(BufferedSenderTest, WhatLingersLeavesInTimeThoughTheWallClockIsSet) {
  for (const Duration step : {-1h, 1h}) {
    auto sender = must(BufferedSender::make(broker(), {.queue = "orders", .linger = 5s, .clock = &clock()}));
    auto sent = sender.send({.body = "a"});
    clock().step(step);
    advance(4s);
    EXPECT_EQ(counts("orders").ready, 0U);
    advance(1s);
    must(sent.get());
    receive_all("orders");
  }
}

TEST_P(BufferedSenderTest, EachGetsTheOutcomeOfItsOwn) {
  auto sender = must(BufferedSender::make(
      broker(), {.queue = "orders", .durability = Durability::kBuffered, .linger = 1min, .clock = &clock()}));
  auto good = sender.send({.body = "good"});
  auto large = sender.send({.body = std::string(limits::kBodyBytes + 1, 'x')});
  std::optional<Result<Sent>> called;
  sender.send({.body = "called"}, [&](Result<Sent> sent) { called = std::move(sent); });
  sender.flush();
  EXPECT_EQ(must(good.get()).durability, Durability::kBuffered);
  EXPECT_THAT(large.get(), FailsWith(ErrorCode::kLimitExceeded));
  ASSERT_TRUE(called);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("good", "called"));
  auto nowhere = must(BufferedSender::make(broker(), {.queue = "none"}));
  EXPECT_THAT(nowhere.send({.body = "x"}).get(), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(BufferedSenderTest, AnswersSayNoLessThanWasAsked) {
  using enum Durability;
  create("buffered", {.durability = kBuffered});
  const auto got = [&](const char* queue, std::optional<Durability> asked) {
    auto sender = must(BufferedSender::make(
        broker(), {.queue = queue, .durability = asked, .linger = 1min, .clock = &clock()}));
    auto sent = sender.send({.body = "x"});
    sender.flush();
    return must(sent.get()).durability;
  };
  EXPECT_EQ(got("orders", {}), kFsync);
  EXPECT_EQ(got("buffered", kFsync), kFsync);
  EXPECT_EQ(got("buffered", {}), kBuffered);
  EXPECT_EQ(got("orders", kBuffered), kBuffered);
}

TEST_P(BufferedSenderTest, OptionsAreChecked) {
  const auto refused = [&](auto change, ErrorCode code) {
    BufferedSenderOptions options{.queue = "orders"};
    change(options);
    EXPECT_THAT(BufferedSender::make(broker(), std::move(options)).map([](auto&&) {}), FailsWith(code));
  };
  using enum ErrorCode;
  refused([](auto& o) { o.queue.clear(); }, kInvalidArgument);
  refused([](auto& o) { o.batch_messages = 0; }, kInvalidArgument);
  refused([](auto& o) { o.batch_messages = limits::kBatchEntries + 1; }, kLimitExceeded);
  refused([](auto& o) { o.batch_bytes = 0; }, kInvalidArgument);
  refused([](auto& o) { o.batch_bytes = limits::kBatchBytes + 1; }, kLimitExceeded);
  refused([](auto& o) { o.linger = -1us; }, kInvalidArgument);
  refused([](auto& o) { o.linger = 1min + 1us; }, kLimitExceeded);
  refused([](auto& o) { o.buffer_messages = 0; }, kInvalidArgument);
  refused([](auto& o) { o.buffer_bytes = 0; }, kInvalidArgument);
  refused([](auto& o) { o.give_up_after = -1us; }, kInvalidArgument);
  refused([](auto& o) { o.give_up_after = limits::kRequestWindow + 1us; }, kLimitExceeded);
}

}  // namespace
}  // namespace holdfast::testing
