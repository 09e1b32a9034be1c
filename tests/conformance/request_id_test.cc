// Calls with a request id have their effect once.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::Each;
using ::testing::ElementsAre;

class RequestId : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(RequestId);

TEST_P(RequestId, ARepeatedSendGivesTheSameIds) {
  create("orders");
  const auto send = [&](std::string id) {
    return must(broker().send_batch("orders", {{.body = "a"}, {.attributes = {{"", "bad"}}}, {.body = "b"}},
                                    {.request_id = std::move(id)}));
  };
  const auto first = send("one");
  const auto again = send("one");
  ASSERT_EQ(again.size(), 3U);
  EXPECT_EQ(must(again[0]).id, must(first[0]).id);
  EXPECT_THAT(again[1], FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_EQ(again[1].error().message, first[1].error().message);
  EXPECT_EQ(must(again[2]).id, must(first[2]).id);
  EXPECT_EQ(counts("orders").ready, 2U);
  EXPECT_NE(must(send("two")[0]).id, must(first[0]).id);
  EXPECT_EQ(counts("orders").ready, 4U);
}

TEST_P(RequestId, ARepeatedDuplicateIsOneAgain) {
  create("orders", {.deduplication = {.mode = Deduplication::kById}});
  must(broker().send("orders", {.body = "a", .deduplication_id = "d"}));
  for (int i = 0; i < 2; ++i) {
    const auto sent = must(broker().send_batch(
        "orders", {{.body = "b", .deduplication_id = "e"}, {.body = "a", .deduplication_id = "d"}},
        {.request_id = "one"}));
    EXPECT_FALSE(must(sent.at(0)).duplicate);
    EXPECT_TRUE(must(sent.at(1)).duplicate);
  }
}

TEST_P(RequestId, OtherContentIsRefused) {
  create("orders");
  create("others");
  must(broker().send("orders", {.body = "a"}, {.request_id = "one"}));
  const auto refused = FailsNaming(ErrorCode::kInvalidArgument, "the request_id was used");
  EXPECT_THAT(broker().send("orders", {.body = "b"}, {.request_id = "one"}), refused);
  EXPECT_THAT(broker().send("others", {.body = "a"}, {.request_id = "one"}), refused);
  EXPECT_THAT(broker().send("orders", {.body = "a", .attributes = {{"n", "v"}}}, {.request_id = "one"}),
              refused);
  EXPECT_THAT(broker().ack(receive_one("orders").receipt, {.request_id = "one"}), refused);
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  EXPECT_EQ(counts("others"), QueueCounts{});
}

TEST_P(RequestId, ARepeatedAckOrRejectSucceedsAgain) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 3);
  const auto acked = receipts(receive("orders", 2));
  const Receipt rejected = receive_one("orders").receipt;
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(must(broker().ack_batch(acked, {.request_id = "ack"})), Each(Succeeds()));
    EXPECT_THAT(broker().reject(rejected, {.category = "c"}, {.request_id = "reject"}), Succeeds());
  }
  EXPECT_THAT(must(broker().ack_batch(acked)), Each(FailsAsSettled()));
  EXPECT_EQ(totals("orders").acked, 2U);
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

TEST_P(RequestId, ABatchOverSeveralQueuesIsAnsweredAgainInWhole) {
  create("orders");
  create("others");
  send("orders", "a");
  send("others", "b");
  send("orders", "c");
  std::vector<Receipt> all{receive_one("orders").receipt,
                           {QueueId{99}, Seq{1}, LeaseId{1}},
                           receive_one("others").receipt,
                           receive_one("orders").receipt,
                           {QueueId{1}, Seq{77}, LeaseId{1}}};
  const auto first = must(broker().ack_batch(all, {.request_id = "one"}));
  const auto again = must(broker().ack_batch(all, {.request_id = "one"}));
  ASSERT_EQ(again.size(), first.size());
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(again[i].has_value(), first[i].has_value()) << i;
  EXPECT_THAT(again[2], Succeeds());
  EXPECT_THAT(again[4], FailsWith(ErrorCode::kMessageNotFound));
}

TEST_P(RequestId, OfABatchIsInUseThoughItsFirstQueueHadNothingToDo) {
  create("orders");
  create("others");
  send("orders", "a");
  send("others", "b");
  const Receipt over = receive_one("others").receipt;
  must(broker().ack(over));
  const std::vector<Receipt> batch{over, receive_one("orders").receipt};
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(must(broker().ack_batch(batch, {.request_id = "one"})),
                ElementsAre(FailsAsSettled(), Succeeds()));
    EXPECT_THAT(broker().send("orders", {.body = "c"}, {.request_id = "one"}),
                FailsNaming(ErrorCode::kInvalidArgument, "the request_id was used"));
    reopen();
  }
}

TEST_P(RequestId, IsRememberedOverARestart) {
  create("orders");
  const MessageId id = must(broker().send("orders", {.body = "a"}, {.request_id = "one"})).id;
  reopen();
  EXPECT_EQ(must(broker().send("orders", {.body = "a"}, {.request_id = "one"})).id, id);
  EXPECT_EQ(counts("orders").ready, 1U);
}

TEST_P(RequestId, IsForgottenAfterItsWindow) {
  create("orders");
  must(broker().send("orders", {.body = "a"}, {.request_id = "one"}));
  for (Duration lived{}; lived < limits::kRequestWindow - 10s; lived += 10s) advance(10s);
  must(broker().send("orders", {.body = "a"}, {.request_id = "one"}));
  EXPECT_EQ(counts("orders").ready, 1U);
  for (Duration lived{}; lived < 2 * limits::kRequestWindow; lived += 10s) advance(10s);
  must(broker().send("orders", {.body = "a"}, {.request_id = "one"}));
  EXPECT_EQ(counts("orders").ready, 2U);
}

TEST_P(RequestId, WhatHadNoEffectMayBeTriedAgain) {
  EXPECT_THAT(broker().send("orders", {.body = "a"}, {.request_id = "one"}),
              FailsWith(ErrorCode::kQueueNotFound));
  create("orders");
  EXPECT_THAT(broker().send("orders", {.body = "b"}, {.request_id = "one"}), Succeeds());
}

TEST_P(RequestId, HasALimit) {
  create("orders");
  const std::string longest(limits::kRequestIdBytes, 'x');
  EXPECT_THAT(broker().send("orders", {}, {.request_id = longest}), Succeeds());
  EXPECT_THAT(broker().send("orders", {}, {.request_id = longest + "x"}),
              FailsNaming(ErrorCode::kLimitExceeded, "request_id"));
  const Receipt receipt = receive_one("orders").receipt;
  EXPECT_THAT(broker().ack(receipt, {.request_id = longest + "x"}),
              FailsNaming(ErrorCode::kLimitExceeded, "request_id"));
  EXPECT_THAT(broker().reject(receipt, {}, {.request_id = longest + "x"}),
              FailsNaming(ErrorCode::kLimitExceeded, "request_id"));
}

class RedriveRequestId : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
    kill(3);
  }
  void kill(int count) {
    send_numbered("orders", static_cast<std::size_t>(count));
    for (const Receipt& receipt : receipts(receive("orders", 10)))
      must(broker().reject(receipt, {.reason = "r"}));
  }
};
HOLDFAST_FOR_EACH_BROKER(RedriveRequestId);

TEST_P(RedriveRequestId, ARepetitionStartsNothingNew) {
  const RedriveOptions options{.max = 2, .request_id = "one"};
  const Redriven first = must(broker().redrive("dlq", options));
  EXPECT_EQ(first.moved, 2U);
  kill(2);
  for (int round = 0; round < 2; ++round) {
    const Redriven again = must(broker().redrive("dlq", options));
    EXPECT_EQ(again.task, first.task);
    EXPECT_EQ(again.moved, 2U);
    EXPECT_EQ(counts("dlq").dead, 5U);
    reopen();
  }
  EXPECT_EQ(must(broker().redrive("dlq", {.max = 2, .request_id = "two"})).moved, 2U);
  EXPECT_EQ(must(broker().list_redrives()).size(), 2U);
}

TEST_P(RedriveRequestId, WhoAsksDoesNotMatter) {
  const TaskId task =
      must(broker().redrive("dlq", {.rate = 1, .wait = false, .actor = "ann", .request_id = "one"})).task;
  EXPECT_EQ(
      must(broker().redrive("dlq", {.rate = 1, .wait = false, .actor = "bob", .request_id = "one"})).task,
      task);
  EXPECT_EQ(must(broker().redrive_status(task)).actor, "ann");
}

TEST_P(RedriveRequestId, AStartedTaskIsNamedAgain) {
  const RedriveOptions options{.rate = 1, .wait = false, .request_id = "one"};
  const TaskId task = must(broker().redrive("dlq", options)).task;
  EXPECT_EQ(must(broker().redrive("dlq", options)).task, task);
  reopen();
  EXPECT_EQ(must(broker().redrive("dlq", options)).task, task);
  EXPECT_NE(must(broker().redrive("dlq", {.rate = 1, .wait = false, .request_id = "two"})).task, task);
}

TEST_P(RedriveRequestId, WhetherTheCallWaitsMakesNoOther) {
  RedriveOptions options{.max = 2, .wait = false, .request_id = "one"};
  const TaskId task = must(broker().redrive("dlq", options)).task;
  options.wait = true;
  for (int round = 0; round < 2; ++round) {
    const Redriven waited = must(broker().redrive("dlq", options));
    EXPECT_EQ(waited.task, task);
    EXPECT_EQ(waited.moved, 2U);
    reopen();
  }
  options.wait = false;
  const Redriven known = must(broker().redrive("dlq", options));
  EXPECT_EQ(known.task, task);
  EXPECT_EQ(known.moved, 2U);
}

TEST_P(RedriveRequestId, ADryRunDoesNotLookAtIt) {
  RedriveOptions options{.max = 2, .dry_run = true, .request_id = "one"};
  EXPECT_EQ(must(broker().redrive("dlq", options)).moved, 2U);
  options.dry_run = false;
  options.max = 1;
  EXPECT_EQ(must(broker().redrive("dlq", options)).moved, 1U);
  options.dry_run = true;
  const Redriven rest = must(broker().redrive("dlq", options));
  EXPECT_EQ(rest.task, TaskId{});
  EXPECT_EQ(rest.moved, 1U);
}

// A redrive never moves history. So two calls that differ only in whether the filter asks for history are the
// same call.
TEST_P(RedriveRequestId, AFilterForHistoryIsTheSameContentAfterARestart) {
  const RedriveOptions options{
      .filter = {.reason = "r", .history = true}, .rate = 1, .wait = false, .request_id = "one"};
  const TaskId task = must(broker().redrive("dlq", options)).task;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(must(broker().redrive("dlq", options)).task, task);
    reopen();
  }
  RedriveOptions without = options;
  without.filter.history = false;
  EXPECT_EQ(must(broker().redrive("dlq", without)).task, task);
}

TEST_P(RedriveRequestId, OtherContentIsRefused) {
  create("elsewhere");
  must(broker().redrive("dlq", {.max = 1, .request_id = "one"}));
  const auto refused = FailsNaming(ErrorCode::kInvalidArgument, "the request_id was used");
  EXPECT_THAT(broker().redrive("dlq", {.max = 2, .request_id = "one"}), refused);
  EXPECT_THAT(broker().redrive("orders", {.max = 1, .request_id = "one"}), refused);
  EXPECT_THAT(broker().redrive(
                  "dlq", {.action = RedriveAction::kPark, .max = 1, .to = "elsewhere", .request_id = "one"}),
              refused);
  EXPECT_THAT(broker().redrive("dlq", {.request_id = std::string(limits::kRequestIdBytes + 1, 'x')}),
              FailsNaming(ErrorCode::kLimitExceeded, "64"));
  EXPECT_EQ(must(broker().redrive("dlq", {.request_id = std::string(limits::kRequestIdBytes, 'x')})).moved,
            2U);
}

}  // namespace
}  // namespace holdfast::testing
