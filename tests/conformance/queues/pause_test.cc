// These tests are about pause, resume and tags.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PauseTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  }
};
HOLDFAST_FOR_EACH_BROKER(PauseTest);

TEST_P(PauseTest, OfDeliveriesStopsReceivesAndNothingElse) {
  send_numbered("orders", 3);
  const Deliveries out = receive("orders", 2);
  must(broker().pause_queue("orders", {.deliveries = true}));
  EXPECT_EQ(info("orders").paused, (Pause{.deliveries = true}));
  EXPECT_THAT(receive("orders", 10), IsEmpty());
  must(broker().ack(out[0].receipt));
  advance(10s);
  send("orders", "more");
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
  must(broker().resume_queue("orders", {.deliveries = true, .sends = true}));
  EXPECT_EQ(info("orders").paused, Pause{});
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("1", "2", "more"));
}

TEST_P(PauseTest, OfSendsRefusesSendsButNotWhatComesFromElsewhere) {
  send("orders", "a");
  must(broker().pause_queue("orders", {.sends = true}));
  must(broker().pause_queue("dlq", {.sends = true}));
  EXPECT_THAT(broker().send("orders", {.body = "b"}), FailsWith(ErrorCode::kQueuePaused));
  reject_one("orders");
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
  must(broker().redrive("dlq"));
  EXPECT_THAT(bodies(receive("orders", 10)), ElementsAre("a"));
  must(broker().resume_queue("orders", {.sends = true}));
  send("orders", "b");
}

TEST_P(PauseTest, SurvivesAlterAndReopen) {
  must(broker().pause_queue("orders", {.deliveries = true}));
  must(broker().pause_queue("orders", {.sends = true}));
  must(broker().alter_queue("orders", {.lease = 5s}));
  reopen();
  EXPECT_EQ(info("orders").paused, (Pause{.deliveries = true, .sends = true}));
  must(broker().resume_queue("orders", {.sends = true}));
  reopen();
  EXPECT_EQ(info("orders").paused, (Pause{.deliveries = true}));
  send("orders", "a");
  EXPECT_THAT(receive("orders", 1), IsEmpty());
}

TEST_P(PauseTest, NeedsAQueueAndSomethingToPause) {
  EXPECT_THAT(broker().pause_queue("orders", {}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(broker().resume_queue("orders", {}), FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(broker().pause_queue("nowhere", {.sends = true}), FailsWith(ErrorCode::kQueueNotFound));
}

class TagsTest : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(TagsTest);

TEST_P(TagsTest, AreKeptShownAndReplaced) {
  create("orders", {.tags = {{"team", "billing"}, {"empty", ""}}});
  reopen();
  EXPECT_EQ(info("orders").options.tags, (Tags{{"team", "billing"}, {"empty", ""}}));
  must(broker().alter_queue("orders", {.tags = Tags{{"team", "ops"}}}));
  EXPECT_EQ(must(broker().list_queues()).at(0).options.tags, (Tags{{"team", "ops"}}));
  must(broker().alter_queue("orders", {.tags = Tags{}}));
  EXPECT_EQ(info("orders").options, QueueOptions{});
}

TEST_P(TagsTest, AreBounded) {
  Tags most;
  for (std::size_t i = 0; i < limits::kTags; ++i) most[std::to_string(i)] = "";
  EXPECT_THAT(broker().create_queue("most", {.tags = most}), Succeeds());
  most["one more"] = "";
  EXPECT_THAT(broker().create_queue("more", {.tags = most}), RefusesValue("tags"));
  const std::string name(limits::kTagNameBytes, 'n');
  const std::string value(limits::kTagValueBytes, 'v');
  EXPECT_THAT(broker().create_queue("long", {.tags = {{name, value}}}), Succeeds());
  EXPECT_THAT(broker().create_queue("longer", {.tags = {{name + "n", ""}}}), RefusesValue("tag"));
  EXPECT_THAT(broker().create_queue("longer", {.tags = {{"n", value + "v"}}}), RefusesValue("tag"));
  EXPECT_THAT(broker().create_queue("longer", {.tags = {{"", "v"}}}), RefusesValue("tag"));
}

}  // namespace
}  // namespace holdfast::testing
