// redrive.
#include <algorithm>

#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Redrive : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  }

  void expect_redriven(std::string_view queue, std::uint64_t moved, std::uint64_t skipped,
                       RedriveOptions options = {}) {
    const Redriven redriven = must(broker().redrive(queue, std::move(options)));
    EXPECT_EQ(redriven.moved, moved);
    EXPECT_EQ(redriven.left.total(), skipped);
  }
};
HOLDFAST_FOR_EACH_BROKER(Redrive);

TEST_P(Redrive, BringsMessagesBackWithAFreshCount) {
  const Timestamp sent_at = now();
  const Attributes attributes{{"k", "v"}, {"k", std::string("\0\xff", 2)}};
  const MessageId id = send("orders", "a", attributes);
  must(broker().release(receive_one("orders").receipt));
  advance(1s);
  must(broker().release(receive_one("orders").receipt));
  advance(1s);
  expect_redriven("dlq", 1, 0);

  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_THAT(dead_letters("dlq"), IsEmpty());
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  const Delivery back = receive_one("orders");
  EXPECT_EQ(back.id, id);
  EXPECT_EQ(back.body, "a");
  EXPECT_EQ(back.attributes, attributes);
  EXPECT_EQ(back.sent_at, sent_at);
  EXPECT_EQ(back.deliveries, 1U);
  EXPECT_EQ(back.replays, 1U);
  must(broker().ack(back.receipt));
  expect_redriven("dlq", 0, 0);
  EXPECT_EQ(totals("orders"), (QueueTotals{.sent = 1, .delivered = 3, .acked = 1, .dead_lettered = 1}));
  EXPECT_EQ(totals("dlq"), (QueueTotals{.redriven = 1}));
}

TEST_P(Redrive, KeepsTheOrder) {
  send_numbered("orders", 300);
  const Deliveries out = receive("orders", 300);
  EXPECT_THAT(must(broker().reject_batch(receipts(out), {})), ::testing::Each(Succeeds()));
  send("orders", "new");
  expect_redriven("dlq", 300, 0);
  const Deliveries back = receive_all("orders");
  ASSERT_EQ(back.size(), 301U);
  EXPECT_EQ(back[0].body, "new");
  for (std::size_t i = 0; i < 300; ++i) EXPECT_EQ(back[i + 1].id, out[i].id) << i;
}

TEST_P(Redrive, OfOneCategoryLeavesTheOthers) {
  send_numbered("orders", 4);
  for (const char* category : {"timeout", "validation", "timeout", ""})
    reject_one("orders", {.category = category});
  expect_redriven("dlq", 2, 0, {.filter = {.category = "timeout"}});
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("0", "2"));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 2, .dead = 2}));
  expect_redriven("dlq", 0, 0, {.filter = {.category = "timeout"}});
  expect_redriven("dlq", 1, 0, {.filter = {.category = ""}});
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("3"));
}

// The first redrive moves the rest of a chunk, and later ones move what is left of it.
TEST_P(Redrive, LeavesWhatWasAbandonedUnlessItIsMeant) {
  for (const char* body : {"a", "b", "c"}) send("orders", body);
  for (const Delivery& delivery : receive("orders", 3)) must(broker().reject(delivery.receipt, {}));
  const auto letters = dead_letters("dlq");
  must(broker().change_dead_letters("dlq", {.filter = {.ids = {letters[0].id, letters[1].id}}},
                                    {.status = DeadLetterStatus::kAbandoned}));
  expect_redriven("dlq", 1, 2);
  expect_redriven("dlq", 1, 0, {.filter = {.ids = {letters[1].id}}});
  expect_redriven("dlq", 1, 0, {.filter = {.status = DeadLetterStatus::kAbandoned}});
}

TEST_P(Redrive, DoesNotBringBackAgainWhatLeftBefore) {
  send_numbered("orders", 3);
  const Deliveries deliveries = receive("orders", 3);
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  for (const auto& rejected : must(broker().reject_batch(receipts, {.category = "c"}))) must(rejected);
  std::vector<MessageId> later{deliveries[1].id, deliveries[2].id};
  expect_redriven("dlq", 2, 0, {.filter = {.ids = later}});
  expect_redriven("dlq", 1, 0);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_EQ(counts("orders"), QueueCounts{.ready = 3});
}

TEST_P(Redrive, SkipsWhatIsLeased) {
  send_numbered("orders", 3);
  for (int i = 0; i < 3; ++i) reject_one("orders");
  const Delivery leased = receive_one("dlq");
  expect_redriven("dlq", 2, 1);
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("1", "2"));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.leased = 1, .dead = 1}));
  must(broker().release(leased.receipt));
  expect_redriven("dlq", 1, 0);
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("0"));
}

TEST_P(Redrive, TakesWhatWaits) {
  send("orders", "a");
  reject_one("orders");
  must(broker().release(receive_one("dlq").receipt, {.delay = 1h}));
  expect_redriven("dlq", 1, 0);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_EQ(receive_one("orders").deliveries, 1U);
  advance(2h);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
}

TEST_P(Redrive, SkipsWhatHasNoSourceAnyMore) {
  create("gone", {.dead_letters = {.queue = "dlq"}});
  send("gone", "stays");
  reject_one("gone");
  send("orders", "goes");
  reject_one("orders");
  must(broker().delete_queue("gone"));
  expect_redriven("dlq", 1, 1);
  EXPECT_EQ(only_dead_letter("dlq").body, "stays");
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));

  // A queue that is created under the name of a deleted one is another queue.
  create("gone");
  expect_redriven("dlq", 0, 1);
  EXPECT_EQ(counts("gone"), QueueCounts{});
}

TEST_P(Redrive, LeavesOrdinaryMessagesOfTheQueueAlone) {
  create("set-aside");
  send("set-aside", "ordinary");
  create("invoices", {.dead_letters = {.queue = "set-aside"}});
  expect_redriven("set-aside", 0, 0);
  EXPECT_EQ(counts("set-aside"), (QueueCounts{.ready = 1}));
}

TEST_P(Redrive, BringsEachBackToItsOwnSource) {
  create("invoices", {.dead_letters = {.queue = "dlq"}});
  for (int i = 0; i < 3; ++i) {
    for (const char* queue : {"orders", "invoices"}) {
      send(queue, queue);
      reject_one(queue);
    }
  }
  expect_redriven("dlq", 6, 0);
  for (const char* queue : {"orders", "invoices"}) {
    EXPECT_THAT(bodies(receive(queue, 10)), ElementsAre(queue, queue, queue));
  }
}

TEST_P(Redrive, GoesToTheSourceEvenIfItDeadLettersElsewhereNow) {
  send("orders", "a");
  reject_one("orders");
  must(broker().alter_queue("orders", {.dead_letters = {.queue = "other"}}, MissingQueues::kCreate));
  expect_redriven("dlq", 1, 0);
  reject_one("orders");
  EXPECT_EQ(only_dead_letter("other").record.replays, 1U);
}

TEST_P(Redrive, IsRememberedByTheNextDeath) {
  const Timestamp sent_at = now();
  send("orders", "a");
  reject_one("orders", {.category = "first", .reason = "one", .code = "1", .stack_trace = "f"});
  const Timestamp first_failed_at = now();
  for (std::uint32_t replay = 1; replay <= 5; ++replay) {
    advance(1s);
    expect_redriven("dlq", 1, 0);
    advance(1s);
    const Delivery out = receive_one("orders");
    EXPECT_EQ(out.replays, replay);
    EXPECT_EQ(out.deliveries, 1U);
    EXPECT_EQ(out.sent_at, sent_at);
    must(broker().reject(out.receipt, {.reason = "again"}));
    const FailureRecord record = only_dead_letter("dlq").record;
    EXPECT_EQ(record.replays, replay);
    EXPECT_EQ(record.deliveries, 1U);
    EXPECT_EQ(record.category, "");
    EXPECT_EQ(record.reason, "again");
    EXPECT_EQ(record.sent_at, sent_at);
    EXPECT_EQ(record.first_failed_at, first_failed_at);
    EXPECT_EQ(record.last_failed_at, now());
    EXPECT_EQ(record.died_at, now());
    if (replay == 3) reopen();
  }
}

// A message that fell down a chain of dead letter queues goes back to where it was sent, in one step or in
// several.
TEST_P(Redrive, FindsTheWayBackUpAChain) {
  must(broker().alter_queue("dlq", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "parked"}},
                            MissingQueues::kCreate));
  const MessageId id = send("orders", "a");
  reject_one("orders", {.category = "deep"});
  reject_one("dlq", {.category = "deeper"});
  EXPECT_EQ(counts("parked"), (QueueCounts{.ready = 1, .dead = 1}));
  EXPECT_EQ(only_dead_letter("parked").record.category, "deeper");
  expect_redriven("parked", 1, 0);
  must(broker().redrive("dlq"));
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  const Delivery back = receive_one("orders");
  EXPECT_EQ(back.id, id);
  EXPECT_EQ(back.deliveries, 1U);
}

TEST_P(Redrive, OfManySurvivesAReopen) {
  const std::vector<MessageId> sent = send_numbered("orders", 2000);
  EXPECT_THAT(must(broker().reject_batch(receipts(receive("orders", 2000)), {})),
              ::testing::Each(Succeeds()));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 2000, .dead = 2000}));
  expect_redriven("dlq", 2000, 0);
  reopen();
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2000}));
  EXPECT_EQ(ids(receive_all("orders")), sent);
}

TEST_P(Redrive, FromTheMiddleLeavesTheRestReceivable) {
  send_numbered("orders", 400);
  const Deliveries out = receive("orders", 400);
  for (std::size_t i = 0; i < out.size(); ++i) {
    must(broker().reject(out[i].receipt, {.category = i % 3 == 1 ? "some" : "other"},
                         {.durability = Durability::kBuffered}));
  }
  expect_redriven("dlq", 133, 0, {.filter = {.category = "some"}});
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 267, .dead = 267}));
  reopen();
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 267, .dead = 267}));
  std::vector<std::string> rest = bodies(receive_all("dlq"));
  ASSERT_EQ(rest.size(), 267U);
  EXPECT_TRUE(std::ranges::none_of(rest, [](const std::string& body) { return std::stoi(body) % 3 == 1; }));
  EXPECT_EQ(receive_all("orders").size(), 133U);
}

}  // namespace
}  // namespace holdfast::testing
