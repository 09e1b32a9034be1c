// These tests are about alter_queue.
#include "engine/base/options/queue_option_table.h"
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Alter : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(Alter);

TEST_P(Alter, ChangesWhatIsSetAndNothingElse) {
  QueueOptions expected{.lease = 7s, .retry = {.max_deliveries = 3}};
  create("orders", expected);
  const auto alter = [&](QueueChanges changes) {
    const auto declared = must(broker().alter_queue("orders", std::move(changes), MissingQueues::kCreate));
    EXPECT_FALSE(declared.created);
    EXPECT_THAT(declared.warnings, IsEmpty());
    EXPECT_EQ(info("orders").options, expected);
  };
  alter({});
  expected.retry.max_deliveries = 9;
  alter({.retry = {.max_deliveries = 9}});
  expected.dead_letters.queue = "dlq";
  alter({.dead_letters = {.queue = "dlq"}});
  expected.lease = 1min;
  alter({.lease = 1min});
  expected.durability = Durability::kBuffered;
  alter({.durability = Durability::kBuffered});
  expected.dead_letters.discard_rejected = true;
  alter({.dead_letters = {.discard_rejected = true}});
  expected.dead_letters.queue = "";
  alter({.dead_letters = {.queue = ""}});
  reopen();
  EXPECT_EQ(info("orders").options, expected);
}

TEST_P(Alter, CreatesTheDeadLetterQueue) {
  create("orders");
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  EXPECT_EQ(info("dlq").options, QueueOptions{});
}

TEST_P(Alter, RefusesWhatCreateRefuses) {
  create("orders");
  const QueueOptions before = info("orders").options;
  EXPECT_THAT(broker().alter_queue("orders", {.retry = {.max_deliveries = 0}}),
              RefusesValue("max_deliveries"));
  EXPECT_THAT(broker().alter_queue("orders", {.retry = {.max_deliveries = limits::kMaxDeliveriesMax + 1}}),
              RefusesValue("max_deliveries"));
  EXPECT_THAT(broker().alter_queue("orders", {.dead_letters = {.queue = "a b"}}, MissingQueues::kCreate),
              FailsNaming(ErrorCode::kInvalidArgument, "dead_letter_queue"));
  EXPECT_THAT(broker().alter_queue("orders", {.lease = limits::kLeaseMin - 1us}), RefusesValue("lease"));
  EXPECT_THAT(broker().alter_queue("orders", {.lease = limits::kLeaseMax + 1us}), RefusesValue("lease"));
  EXPECT_EQ(info("orders").options, before);
}

template <class T>
void expect_bounds(Broker& broker, const QueueOption<T>& option) {
  const auto alter = [&](T value) {
    QueueChanges changes;
    option.place(changes) = value;
    return broker.alter_queue("orders", changes);
  };
  const T step(1);
  EXPECT_THAT(alter(option.bounds->min), Succeeds()) << option.name;
  EXPECT_THAT(alter(option.bounds->max), Succeeds()) << option.name;
  EXPECT_THAT(alter(option.bounds->max + step),
              FailsNaming(ErrorCode::kLimitExceeded, std::string(option.name)));
  if (option.bounds->min == std::numeric_limits<T>::min()) return;  // no value is less
  EXPECT_THAT(alter(option.bounds->min - step),
              FailsNaming(ErrorCode::kInvalidArgument, std::string(option.name)));
}

TEST_P(Alter, KeepsToTheBoundsOfEachOption) {
  create("orders",
         {.dead_letters = {.queue = "dlq"}});  // without one, an option that needs it would be refused
  int bounded = 0;
  for_each_option([&]<class T>(const QueueOption<T>& option) {
    if constexpr (BoundedOption<T>) {
      if (!option.bounds) return;
      expect_bounds(broker(), option);
      ++bounded;
    }
  });
  EXPECT_GE(bounded, 11);
}

TEST_P(Alter, WithOneBadChangeChangesNothing) {
  create("orders");
  EXPECT_THAT(broker().alter_queue("orders", {.lease = Duration(0), .retry = {.max_deliveries = 9}}),
              RefusesValue("lease"));
  EXPECT_EQ(info("orders").options, QueueOptions{});
}

TEST_P(Alter, WarnsAboutTraps) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  EXPECT_THAT(must(broker().alter_queue("orders", {.retry = {.max_deliveries = 1}})).warnings,
              ElementsAre(HasSubstr("max_deliveries")));
}

TEST_P(Alter, OfTheLeaseIsForLaterDeliveries) {
  create("orders", {.lease = 10s});
  send_numbered("orders", 2);
  EXPECT_EQ(receive_one("orders").lease_expires_at, now() + 10s);
  must(broker().alter_queue("orders", {.lease = 20s}));
  EXPECT_EQ(receive_one("orders").lease_expires_at, now() + 20s);
  advance(10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .leased = 1}));
}

TEST_P(Alter, OfMaxDeliveriesCountsFromTheNextFailureOn) {
  create("orders", {.retry = {.max_deliveries = 5}, .dead_letters = {.queue = "dlq"}});
  send("orders", "a");
  for (int i = 0; i < 3; ++i) must(broker().release(receive_one("orders").receipt));
  must(broker().alter_queue("orders", {.retry = {.max_deliveries = 2}}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));

  const Delivery fourth = receive_one("orders");
  EXPECT_EQ(fourth.deliveries, 4U);
  must(broker().release(fourth.receipt));
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(only_dead_letter("dlq").record.deliveries, 4U);
}

// If a lease ran out before the change, the failure counts by the rule of that time, also for an engine that
// is opened after the change.
TEST_P(Alter, OfMaxDeliveriesDoesNotReachBackOverAReopen) {
  create("orders", {.lease = 10s, .retry = {.max_deliveries = 5}, .dead_letters = {.queue = "dlq"}});
  send("orders", "a");
  receive_one("orders");
  advance(10s);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  must(broker().alter_queue("orders", {.retry = {.max_deliveries = 1}}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  reopen();
  run_due();
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(receive_one("orders").deliveries, 2U);
}

TEST_P(Alter, MayRaiseMaxDeliveriesInTime) {
  create("orders", {.retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  send("orders", "a");
  must(broker().release(receive_one("orders").receipt));
  const Delivery last = receive_one("orders");
  must(broker().alter_queue("orders", {.retry = {.max_deliveries = 3}}));
  must(broker().release(last.receipt));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Alter, SendsLaterDeathsToTheNewDeadLetterQueue) {
  create("orders", {.dead_letters = {.queue = "old"}});
  send_numbered("orders", 2);
  const MessageId first = reject_one("orders");
  const Delivery second = receive_one("orders");
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "new"}}, MissingQueues::kCreate));
  must(broker().reject(second.receipt, {}));
  EXPECT_EQ(only_dead_letter("old").record.message_id, first);
  EXPECT_EQ(only_dead_letter("new").record.message_id, second.id);
}

TEST_P(Alter, MayTakeTheDeadLetterQueueAway) {
  create("orders", {.retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  send("orders", "a");
  must(broker().alter_queue("orders", {.dead_letters = {.queue = ""}}));
  for (std::uint32_t i = 1; i <= 5; ++i) {
    const Delivery delivery = receive_one("orders");
    EXPECT_EQ(delivery.deliveries, i);
    must(broker().release(delivery.receipt));
  }
  EXPECT_THAT(broker().reject(receive_one("orders").receipt, {}), FailsWith(ErrorCode::kNoDeadLetterQueue));
  must(broker().delete_queue("dlq"));
}

// A message that has had more deliveries than are allowed, in a queue without a dead letter queue, dies with
// its next failure after the queue gets one.
TEST_P(Alter, GivesExhaustedMessagesSomewhereToGo) {
  create("orders", {.retry = {.max_deliveries = 2}});
  send("orders", "a");
  for (int i = 0; i < 3; ++i) must(broker().release(receive_one("orders").receipt));
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
}

}  // namespace
}  // namespace holdfast::testing
