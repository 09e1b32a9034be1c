// The sender, over a broker that does what a test says.
#include "client/sending/batch_sender.h"

#include <gmock/gmock.h>

#include <future>
#include <latch>
#include <thread>

#include "holdfast/limits.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::client {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FailsWith;
using testing::ManualClock;
using testing::must;
using ::testing::SizeIs;
using testing::Succeeds;

using Answers = BatchResult<Sent>;

Answers all_sent(const std::vector<Message>& messages) {
  return std::vector<Result<Sent>>(messages.size(), Sent{});
}

class BatchSenderTest : public ::testing::Test {
 protected:
  // Returns what the n-th call answers, counted from 1. Runs on the sender's thread.
  using Script = std::function<Answers(const std::vector<Message>&, int n)>;

  BatchSender& start(Script script, BufferedSenderOptions options = {}) {
    options.clock = &clock_;
    auto send = [this, script = std::move(script)](const std::vector<Message>& messages,
                                                   const SendOptions& how) {
      request_ids_.push_back(how.request_id);
      within_.push_back(how.within.value());
      asked_.push_back(how.durability);
      sizes_.push_back(messages.size());
      return script(messages, static_cast<int>(sizes_.size()));
    };
    return sender_.emplace(std::move(send), std::move(options), 1);
  }

  std::future<Result<Sent>> send(std::string body) {
    auto promise = std::make_shared<std::promise<Result<Sent>>>();
    auto future = promise->get_future();
    sender_->add({.body = std::move(body)},
                 [promise](Result<Sent> sent) { promise->set_value(std::move(sent)); });
    return future;
  }

  // Lets time go on until the message is answered, but not so fast that the sender's thread gets no turn.
  Result<Sent> outcome(std::future<Result<Sent>>& sent) {
    while (sent.wait_for(1ms) != std::future_status::ready) clock_.advance(1ms);
    return sent.get();
  }

  ManualClock clock_;
  // Only the sender's thread uses these until it has answered.
  std::vector<std::string> request_ids_;
  std::vector<std::size_t> sizes_;
  std::vector<Duration> within_;
  std::vector<std::optional<Durability>> asked_;
  std::optional<BatchSender> sender_;
};

TEST_F(BatchSenderTest, EachGetsTheOutcomeOfItsOwn) {
  start([](const std::vector<Message>& messages, int) -> Answers {
    std::vector<Result<Sent>> answers;
    for (const Message& message : messages) {
      if (message.body == "bad") {
        answers.emplace_back(fail(ErrorCode::kLimitExceeded, "body"));
      } else {
        answers.emplace_back(Sent{.duplicate = message.body == "again"});
      }
    }
    return answers;
  });
  auto good = send("good");
  auto bad = send("bad");
  auto again = send("again");
  sender_->flush();
  EXPECT_FALSE(good.get()->duplicate);
  EXPECT_THAT(bad.get(), FailsWith(ErrorCode::kLimitExceeded));
  EXPECT_TRUE(again.get()->duplicate);
}

TEST_F(BatchSenderTest, EachTryAsksForWhatIsAskedAndEachAnswerSaysWhatItGot) {
  using enum Durability;
  start(
      [](const std::vector<Message>&, int n) -> Answers {
        if (n == 1) return fail(ErrorCode::kOutcomeUnknown, "lost");
        return Answers{{Sent{.durability = kFsync}, Sent{.durability = kBuffered}}};
      },
      {.durability = kFsync, .batch_messages = 2});
  auto first = send("0");
  auto second = send("1");
  EXPECT_EQ(must(outcome(first)).durability, kFsync);
  EXPECT_EQ(must(outcome(second)).durability, kBuffered) << "it hides nothing";
  EXPECT_THAT(asked_, ElementsAre(kFsync, kFsync));
}

TEST_F(BatchSenderTest, WhatComesWhileABatchIsUnderWayLeavesTogether) {
  std::latch under_way(1);
  std::latch go_on(1);
  start(
      [&](const std::vector<Message>& messages, int n) {
        if (n == 1) {
          under_way.count_down();
          go_on.wait();
        }
        return all_sent(messages);
      },
      {.batch_messages = 4, .linger = 0ms});
  (void)send("0");
  under_way.wait();
  for (int i = 0; i < 6; ++i) (void)send("x");
  go_on.count_down();
  sender_->flush();
  EXPECT_THAT(sizes_, ElementsAre(1, 4, 2));
}

TEST_F(BatchSenderTest, LingersForMore) {
  start([](const std::vector<Message>& messages, int) { return all_sent(messages); },
        {.batch_messages = 3, .linger = 10ms});
  auto first = send("0");
  clock_.advance(9ms);
  EXPECT_EQ(first.wait_for(0s), std::future_status::timeout);
  clock_.advance(1ms);
  EXPECT_THAT(first.get(), Succeeds());
  for (int i = 0; i < 3; ++i) first = send("x");
  EXPECT_THAT(first.get(), Succeeds()) << "a full one leaves at once";
  EXPECT_THAT(sizes_, ElementsAre(1, 3));
}

TEST_F(BatchSenderTest, IsSentAgainUnderItsRequestIdUntilTheOutcomeIsKnown) {
  using enum ErrorCode;
  start([](const std::vector<Message>& messages, int n) -> Answers {
    if (n == 1) return fail(kUnavailable, "away");
    if (n == 2) return fail(kOutcomeUnknown, "lost");
    if (n == 3) return fail(kOverloaded, "busy");
    return all_sent(messages);
  });
  auto first = send("x");
  EXPECT_THAT(outcome(first), Succeeds());
  auto second = send("y");
  EXPECT_THAT(outcome(second), Succeeds());
  ASSERT_THAT(request_ids_, SizeIs(5));
  EXPECT_FALSE(request_ids_[0].empty());
  for (int i = 1; i < 4; ++i) EXPECT_EQ(request_ids_[i], request_ids_[0]);
  EXPECT_NE(request_ids_[4], request_ids_[0]);
}

TEST_F(BatchSenderTest, GivesUpInTimeAndDoesNotForgetADoubt) {
  using enum ErrorCode;
  std::atomic<bool> doubtful = false;
  start(
      [&](const std::vector<Message>&, int) -> Answers {
        if (doubtful.exchange(false)) return fail(kOutcomeUnknown, "lost");
        return fail(kUnavailable, "away");
      },
      {.give_up_after = 1s});
  auto plain = send("x");
  EXPECT_THAT(outcome(plain), FailsWith(kUnavailable));
  doubtful = true;
  auto doubted = send("y");
  EXPECT_THAT(outcome(doubted), FailsWith(kOutcomeUnknown));
}

// The broker would take a later try for a new send.
TEST_F(BatchSenderTest, DoesNotTryForLongerThanTheRequestIdIsRemembered) {
  start(
      [&](const std::vector<Message>&, int) -> Answers {
        clock_.advance(limits::kRequestWindow / 3);
        return fail(ErrorCode::kOutcomeUnknown, "lost");
      },
      {.give_up_after = limits::kRequestWindow});
  auto sent = send("x");
  EXPECT_THAT(outcome(sent), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(sizes_, SizeIs(2)) << "a third one could end too late";
}

// A try that waits for a connection must not leave once the id is forgotten.
TEST_F(BatchSenderTest, EachTryIsBoundedByWhatIsLeftOfTheWindow) {
  start(
      [&](const std::vector<Message>& messages, int n) -> Answers {
        if (n == 3) return all_sent(messages);
        clock_.advance(limits::kRequestWindow / 4);
        return fail(ErrorCode::kUnavailable, "away");
      },
      {.give_up_after = limits::kRequestWindow});
  auto sent = send("x");
  EXPECT_THAT(outcome(sent), Succeeds());
  ASSERT_THAT(within_, SizeIs(3));
  EXPECT_EQ(within_[0], limits::kRequestWindow);
  EXPECT_LE(within_[1], limits::kRequestWindow * 3 / 4);
  EXPECT_LE(within_[2], limits::kRequestWindow / 2);
  EXPECT_GT(within_[2], Duration(0));
}

// A refusal is about the try that was refused. The try before it may have had its effect.
TEST_F(BatchSenderTest, ARefusalDoesNotAnswerADoubt) {
  using enum ErrorCode;
  for (const ErrorCode refusal : {kPermissionDenied, kQueueNotFound, kInternal, kStorageFailed}) {
    start([&, refusal](const std::vector<Message>& messages, int) -> Answers {
      switch (sizes_.size() % 3) {
        case 1:
          return fail(kOutcomeUnknown, "lost");
        case 2:
          return fail(refusal, "refused");
        default:
          return all_sent(messages);
      }
    });
    auto sent = send("x");
    EXPECT_THAT(outcome(sent), Succeeds()) << static_cast<int>(refusal);
  }
}

TEST_F(BatchSenderTest, WhatLookedTheIdUpAnswersADoubt) {
  start([](const std::vector<Message>&, int n) -> Answers {
    if (n == 1) return fail(ErrorCode::kOutcomeUnknown, "lost");
    return fail(ErrorCode::kDiskFull, "full");
  });
  auto sent = send("x");
  EXPECT_THAT(outcome(sent), FailsWith(ErrorCode::kDiskFull));
}

TEST_F(BatchSenderTest, ABrokerThatIsClosedLeavesTheDoubt) {
  start([](const std::vector<Message>&, int n) -> Answers {
    if (n == 1) return fail(ErrorCode::kOutcomeUnknown, "lost");
    return fail(ErrorCode::kClosed, "closed");
  });
  auto sent = send("x");
  EXPECT_THAT(outcome(sent), FailsWith(ErrorCode::kOutcomeUnknown));
  EXPECT_THAT(sizes_, SizeIs(2));
}

TEST_F(BatchSenderTest, WhatNoTimeMendsIsNotTriedAgain) {
  start([](const std::vector<Message>&, int) -> Answers { return fail(ErrorCode::kQueueNotFound, "no"); });
  auto sent = send("x");
  EXPECT_THAT(outcome(sent), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(sizes_, SizeIs(1));
}

TEST_F(BatchSenderTest, AFullBufferHoldsSendsUp) {
  std::latch go_on(1);
  start(
      [&](const std::vector<Message>& messages, int) {
        go_on.wait();
        return all_sent(messages);
      },
      {.batch_messages = 1, .buffer_messages = 2});
  (void)send("0");
  (void)send("1");
  EXPECT_THAT(sender_->try_add({.body = "2"}, {}), FailsWith(ErrorCode::kOverloaded));
  auto waiting = std::async(std::launch::async, [&] { return send("3").get(); });
  go_on.count_down();
  EXPECT_THAT(waiting.get(), Succeeds());
  std::promise<void> done;
  EXPECT_THAT(sender_->try_add({.body = "4"}, [&](const Result<Sent>&) { done.set_value(); }), Succeeds());
  done.get_future().get();
}

TEST_F(BatchSenderTest, CloseSendsWhatWaitsAndRefusesTheRest) {
  start([](const std::vector<Message>& messages, int) { return all_sent(messages); }, {.linger = 1min});
  auto sent = send("x");
  sender_->close();
  sender_->close();
  EXPECT_THAT(sent.get(), Succeeds());
  EXPECT_THAT(send("y").get(), FailsWith(ErrorCode::kClosed));
  EXPECT_THAT(sender_->try_add({}, {}), FailsWith(ErrorCode::kClosed));
}

}  // namespace
}  // namespace holdfast::client
