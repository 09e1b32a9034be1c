// These tests are about message groups: ordered queues and fair ones.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Groups : public BrokerFixture {
 protected:
  void create_ordered() {
    create("orders", {.lease = 10s,
                      .retry = {.max_deliveries = 2},
                      .dead_letters = {.queue = "dlq"},
                      .grouping = {.mode = Grouping::kOrdered}});
  }
  // Sends messages. Each text is "group:number".
  void send_all(std::string_view queue, const std::vector<std::string>& texts) {
    std::vector<Message> messages;
    for (const std::string& text : texts) {
      messages.push_back({.body = text, .group = text.substr(0, text.find(':'))});
    }
    for (auto& sent : must(broker().send_batch(queue, std::move(messages)))) must(std::move(sent));
  }
  std::vector<std::string> receive_bodies(std::string_view queue, std::size_t max) {
    return bodies(receive(queue, max));
  }
};
HOLDFAST_FOR_EACH_BROKER(Groups);

TEST_P(Groups, MayBeRequiredOfEachSend) {
  create("orders", {.grouping = {.mode = Grouping::kOrdered, .require_group = true}});
  const auto refused = FailsNaming(ErrorCode::kInvalidArgument, "require_group of queue 'orders'");
  EXPECT_THAT(broker().send("orders", {.body = "a"}), refused);
  const auto results = must(broker().send_batch("orders", {{.body = "b"}, {.body = "c", .group = "g"}}));
  EXPECT_THAT(results.at(0), refused);
  EXPECT_TRUE(results.at(1));
  must(broker().alter_queue("orders", {.grouping = {.require_group = false}}));
  must(broker().send("orders", {.body = "d"}));
  EXPECT_THAT(receive_bodies("orders", 9), ElementsAre("c", "d"));
}

// The option is about sends only: it must not keep out what is moved.
TEST_P(Groups, NeedNotBeThereOfWhatIsRedriven) {
  create("orders", {.dead_letters = {.queue = "dlq"}});
  must(broker().send("orders", {.body = "a"}));
  must(broker().reject(receive_one("orders").receipt, {}));
  must(broker().alter_queue("orders", {.grouping = {.mode = Grouping::kOrdered, .require_group = true}}));
  must(broker().redrive("dlq"));
  EXPECT_THAT(receive_bodies("orders", 9), ElementsAre("a"));
}

TEST_P(Groups, AreCarriedWithTheMessage) {
  create("plain", {.dead_letters = {.queue = "dlq"}});
  must(broker().send("plain", {.body = "a", .group = std::string("g\0\xff", 3)}));
  Delivery delivery = receive_one("plain");
  EXPECT_EQ(delivery.group, std::string("g\0\xff", 3));
  must(broker().reject(delivery.receipt, {}));
  EXPECT_EQ(only_dead_letter("dlq").record.group, delivery.group);
  EXPECT_EQ(receive_one("dlq", {.lease = 1ms}).group, delivery.group);
  advance(1ms);
  must(broker().redrive("dlq"));
  reopen();
  EXPECT_EQ(receive_one("plain").group, delivery.group);
}

TEST_P(Groups, NamesHaveALimit) {
  create("plain");
  must(broker().send("plain", {.body = "a", .group = std::string(limits::kGroupBytes, 'g')}));
  EXPECT_THAT(broker().send("plain", {.body = "a", .group = std::string(limits::kGroupBytes + 1, 'g')}),
              FailsNaming(ErrorCode::kLimitExceeded, "the group"));
}

TEST_P(Groups, OneBatchOfAGroupIsOutAtATime) {
  create_ordered();
  send_all("orders", {"a:1", "a:2", "b:1", "a:3", "b:2", "c:1"});
  const Deliveries first = receive("orders", 2);
  EXPECT_THAT(bodies(first), ElementsAre("a:1", "a:2"));
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("b:1", "b:2", "c:1"));
  must(broker().ack(first[0].receipt));
  EXPECT_THAT(receive_bodies("orders", 10), IsEmpty());
  must(broker().ack(first[1].receipt));
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("a:3"));
}

TEST_P(Groups, KeepTheirOrderOverReleaseAndExpiry) {
  create_ordered();
  send_all("orders", {"a:1", "a:2", "b:1"});
  const Deliveries out = receive("orders", 1);
  must(broker().release(out[0].receipt, {.delay = 30s, .charge = false}));
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("b:1"));
  advance(30s);
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("a:1", "a:2", "b:1"));
  advance(10s);
  EXPECT_THAT(receive_bodies("orders", 2), ElementsAre("a:1", "a:2"));
}

TEST_P(Groups, ADeadLetterFreesItsGroupAndComesBackLast) {
  create_ordered();
  send_all("orders", {"a:1", "a:2"});
  must(broker().reject(receive_one("orders").receipt, {.reason = "r"}));
  const Delivery second = receive_one("orders");
  EXPECT_EQ(second.body, "a:2");
  send_all("orders", {"a:3"});
  must(broker().redrive("dlq"));
  must(broker().ack(second.receipt));
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("a:3", "a:1"));
}

TEST_P(Groups, MessagesWithoutOneAreAGroup) {
  create_ordered();
  send("orders", "1");
  send("orders", "2");
  const Delivery first = receive_one("orders");
  EXPECT_THAT(receive_bodies("orders", 10), IsEmpty());
  must(broker().ack(first.receipt));
  EXPECT_EQ(receive_one("orders").body, "2");
}

TEST_P(Groups, KeepWhatWasPassedOverARestart) {
  create_ordered();
  for (int i = 0; i < 300; ++i) send_all("orders", {"a:" + std::to_string(i)});
  send_all("orders", {"b:0"});
  Delivery head = receive_one("orders");
  EXPECT_THAT(receive_bodies("orders", 1), ElementsAre("b:0"));
  const QueueCounts before = counts("orders");
  EXPECT_EQ(before, (QueueCounts{.ready = 299, .leased = 2}));
  for (int round = 0; round < 2; ++round) {
    reopen();
    EXPECT_EQ(counts("orders"), before);
    EXPECT_THAT(receive_bodies("orders", 10), IsEmpty());
  }
  for (int i = 1; i < 300; ++i) {
    must(broker().ack(head.receipt));
    head = receive_one("orders");
    ASSERT_EQ(head.body, "a:" + std::to_string(i));
    EXPECT_EQ(head.deliveries, 1U);
  }
}

TEST_P(Groups, TakeTurnsOnAFairQueue) {
  create("orders", {.grouping = {.mode = Grouping::kFair}});
  std::vector<std::string> noisy;
  for (int i = 0; i < 1000; ++i) noisy.push_back("noisy:" + std::to_string(i));
  send_all("orders", noisy);
  send_all("orders", {"x:0", "y:0", "x:1"});
  EXPECT_THAT(receive_bodies("orders", 4), ElementsAre("noisy:0", "x:0", "y:0", "noisy:1"));
  send_all("orders", {"z:0"});
  reopen();
  const std::vector<std::string> after = receive_bodies("orders", 3);
  EXPECT_THAT(after, ::testing::UnorderedElementsAre("noisy:2", "x:1", "z:0"));
  EXPECT_EQ(receive_all("orders").size(), 997U);
}

TEST_P(Groups, CanBeTurnedOnAndOff) {
  create("orders", {.lease = 10s});
  send_all("orders", {"a:1", "b:1", "a:2", "b:2", "a:3"});
  const Deliveries out = receive("orders", 2);
  must(broker().alter_queue("orders", {.grouping = {.mode = Grouping::kOrdered}}));
  EXPECT_EQ(info("orders").options.grouping.mode, Grouping::kOrdered);
  EXPECT_THAT(receive_bodies("orders", 10), IsEmpty());
  must(broker().release(out[0].receipt));
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("a:1", "a:2", "a:3"));
  must(broker().alter_queue("orders", {.grouping = {.mode = Grouping::kNone}}));
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("b:2"));
  advance(10s);
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("a:1", "b:1", "a:2", "b:2", "a:3"));
}

TEST_P(Groups, ArePurged) {
  create_ordered();
  send_all("orders", {"a:1", "a:2", "b:1"});
  receive("orders", 1);
  EXPECT_EQ(must(broker().purge_queue("orders")), 3U);
  send_all("orders", {"a:4"});
  EXPECT_THAT(receive_bodies("orders", 10), ElementsAre("a:4"));
}

}  // namespace
}  // namespace holdfast::testing
