// The journals of queues tell where a message has been.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using enum StepKind;

class MessageHistoryTest : public BrokerFixture {
 protected:
  std::vector<HistoryStep> steps(const MessageId& id) { return must(broker().message_history(id)).steps; }
  std::vector<StepKind> kinds(const MessageId& id) {
    std::vector<StepKind> result;
    for (const HistoryStep& step : steps(id)) result.push_back(step.kind);
    return result;
  }
};
HOLDFAST_FOR_EACH_BROKER(MessageHistoryTest);

constexpr JournalOptions kJournal{.max_entries = 1000};

TEST_P(MessageHistoryTest, NobodyRemembersWithoutAJournal) {
  create("orders");
  const MessageId id = send("orders", "a");
  must(broker().ack(receive_one("orders").receipt));
  EXPECT_THAT(steps(id), IsEmpty());
}

TEST_P(MessageHistoryTest, TellsOfEveryStepInItsOrder) {
  create("orders", {.lease = 10s, .dead_letters = {.queue = "dlq"}, .journal = kJournal});
  const Timestamp start = now();
  const MessageId id = must(broker().send("orders", {.body = "a", .delay = 5s})).id;
  advance(5s);
  const Delivery first = receive_one("orders", {.consumer = {.instance = "one", .version = "2"}});
  must(broker().extend(first.receipt, 20s));
  advance(20s);
  const Delivery second = receive_one("orders");
  must(broker().release(second.receipt, {.delay = 1s, .to = ReturnTo::kTail}));
  advance(1s);
  must(broker().reject(receive_one("orders").receipt, {.category = "poison", .reason = "bad"}));
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 1U);
  reopen();
  must(broker().ack(receive_one("orders").receipt));

  const std::vector<HistoryStep> all = steps(id);
  EXPECT_THAT(kinds(id), ElementsAre(kSent, kDelivered, kExtended, kLeaseExpired, kDelivered, kReleased,
                                     kDelivered, kDeadLettered, kRedriven, kDelivered, kAcked));
  EXPECT_EQ(all[0].at, start);
  EXPECT_EQ(all[0].queue, "orders");
  EXPECT_EQ(all[0].until, start + 5s);
  EXPECT_EQ(all[1].at, start + 5s);
  EXPECT_EQ(all[1].consumer, (Consumer{.instance = "one", .version = "2"}));
  EXPECT_EQ(all[1].deliveries, 1U);
  EXPECT_EQ(all[1].until, start + 15s);
  EXPECT_EQ(all[1].seq, first.receipt.seq);
  EXPECT_EQ(all[2].until, start + 25s);
  EXPECT_EQ(all[3].at, start + 25s);
  EXPECT_EQ(all[4].deliveries, 2U);
  EXPECT_EQ(all[5].until, start + 26s);
  EXPECT_EQ(all[7].to, "dlq");
  EXPECT_EQ(all[7].cause, DeathCause::kRejected);
  EXPECT_EQ(all[7].category, "poison");
  EXPECT_EQ(all[7].reason, "bad");
  EXPECT_EQ(all[8].queue, "dlq");
  EXPECT_EQ(all[8].to, "orders");
  EXPECT_EQ(all[10].queue, "orders");
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
}

TEST_P(MessageHistoryTest, FollowsAMessageOverQueues) {
  create("orders", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}});
  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}, .journal = kJournal},
                            MissingQueues::kCreate));
  const MessageId id = send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(must(broker().redrive("dlq", {.action = RedriveAction::kPark})).parked, 1U);
  const std::vector<HistoryStep> all = steps(id);
  ASSERT_THAT(kinds(id), ElementsAre(kDeadLettered, kParked));
  EXPECT_EQ(all[0].queue, "orders");
  EXPECT_EQ(all[0].to, "dlq");
  EXPECT_EQ(all[0].cause, DeathCause::kMaxDeliveries);
  EXPECT_EQ(all[1].queue, "dlq");
  EXPECT_EQ(all[1].to, "parked");
}

TEST_P(MessageHistoryTest, TellsHowMessagesEnd) {
  create("orders", {.dead_letters = {.discard_rejected = true},
                    .expiry = {.time_to_live = 1min, .policy = ExpiryPolicy::kDrop},
                    .journal = kJournal});
  const MessageId discarded = send("orders", "a");
  must(broker().reject(receive_one("orders").receipt, {.reason = std::string(limits::kReasonBytes, 'r')}));
  EXPECT_THAT(kinds(discarded), ElementsAre(kSent, kDelivered, kDiscarded));
  const std::string reason = steps(discarded)[2].reason;
  EXPECT_EQ(reason.size(), limits::kJournalReasonBytes);
  EXPECT_THAT(reason, ::testing::MatchesRegex("r+\\.\\.\\. \\[cut, it had .* bytes\\]"));
  const MessageId expired = send("orders", "b");
  advance(1min);
  EXPECT_THAT(kinds(expired), ElementsAre(kSent, kExpired));
  must(broker().alter_queue("orders",
                            {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
  const MessageId overflowed = send("orders", "c");
  const MessageId last = send("orders", "d");
  EXPECT_THAT(kinds(overflowed), ElementsAre(kSent, kOverflowed));
  must(broker().ack(receive_one("orders").receipt));
  EXPECT_THAT(kinds(last), ElementsAre(kSent, kDelivered, kAcked));
}

TEST_P(MessageHistoryTest, TellsWhenADeliveryWasStarted) {
  create("orders", {.journal = kJournal});
  const MessageId id = send("orders", "a");
  const Delivery delivery = receive_one("orders", {.prefetch = true});
  advance(1s);
  must(broker().start(delivery.receipt));
  must(broker().start(delivery.receipt));  // it has started already, so nothing is noted
  must(broker().ack(delivery.receipt));
  EXPECT_THAT(kinds(id), ElementsAre(kSent, kDelivered, kStarted, kAcked));
  const auto all = steps(id);
  EXPECT_EQ(all[2].deliveries, 1U);
  EXPECT_EQ(all[2].until, all[1].until + 1s) << "the lease that starts again";
}

TEST_P(MessageHistoryTest, TellsOfAPurgeToThoseThatWereThere) {
  create("orders", {.dead_letters = {.queue = "dlq"}, .journal = kJournal});
  must(broker().alter_queue("dlq", {.journal = kJournal}));
  const MessageId acked = send("orders", "a");
  must(broker().ack(receive_one("orders").receipt));
  const MessageId dead = send("orders", "b");
  reject_one("orders");
  const MessageId purged = send("orders", "c");
  const MessageId delayed = must(broker().send("orders", {.body = "d", .delay = 1h})).id;
  must(broker().purge_queue("orders"));
  const MessageId after = send("orders", "e");
  reopen();
  EXPECT_THAT(kinds(acked), ElementsAre(kSent, kDelivered, kAcked));
  EXPECT_THAT(kinds(dead), ElementsAre(kSent, kDelivered, kDeadLettered));
  EXPECT_THAT(kinds(purged), ElementsAre(kSent, kPurged));
  EXPECT_THAT(kinds(delayed), ElementsAre(kSent, kPurged));
  EXPECT_THAT(kinds(after), ElementsAre(kSent));
  must(broker().purge_queue("dlq"));
  EXPECT_THAT(kinds(dead), ElementsAre(kSent, kDelivered, kDeadLettered, kPurged));
  EXPECT_EQ(steps(dead)[3].queue, "dlq");
}

TEST_P(MessageHistoryTest, TellsOfDiscardedAndImportedDeadLetters) {
  create("dlq", {.journal = kJournal});
  create("orders", {.dead_letters = {.queue = "dlq"}});
  const MessageId id = send("orders", "a");
  reject_one("orders");
  const auto letters = dead_letters("dlq");
  EXPECT_EQ(must(broker().discard_dead_letters("dlq", {.all = true, .dry_run = true})).changed, 1U);
  EXPECT_EQ(must(broker().discard_dead_letters("dlq", {.all = true})).changed, 1U);
  EXPECT_THAT(kinds(id), ElementsAre(kDeadLettered, kDiscarded));
  must(broker().purge_queue("dlq"));
  EXPECT_EQ(must(broker().import_dead_letters("dlq", letters)).imported, 1U);
  EXPECT_THAT(kinds(id), ElementsAre(kDeadLettered, kDiscarded, kImported));
}

TEST_P(MessageHistoryTest, IsForgottenWithItsQueue) {
  create("orders", {.journal = kJournal});
  const MessageId id = send("orders", "a");
  must(broker().delete_queue("orders"));
  EXPECT_THAT(steps(id), IsEmpty());
  create("orders", {.journal = kJournal});
  EXPECT_THAT(steps(id), IsEmpty());
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
}

TEST_P(MessageHistoryTest, HoldsAsManyStepsAsItMay) {
  create("orders", {.journal = {.max_entries = 160}});
  const std::vector<MessageId> ids = send_numbered("orders", 400);
  EXPECT_THAT(steps(ids[0]), IsEmpty());
  EXPECT_THAT(kinds(ids[399]), ElementsAre(kSent));
  std::size_t remembered = 0;
  for (const MessageId& id : ids) remembered += steps(id).size();
  EXPECT_LE(remembered, 160U);
  EXPECT_GE(remembered, 150U);
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
  reopen();
  EXPECT_THAT(kinds(ids[399]), ElementsAre(kSent));
  must(broker().alter_queue("orders", {.journal = JournalOptions{.max_entries = 100}}));
  std::size_t left = 0;
  for (const MessageId& id : ids) left += steps(id).size();
  EXPECT_LE(left, 100U);
  EXPECT_GE(left, 90U);
  must(broker().alter_queue("orders", {.journal = JournalOptions{}}));
  EXPECT_THAT(steps(ids[399]), IsEmpty());
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
}

TEST_P(MessageHistoryTest, ForgetsWhatIsTooOld) {
  create("orders", {.journal = {.max_entries = 1000, .keep = 16min}});
  const MessageId old = send("orders", "a");
  advance(8min);
  const MessageId young = send("orders", "b");
  advance(8min - 1us);
  EXPECT_THAT(kinds(old), ElementsAre(kSent));
  reopen();
  advance(1us);
  EXPECT_THAT(steps(old), IsEmpty());
  EXPECT_THAT(kinds(young), ElementsAre(kSent));
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
}

TEST_P(MessageHistoryTest, HasItsLimits) {
  const auto declare = [&](JournalOptions journal) {
    return broker().create_queue("q", {.journal = journal});
  };
  EXPECT_THAT(declare({.max_entries = limits::kJournalEntriesMin - 1}), RefusesValue("journal.max_entries"));
  EXPECT_THAT(declare({.max_entries = limits::kJournalEntriesMax + 1}), RefusesValue("journal.max_entries"));
  EXPECT_THAT(declare({.keep = 1h}), RefusesValue("journal.keep"));
  EXPECT_THAT(declare({.max_entries = 100, .keep = limits::kKeepMax + 1us}), RefusesValue("journal.keep"));
  EXPECT_THAT(declare({.max_entries = limits::kJournalEntriesMax, .keep = limits::kKeepMax}), Succeeds());
  EXPECT_THAT(broker().create_queue("least", {.journal = {.max_entries = limits::kJournalEntriesMin}}),
              Succeeds());
  EXPECT_THAT(steps(MessageId{}), IsEmpty());
}

TEST_P(MessageHistoryTest, GivesTheLastSteps) {
  create("orders", {.journal = {.max_entries = 20'000}});
  const MessageId id = send("orders", "a");
  const Delivery delivery = receive_one("orders");
  const std::vector<Receipt> again(limits::kHistorySteps - 2, delivery.receipt);
  for (const auto& extended : must(broker().extend_batch(again, 1min))) must(extended);
  MessageHistory history = must(broker().message_history(id));
  EXPECT_EQ(history.steps.size(), limits::kHistorySteps);
  EXPECT_FALSE(history.truncated);
  must(broker().extend(delivery.receipt, 1min));
  history = must(broker().message_history(id));
  EXPECT_EQ(history.steps.size(), limits::kHistorySteps);
  EXPECT_TRUE(history.truncated);
  EXPECT_EQ(history.steps.front().kind, kDelivered);
}

}  // namespace
}  // namespace holdfast::testing
