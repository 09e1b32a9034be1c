// These tests are about peek.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PeekTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s});
  }
  PeekPage peek(PeekOptions options = {}) { return must(broker().peek("orders", options)); }
  std::vector<std::string> peeked(PeekOptions options = {}) {
    options.bodies = true;
    std::vector<std::string> result;
    for (const PeekedMessage& message : peek(options).items) result.push_back(message.body);
    return result;
  }
};
HOLDFAST_FOR_EACH_BROKER(PeekTest);

TEST_P(PeekTest, ShowsEveryStateAndChangesNothing) {
  send_numbered("orders", 5);
  const Deliveries out = receive("orders", 4);
  must(broker().ack(out[0].receipt));
  must(broker().release(out[1].receipt, {.delay = 30s}));
  must(broker().release(out[2].receipt));
  const QueueInfo before = info("orders");
  const std::vector<PeekedMessage> items = peek().items;
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(items[0].id, out[1].id);
  EXPECT_EQ(items[0].state, MessageState::kWaiting);
  EXPECT_EQ(items[0].due, now() + 30s);
  EXPECT_EQ(items[0].deliveries, 1U);
  EXPECT_EQ(items[0].body, "");
  EXPECT_EQ(items[1].state, MessageState::kReady);
  EXPECT_EQ(items[1].due, std::nullopt);
  EXPECT_EQ(items[1].deliveries, 1U);
  EXPECT_EQ(items[2].state, MessageState::kLeased);
  EXPECT_EQ(items[2].due, now() + 10s);
  EXPECT_EQ(items[2].seq, out[3].receipt.seq);
  EXPECT_EQ(items[3].state, MessageState::kReady);
  EXPECT_EQ(items[3].deliveries, 0U);
  EXPECT_EQ(items[3].sent_at, now());
  EXPECT_EQ(info("orders").counts, before.counts);
  EXPECT_EQ(info("orders").totals, before.totals);
}

TEST_P(PeekTest, RedactionSaysWhatItTookOut) {
  const Attributes attributes{{"card", "4111"}, {"k", "v"}};
  send("orders", "in the log", attributes);
  must(broker().send("orders", {.body = "outside", .attributes = attributes, .delay = 1h}));
  for (const bool scheduled : {false, true}) {
    const PeekOptions options{
        .bodies = true, .scheduled = scheduled, .redact = {.bodies = true, .attributes = {"card", "none"}}};
    const PeekedMessage message = peek(options).items.at(0);
    EXPECT_EQ(message.body, "");
    EXPECT_EQ(message.attributes, (Attributes{{"card", ""}, {"k", "v"}}));
    EXPECT_THAT(message.redacted, ElementsAre("body", "attribute card", "attribute none"));
  }
  EXPECT_THAT(peek({.bodies = true}).items.at(0).redacted, IsEmpty());
}

TEST_P(PeekTest, BodiesComeWhenAskedFor) {
  const Attributes attributes{{"k", "v"}};
  send("orders", "a", attributes);
  EXPECT_THAT(peek().items.at(0).attributes, IsEmpty());
  const PeekedMessage message = peek({.bodies = true}).items.at(0);
  EXPECT_EQ(message.body, "a");
  EXPECT_EQ(message.attributes, attributes);
}

TEST_P(PeekTest, PagesGoThroughAllOnce) {
  send_numbered("orders", 300);
  std::vector<std::string> seen;
  std::optional<Seq> from;
  do {
    const PeekPage page = peek({.from = from, .max = 7, .bodies = true});
    for (const PeekedMessage& message : page.items) seen.push_back(message.body);
    from = page.next;
  } while (from);
  ASSERT_EQ(seen.size(), 300U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], std::to_string(i));
}

TEST_P(PeekTest, FindsAnId) {
  const std::vector<MessageId> ids = send_numbered("orders", 300);
  EXPECT_THAT(peeked({.id = ids[200]}), ElementsAre("200"));
  EXPECT_THAT(peeked({.from = Seq{290}, .id = ids[200]}), IsEmpty());
  must(broker().ack(receive_one("orders").receipt));
  EXPECT_THAT(peeked({.id = ids[0]}), IsEmpty());
}

TEST_P(PeekTest, StartsInTheMiddleOfAChunk) {
  send_numbered("orders", 10);
  const Seq sixth = peek().items.at(5).seq;
  EXPECT_THAT(peeked({.from = sixth, .max = 2}), ElementsAre("5", "6"));
}

TEST_P(PeekTest, OfALongQueueSaysWhereToGoOn) {
  constexpr std::size_t kMany = limits::kPeekScan + 500;
  for (std::size_t i = 0; i < kMany; i += 500) send_numbered("orders", 500);
  const PeekPage page = peek({.id = MessageId{}});
  EXPECT_THAT(page.items, IsEmpty());
  ASSERT_TRUE(page.next.has_value());
  EXPECT_EQ(peek({.from = page.next, .id = MessageId{}}).next, std::nullopt);
}

TEST_P(PeekTest, ShowsWhatWaitsOutsideTheLog) {
  must(broker().alter_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  must(broker().send("orders", {.body = "late", .attributes = {{"k", "v"}}, .delay = 2h}));
  must(broker().send("orders", {.body = "early", .delay = 1h, .time_to_live = 1min}));
  const MessageId retried = send("orders", "retried");
  must(broker().release(receive_one("orders").receipt, {.delay = 90min}));
  run_due();
  const QueueInfo before = info("orders");
  EXPECT_THAT(peeked(), IsEmpty());
  const std::vector<PeekedMessage> items = peek({.bodies = true, .scheduled = true}).items;
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[0].body, "early");
  EXPECT_EQ(items[0].state, MessageState::kWaiting);
  EXPECT_EQ(items[0].due, now() + 1h);
  EXPECT_EQ(items[0].expires_at, now() + 1h + 1min);
  EXPECT_EQ(items[0].deliveries, 0U);
  EXPECT_EQ(items[1].id, retried);
  EXPECT_EQ(items[1].deliveries, 1U);
  EXPECT_EQ(items[1].due, now() + 90min);
  EXPECT_EQ(items[2].body, "late");
  EXPECT_EQ(items[2].attributes, (Attributes{{"k", "v"}}));
  EXPECT_EQ(items[2].scheduled.value().due, now() + 2h);
  EXPECT_EQ(info("orders").counts, before.counts);
  EXPECT_THAT(peeked({.id = retried, .scheduled = true}), ElementsAre("retried"));
  reopen();
  EXPECT_THAT(peeked({.scheduled = true}), ElementsAre("early", "retried", "late"));
  EXPECT_THAT(peeked({.scheduled = true, .from_scheduled = ScheduledPlace{.due = now() + 1h + 1us}}),
              ElementsAre("retried", "late"));
  advance(1h);
  EXPECT_THAT(peeked({.scheduled = true}), ElementsAre("retried", "late"));
  EXPECT_THAT(peeked(), ElementsAre("early"));
  must(broker().purge_queue("orders"));
  EXPECT_THAT(peeked({.scheduled = true}), IsEmpty());
}

TEST_P(PeekTest, PagesGoThroughAllThatWaitOnce) {
  std::vector<Message> messages;
  for (int i = 0; i < 300; ++i) messages.push_back({.body = std::to_string(i), .delay = 1h * (1 + i / 150)});
  must(broker().send_batch("orders", std::move(messages)));
  std::vector<std::string> seen;
  std::optional<ScheduledPlace> from;
  do {
    const PeekPage page = peek({.max = 7, .bodies = true, .scheduled = true, .from_scheduled = from});
    for (const PeekedMessage& message : page.items) seen.push_back(message.body);
    from = page.next_scheduled;
    if (from) {
      EXPECT_EQ(parse_scheduled_place(to_string(*from)), from);
    }
  } while (from);
  ASSERT_EQ(seen.size(), 300U);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], std::to_string(i));
}

TEST_P(PeekTest, RefusesWhatMakesNoSense) {
  EXPECT_THAT(broker().peek("orders", {.from = Seq{1}, .scheduled = true}), RefusesValue("from"));
  EXPECT_THAT(broker().peek("orders", {.from_scheduled = ScheduledPlace{}}), RefusesValue("from_scheduled"));

  EXPECT_THAT(broker().peek("nowhere", {}), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(broker().peek("orders", {.max = 0}), RefusesValue("max"));
  EXPECT_THAT(broker().peek("orders", {.max = limits::kListPage + 1}), RefusesValue("max"));
  EXPECT_THAT(peek({.max = limits::kListPage}).items, IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
