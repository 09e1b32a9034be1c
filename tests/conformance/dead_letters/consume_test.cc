// A consumer of a dead letter queue sees what came with a delivery, and an ack leaves a record behind.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ConsumeDeadLetters : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("dlq", {.lease = 10s});
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  }

  MessageId kill(std::string body, Rejection rejection = {.category = "timeout", .reason = "late"}) {
    const MessageId id = send("orders", std::move(body), {{"customer", "4711"}});
    must(broker().release(receive_one("orders", {.consumer = {.instance = "w1", .version = "2.1"}}).receipt,
                          {.failure = {.category = "first", .reason = "the first time"}}));
    must(broker().reject(receive_one("orders").receipt, std::move(rejection)));
    return id;
  }
  std::vector<DeadLetter> records() {
    return must(broker().list_dead_letters("dlq", {.filter = {.history = true}, .bodies = true})).items;
  }
};
HOLDFAST_FOR_EACH_BROKER(ConsumeDeadLetters);

TEST_P(ConsumeDeadLetters, ADeliveryHasTheFailureRecord) {
  kill("a", {.category = "timeout",
             .reason = "late",
             .code = "E1",
             .stack_trace = "f\ng",
             .causes = {{"C", "why"}}});
  const FailureRecord record = only_dead_letter("dlq").record;
  for (const bool again : {false, true}) {
    if (again) reopen();
    const Delivery delivery = receive_one("dlq");
    ASSERT_TRUE(delivery.failure);
    EXPECT_EQ(*delivery.failure, record);
    EXPECT_EQ(delivery.failure->attempts.kept.size(), 2U);
    EXPECT_EQ(delivery.body, "a");
    must(broker().release(delivery.receipt));
  }
  send("orders", "b");
  EXPECT_FALSE(receive_one("orders").failure);
}

TEST_P(ConsumeDeadLetters, AndTheFirstDeath) {
  kill("a");
  must(broker().redrive("dlq"));
  EXPECT_FALSE(receive_one("orders").failure);
  advance(10s);
  reject_one("orders", {.reason = "again"});
  const Delivery delivery = receive_one("dlq");
  ASSERT_TRUE(delivery.failure && delivery.failure->first_death);
  EXPECT_EQ(delivery.failure->reason, "again");
  EXPECT_EQ(delivery.failure->visits, 2U);
  EXPECT_EQ(delivery.failure->first_death->reason, "late");
}

TEST_P(ConsumeDeadLetters, AnAckKeepsTheRecordAsHistory) {
  const MessageId id = kill("a");
  must(broker().change_dead_letters("dlq", {.filter = {.ids = {id}}, .actor = "ann"},
                                    {.assignee = "ann", .note = "looked"}));
  const DeadLetter before = only_dead_letter("dlq");
  must(broker().ack(receive_one("dlq", {.consumer = {.instance = "mender-1"}}).receipt));
  for (const bool again : {false, true}) {
    if (again) reopen();
    EXPECT_THAT(dead_letters("dlq"), IsEmpty());
    EXPECT_EQ(counts("dlq"), QueueCounts{});
    const DeadLetter after = records().at(0);
    EXPECT_TRUE(after.history);
    EXPECT_EQ(after.record, before.record);
    EXPECT_EQ(after.id, before.id);
    EXPECT_EQ(after.triage.status, DeadLetterStatus::kFixed);
    EXPECT_EQ(after.triage.assignee, "ann");
    EXPECT_EQ(after.triage.notes, before.triage.notes);
    const AuditEntry done = after.triage.audit.back();
    EXPECT_EQ(done, (AuditEntry{after.triage.status_since, "mender-1", "acknowledged"}));
    EXPECT_FALSE(after.replay);
  }
}

TEST_P(ConsumeDeadLetters, WhoDidItMayBeSaid) {
  kill("a");
  must(broker().ack(receive_one("dlq").receipt, {.actor = "bob"}));
  EXPECT_EQ(records().at(0).triage.audit.back().actor, "bob");
  kill("b");
  const Receipt receipt = receive_one("dlq").receipt;
  EXPECT_THAT(broker().ack(receipt, {.actor = std::string(limits::kActorBytes + 1, 'x')}),
              FailsNaming(ErrorCode::kLimitExceeded, "actor"));
  must(broker().ack(receipt, {.actor = std::string(limits::kActorBytes, 'x')}));
}

TEST_P(ConsumeDeadLetters, ManyAtOnceAreHistoryOneByOne) {
  for (int i = 0; i < 5; ++i) kill(std::to_string(i));
  const Deliveries deliveries = must(broker().receive("dlq", {.max = 5}));
  ASSERT_EQ(deliveries.size(), 5U);
  for (const auto& result :
       must(broker().ack_batch(std::vector<Receipt>{deliveries[0].receipt, deliveries[2].receipt})))
    must(result);
  EXPECT_EQ(dead_letters("dlq").size(), 3U);
  EXPECT_EQ(records().size(), 5U);
  for (const auto& result : must(broker().ack_batch(
           std::vector<Receipt>{deliveries[1].receipt, deliveries[3].receipt, deliveries[4].receipt})))
    must(result);
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
  EXPECT_EQ(records().size(), 5U);
  must(broker().purge_queue("dlq"));
  EXPECT_THAT(records(), IsEmpty());
}

TEST_P(ConsumeDeadLetters, WhatWasEditedKeepsItsOriginal) {
  kill("a");
  must(broker().redrive("dlq", {.edit = {.body = "edited"}}));
  reject_one("orders");
  must(broker().ack(receive_one("dlq").receipt));
  const DeadLetter letter = records().at(0);
  ASSERT_TRUE(letter.original);
  EXPECT_EQ(letter.original->body, "a");
}

TEST_P(ConsumeDeadLetters, WhatWasAcknowledgedIsNotImportedAgain) {
  kill("a");
  const DeadLetter letter = only_dead_letter("dlq");
  must(broker().ack(receive_one("dlq").receipt));
  const auto done = must(broker().import_dead_letters("dlq", {letter}));
  EXPECT_EQ(done.duplicates, 1U);
  EXPECT_EQ(done.imported, 0U);
}

}  // namespace
}  // namespace holdfast::testing
