// These tests are about create_queue, describe_queue, list_queues.
#include "holdfast/limits.h"
#include "tests/base/each_verb.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Queues : public BrokerFixture {
 protected:
  std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const QueueInfo& queue : must(broker().list_queues())) result.push_back(queue.name);
    return result;
  }
};
HOLDFAST_FOR_EACH_BROKER(Queues);

TEST_P(Queues, AreDescribedAsTheyWereCreated) {
  const QueueOptions options{.lease = 90s,
                             .durability = Durability::kBuffered,
                             .retry = {.max_deliveries = 7},
                             .dead_letters = {.queue = "orders-dlq", .discard_rejected = true}};
  const auto declared = must(broker().create_queue("orders", options, MissingQueues::kCreate));
  EXPECT_TRUE(declared.created);
  EXPECT_THAT(declared.warnings, IsEmpty());

  const QueueInfo queue = info("orders");
  EXPECT_EQ(queue.name, "orders");
  EXPECT_EQ(queue.options, options);
  EXPECT_EQ(queue.created_at, now());
  EXPECT_EQ(queue.counts, QueueCounts{});
  EXPECT_EQ(queue.totals, QueueTotals{});
}

TEST_P(Queues, HaveTheDefaultOptionsOfTheHeader) {
  create("orders");
  EXPECT_EQ(info("orders").options, QueueOptions{});
}

TEST_P(Queues, CreatedAgainWithTheSameOptionsStayAsTheyAre) {
  create("orders", {.retry = {.max_deliveries = 3}});
  send("orders", "kept");
  const QueueId id = info("orders").id;
  EXPECT_FALSE(must(broker().create_queue("orders", {.retry = {.max_deliveries = 3}})).created);
  EXPECT_EQ(info("orders").id, id);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

TEST_P(Queues, CreatedAgainWithOtherOptionsAreRefused) {
  create("orders", {.retry = {.max_deliveries = 3}});
  EXPECT_THAT(
      broker().create_queue("orders", {.retry = {.max_deliveries = 4}}),
      FailsNaming(ErrorCode::kQueueExists, "'orders' exists with other options: max_deliveries; alter it"));
  EXPECT_THAT(broker().create_queue("orders", {.dead_letters = {.queue = "new-dlq"}}, MissingQueues::kCreate),
              FailsNaming(ErrorCode::kQueueExists, "other options: max_deliveries, dead_letter_queue;"));
  EXPECT_EQ(info("orders").options.retry.max_deliveries, 3U);
  EXPECT_THAT(names(), ElementsAre("orders"));
}

TEST_P(Queues, AreListedByName) {
  EXPECT_THAT(names(), IsEmpty());
  for (const char* name : {"b", "a.2", "C", "a"}) create(name);
  EXPECT_THAT(names(), ElementsAre("C", "a", "a.2", "b"));
}

TEST_P(Queues, AreListedAsTheyAreDescribed) {
  create("orders", {.retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
  send_numbered("orders", 3);
  receive("orders", 1);
  const auto listed = must(broker().list_queues());
  ASSERT_EQ(listed.size(), 2U);
  const QueueInfo described = info("orders");
  EXPECT_EQ(listed[1].id, described.id);
  EXPECT_EQ(listed[1].created_at, described.created_at);
  EXPECT_EQ(listed[1].options, described.options);
  EXPECT_EQ(listed[1].counts, described.counts);
  EXPECT_EQ(listed[1].totals, described.totals);
}

TEST_P(Queues, WarnAboutTraps) {
  for (const std::uint32_t trap : {1U, 100U, 1000U}) {
    const auto declared = must(broker().create_queue(
        "q" + std::to_string(trap), {.retry = {.max_deliveries = trap}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
    EXPECT_TRUE(declared.created);
    EXPECT_THAT(declared.warnings, ElementsAre(HasSubstr("max_deliveries")));
  }
  for (const std::uint32_t fine : {2U, 5U, 99U}) {
    EXPECT_THAT(
        must(broker().create_queue("q" + std::to_string(fine),
                                   {.retry = {.max_deliveries = fine}, .dead_letters = {.queue = "dlq"}},
                                   MissingQueues::kCreate))
            .warnings,
        IsEmpty());
  }
}

// A misspelt name would otherwise make a second dead letter queue, which nobody looks into.
TEST_P(Queues, NameOnlyQueuesThatExistUnlessMissingOnesAreToBeCreated) {
  const auto refused = [](const std::string& name) {
    return FailsNaming(ErrorCode::kQueueNotFound, "'" + name + "', which does not exist");
  };
  EXPECT_THAT(broker().create_queue("orders", {.dead_letters = {.queue = "ordres-dlq"}}),
              refused("ordres-dlq"));
  EXPECT_THAT(broker().create_queue("orders", {.dead_letters = {.parking_queue = "parked"}}),
              refused("parked"));
  EXPECT_THAT(broker().create_queue("orders", {.dead_letters = {.routes = {{"spam", "spam-dlq"}}}}),
              refused("spam-dlq"));
  EXPECT_THAT(names(), IsEmpty());

  must(broker().create_queue("orders-dlq"));
  must(broker().create_queue("orders", {.dead_letters = {.queue = "orders-dlq"}}));
  EXPECT_THAT(broker().alter_queue("orders", {.dead_letters = {.queue = "other-dlq"}}), refused("other-dlq"));
  EXPECT_THAT(broker().alter_queue("orders-dlq", {.dead_letters = {.parking_queue = "parked"}}),
              refused("parked"));
  must(broker().alter_queue("orders-dlq", {.dead_letters = {.parking_queue = "parked"}},
                            MissingQueues::kCreate));
  EXPECT_THAT(names(), ElementsAre("orders", "orders-dlq", "parked"));
  EXPECT_EQ(info("parked").options, QueueOptions{});
  EXPECT_EQ(info("orders").options.dead_letters.queue, "orders-dlq");
}

TEST_P(Queues, TakeNamesUpToTheLimit) {
  const std::string longest(limits::kQueueNameBytes, 'q');
  create(longest);
  EXPECT_EQ(info(longest).name, longest);
  EXPECT_THAT(broker().create_queue(longest + "q"), FailsNaming(ErrorCode::kLimitExceeded, "128"));
  create("Az09._-");
  create("...");
}

TEST_P(Queues, RefuseNamesOfOtherCharacters) {
  for (const std::string name : {"", " ", "a b", "a/b", "a:b", "\xc3\xa9", "a\n", "*", ".", ".."}) {
    EXPECT_THAT(broker().create_queue(name), FailsNaming(ErrorCode::kInvalidArgument, "name")) << name;
    EXPECT_THAT(broker().create_queue(std::string("a\0b", 3)), FailsWith(ErrorCode::kInvalidArgument));
  }
  EXPECT_THAT(names(), IsEmpty());
}

TEST_P(Queues, TakeOptionsUpToTheirBounds) {
  create("fewest", {.lease = limits::kLeaseMin, .retry = {.max_deliveries = limits::kMaxDeliveriesMin}});
  create("most", {.lease = limits::kLeaseMax, .retry = {.max_deliveries = limits::kMaxDeliveriesMax}});
  for (const std::uint32_t value : {0U, limits::kMaxDeliveriesMax + 1, 0xffffffffU}) {
    EXPECT_THAT(broker().create_queue("bad", {.retry = {.max_deliveries = value}}),
                RefusesValue("max_deliveries"));
  }
  for (const Duration value :
       {Duration(-1s), Duration(0), limits::kLeaseMin - 1us, limits::kLeaseMax + 1us}) {
    EXPECT_THAT(broker().create_queue("bad", {.lease = value}), RefusesValue("lease"));
  }
  EXPECT_THAT(broker().create_queue("bad", {.dead_letters = {.queue = "no spaces"}}, MissingQueues::kCreate),
              FailsNaming(ErrorCode::kInvalidArgument, "dead_letter_queue"));
  EXPECT_THAT(
      broker().create_queue("bad", {.dead_letters = {.queue = std::string(limits::kQueueNameBytes + 1, 'd')}},
                            MissingQueues::kCreate),
      FailsNaming(ErrorCode::kLimitExceeded, "dead_letter_queue"));
  EXPECT_THAT(names(), ElementsAre("fewest", "most"));
}

TEST_P(Queues, ThatDoNotExistAreNamedByEveryVerb) {
  for_each_verb([&](std::string_view name, auto verb) {
    if constexpr (takes_queue(decltype(verb){})) {
      if (name == "create_queue") return;
      EXPECT_THAT(call_verb(broker(), verb, {.queue = "nowhere"}),
                  FailsNaming(ErrorCode::kQueueNotFound, "nowhere"))
          << name;
    }
  });
}

TEST_P(Queues, SurviveAReopen) {
  create("orders", {.lease = 5s, .retry = {.max_deliveries = 3}, .dead_letters = {.queue = "dlq"}});
  const QueueInfo before = info("orders");
  reopen();
  const QueueInfo after = info("orders");
  EXPECT_EQ(after.id, before.id);
  EXPECT_EQ(after.created_at, before.created_at);
  EXPECT_EQ(after.options, before.options);
  EXPECT_THAT(names(), ElementsAre("dlq", "orders"));
}

}  // namespace
}  // namespace holdfast::testing
