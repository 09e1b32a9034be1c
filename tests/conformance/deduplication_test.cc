// A message that is sent again within the window is not added again.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

class Dedup : public BrokerFixture {
 protected:
  Sent send_as(std::string_view queue, const std::string& id, const std::string& body = "body") {
    return must(broker().send(queue, {.body = body, .deduplication_id = id}));
  }
};
HOLDFAST_FOR_EACH_BROKER(Dedup);

TEST_P(Dedup, ARepeatedSendGetsTheFirstOnesId) {
  create("orders", {.deduplication = {.mode = Deduplication::kById}});
  const Sent first = send_as("orders", "1", "first");
  EXPECT_FALSE(first.duplicate);
  const Sent again = send_as("orders", "1", "second");
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.id, first.id);
  EXPECT_EQ(again.durability, Durability::kFsync);
  EXPECT_FALSE(send_as("orders", "2").duplicate);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("first", "body"));
}

TEST_P(Dedup, MessagesWithoutAnIdAreNewUnlessTheBodyCounts) {
  create("by-id", {.deduplication = {.mode = Deduplication::kById}});
  create("by-content", {.deduplication = {.mode = Deduplication::kByContent}});
  EXPECT_FALSE(send_as("by-id", "").duplicate);
  EXPECT_FALSE(send_as("by-id", "").duplicate);
  EXPECT_FALSE(send_as("by-content", "", "a").duplicate);
  EXPECT_TRUE(must(broker().send("by-content", {.body = "a", .attributes = {{"trace", "2"}}, .group = "g"}))
                  .duplicate);
  EXPECT_FALSE(send_as("by-content", "", "b").duplicate);
  // An id is looked at before the body, and is not the same as a body of the same bytes.
  EXPECT_FALSE(send_as("by-content", "a", "a").duplicate);
  EXPECT_FALSE(send_as("by-content", "x", "a").duplicate);
}

TEST_P(Dedup, WithoutItNothingIsRemembered) {
  create("orders");
  EXPECT_FALSE(send_as("orders", "1").duplicate);
  EXPECT_FALSE(send_as("orders", "1").duplicate);
}

TEST_P(Dedup, WorksWithinABatch) {
  create("orders", {.deduplication = {.mode = Deduplication::kById}});
  send_as("orders", "0");
  std::vector<Message> messages;
  for (const char* id : {"0", "1", "1", "", "2"}) messages.push_back({.body = id, .deduplication_id = id});
  messages.push_back({.body = std::string(limits::kBodyBytes + 1, 'x'), .deduplication_id = "3"});
  const auto results = must(broker().send_batch("orders", std::move(messages)));
  std::vector<bool> duplicates;
  for (std::size_t i = 0; i < 5; ++i) duplicates.push_back(must(results[i]).duplicate);
  EXPECT_THAT(duplicates, ElementsAre(true, false, true, false, false));
  EXPECT_EQ(must(results[1]).id, must(results[2]).id);
  EXPECT_FALSE(results[5].has_value());
  EXPECT_FALSE(send_as("orders", "3").duplicate);
  EXPECT_EQ(counts("orders").ready, 5U);
}

TEST_P(Dedup, EndsWithTheWindow) {
  create("orders", {.deduplication = {.mode = Deduplication::kById, .window = 60s}});
  send_as("orders", "1");
  advance(30s);
  send_as("orders", "2");
  advance(30s - 1us);
  EXPECT_TRUE(send_as("orders", "1").duplicate);
  advance(1us);
  EXPECT_FALSE(send_as("orders", "1").duplicate);
  EXPECT_TRUE(send_as("orders", "2").duplicate);
  advance(60s - 1us);
  EXPECT_TRUE(send_as("orders", "1").duplicate);
  EXPECT_FALSE(send_as("orders", "2").duplicate);
}

TEST_P(Dedup, OutlivesTheMessageAndARestart) {
  create("orders", {.dead_letters = {.queue = "dlq"}, .deduplication = {.mode = Deduplication::kById}});
  const Sent acked = send_as("orders", "1");
  must(broker().ack(receive_one("orders").receipt));
  send_as("orders", "2");
  must(broker().purge_queue("orders"));
  send_as("orders", "3");
  reject_one("orders");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(send_as("orders", "1").id, acked.id);
    EXPECT_TRUE(send_as("orders", "2").duplicate);
    EXPECT_TRUE(send_as("orders", "3").duplicate);
    advance(1min);
    reopen();
  }
  EXPECT_EQ(must(broker().redrive("dlq")).moved, 1U);
  EXPECT_EQ(counts("orders").ready, 1U);
  advance(3min);
  EXPECT_FALSE(send_as("orders", "1").duplicate);
}

TEST_P(Dedup, AnotherWindowCountsFromTheNextSend) {
  create("orders", {.deduplication = {.mode = Deduplication::kById, .window = 1h}});
  send_as("orders", "1");
  advance(50min);
  send_as("orders", "2");
  must(broker().alter_queue("orders", {.deduplication = {.window = 1min}}));
  EXPECT_FALSE(send_as("orders", "1").duplicate);
  EXPECT_TRUE(send_as("orders", "2").duplicate);
  advance(59s);
  must(broker().alter_queue("orders", {.deduplication = {.window = 1h}}));
  reopen();
  EXPECT_TRUE(send_as("orders", "1").duplicate);
  EXPECT_TRUE(send_as("orders", "2").duplicate);
  advance(1h - 59s - 1us);
  EXPECT_TRUE(send_as("orders", "1").duplicate);
  EXPECT_FALSE(send_as("orders", "3").duplicate);
  advance(1us);
  EXPECT_FALSE(send_as("orders", "1").duplicate);
  EXPECT_TRUE(send_as("orders", "3").duplicate);
}

TEST_P(Dedup, TurnedOffAndOnItBeginsAnew) {
  create("orders", {.deduplication = {.mode = Deduplication::kById}});
  send_as("orders", "1");
  must(broker().alter_queue("orders", {.deduplication = {.mode = Deduplication::kNone}}));
  EXPECT_FALSE(send_as("orders", "1").duplicate);
  must(broker().alter_queue("orders", {.deduplication = {.mode = Deduplication::kByContent}}));
  EXPECT_FALSE(send_as("orders", "1").duplicate);
  EXPECT_TRUE(send_as("orders", "1").duplicate);
}

TEST_P(Dedup, WorksOnAnOrderedQueue) {
  create("orders",
         {.grouping = {.mode = Grouping::kOrdered}, .deduplication = {.mode = Deduplication::kById}});
  for (const char* id : {"1", "2", "1", "3", "2"}) send_as("orders", id, id);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("1", "2", "3"));
}

TEST_P(Dedup, HasLimits) {
  create("orders", {.deduplication = {.mode = Deduplication::kById}});
  EXPECT_FALSE(send_as("orders", std::string(limits::kDeduplicationIdBytes, 'x')).duplicate);
  EXPECT_TRUE(send_as("orders", std::string(limits::kDeduplicationIdBytes, 'x')).duplicate);
  EXPECT_THAT(
      broker().send("orders", {.deduplication_id = std::string(limits::kDeduplicationIdBytes + 1, 'x')}),
      FailsNaming(ErrorCode::kLimitExceeded, "deduplication_id"));
  const auto alter = [&](Duration window) {
    return broker().alter_queue("orders", {.deduplication = {.window = window}});
  };
  EXPECT_THAT(alter(limits::kDeduplicationWindowMin), Succeeds());
  EXPECT_THAT(alter(limits::kDeduplicationWindowMax), Succeeds());
  EXPECT_THAT(alter(limits::kDeduplicationWindowMin - 1us), RefusesValue("deduplication_window"));
  EXPECT_THAT(alter(limits::kDeduplicationWindowMax + 1us), RefusesValue("deduplication_window"));
}

}  // namespace
}  // namespace holdfast::testing
