// These tests check where dead letters go: routes by category, and who may use a queue as a dead letter
// queue.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using Allow = DeadLetterSources::Allow;

class Routing : public BrokerFixture {
 protected:
  const QueueOptions routed_{
      .retry = {.max_deliveries = 2},
      .dead_letters = {.queue = "dlq", .routes = {{"schema", "schema-dlq"}, {"auth", "auth-dlq"}}}};
};
HOLDFAST_FOR_EACH_BROKER(Routing);

TEST_P(Routing, SendsACategoryToItsOwnQueueAndTheRestToTheDefault) {
  create("orders", routed_);
  send_numbered("orders", 4);
  reject_one("orders", {.category = "schema"});
  reject_one("orders", {.category = "other"});
  reject_one("orders");
  must(broker().release(receive_one("orders").receipt));
  must(broker().release(receive_one("orders").receipt));
  EXPECT_EQ(only_dead_letter("schema-dlq").body, "0");
  EXPECT_THAT(dead_letters("dlq"), SizeIs(3));
  EXPECT_THAT(dead_letters("auth-dlq"), IsEmpty());
  reopen();
  EXPECT_EQ(info("orders").options, routed_);
  send("orders", "x");
  reject_one("orders", {.category = "auth"});
  EXPECT_THAT(dead_letters("auth-dlq"), SizeIs(1));
  must(broker().redrive("schema-dlq"));
  EXPECT_EQ(receive_one("orders").body, "0");
}

TEST_P(Routing, ChangesApplyToLaterDeaths) {
  create("orders", routed_);
  must(broker().alter_queue(
      "orders", {.dead_letters = {.routes = std::vector<DeadLetterRoute>{{"schema", "other-dlq"}}}},
      MissingQueues::kCreate));
  send("orders", "x");
  reject_one("orders", {.category = "schema"});
  EXPECT_THAT(dead_letters("other-dlq"), SizeIs(1));
  EXPECT_THAT(dead_letters("schema-dlq"), IsEmpty());
  must(broker().delete_queue("schema-dlq"));
  EXPECT_THAT(broker().delete_queue("other-dlq"), FailsWith(ErrorCode::kQueueInUse));
}

TEST_P(Routing, WithoutADefaultOnlyRoutedCategoriesHaveSomewhereToGo) {
  const auto declared = must(broker().create_queue(
      "orders", {.retry = {.max_deliveries = 1}, .dead_letters = {.routes = {{"schema", "dlq"}}}},
      MissingQueues::kCreate));
  EXPECT_THAT(declared.warnings, SizeIs(1));
  send("orders", "x");
  must(broker().release(receive_one("orders").receipt));
  const Delivery delivery = receive_one("orders");
  EXPECT_THAT(broker().reject(delivery.receipt, {.category = "other"}),
              FailsWith(ErrorCode::kNoDeadLetterQueue));
  must(broker().reject(delivery.receipt, {.category = "schema"}));
  EXPECT_THAT(dead_letters("dlq"), SizeIs(1));
}

TEST_P(Routing, RefusesACycleOverAnyRoute) {
  create("b", {.dead_letters = {.routes = {{"x", "c"}}}});
  create("a", {.dead_letters = {.queue = "b"}});
  const auto to_a = std::vector<DeadLetterRoute>{{"y", "a"}};
  EXPECT_THAT(broker().alter_queue("c", {.dead_letters = {.routes = to_a}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  EXPECT_THAT(broker().alter_queue("c", {.dead_letters = {.queue = "b"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  EXPECT_THAT(
      broker().create_queue("self", {.dead_letters = {.routes = {{"x", "self"}}}}, MissingQueues::kCreate),
      FailsWith(ErrorCode::kDeadLetterCycle));
  must(broker().alter_queue("c", {.dead_letters = {.queue = "d"}}, MissingQueues::kCreate));
  EXPECT_THAT(broker().alter_queue("d", {.dead_letters = {.queue = "a"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
}

// If the cycle were allowed, automatic redrive would move a parked message round for ever.
TEST_P(Routing, RefusesACycleOverAParkingQueue) {
  create("c1", {.dead_letters = {.queue = "c2"}});
  EXPECT_THAT(broker().alter_queue("c2", {.dead_letters = {.parking_queue = "c1"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  create("b2", {.dead_letters = {.parking_queue = "b1"}});
  EXPECT_THAT(broker().alter_queue("b1", {.dead_letters = {.queue = "b2"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
  must(broker().alter_queue("b1", {.dead_letters = {.routes = std::vector<DeadLetterRoute>{{"x", "b3"}}}},
                            MissingQueues::kCreate));
  EXPECT_THAT(broker().alter_queue("b3", {.dead_letters = {.parking_queue = "b2"}}, MissingQueues::kCreate),
              FailsWith(ErrorCode::kDeadLetterCycle));
}

TEST_P(Routing, ADeadLetterQueueSaysWhoMayUseIt) {
  create("closed", {.dead_letters = {.sources = {.allow = Allow::kNone}}});
  create("picky", {.dead_letters = {.sources = {.allow = Allow::kListed, .queues = {"orders"}}}});
  EXPECT_THAT(broker().create_queue("orders", {.dead_letters = {.queue = "closed"}}, MissingQueues::kCreate),
              FailsNaming(ErrorCode::kPermissionDenied, "closed"));
  EXPECT_THAT(
      broker().create_queue("bills", {.dead_letters = {.routes = {{"x", "picky"}}}}, MissingQueues::kCreate),
      FailsNaming(ErrorCode::kPermissionDenied, "picky"));
  create("orders", {.dead_letters = {.queue = "picky"}});
  EXPECT_THAT(
      broker().alter_queue("picky", {.dead_letters = {.sources = DeadLetterSources{.allow = Allow::kNone}}}),
      FailsNaming(ErrorCode::kQueueInUse, "orders"));
  reopen();
  EXPECT_EQ(info("picky").options.dead_letters.sources.queues, std::vector<std::string>{"orders"});
  must(broker().alter_queue("orders", {.dead_letters = {.queue = ""}}));
  must(
      broker().alter_queue("picky", {.dead_letters = {.sources = DeadLetterSources{.allow = Allow::kNone}}}));
}

TEST_P(Routing, RefusesRoutesThatMakeNoSense) {
  const auto refused = [&](std::vector<DeadLetterRoute> routes) {
    return broker().create_queue("orders", {.dead_letters = {.routes = std::move(routes)}},
                                 MissingQueues::kCreate);
  };
  EXPECT_THAT(refused({{"", "dlq"}}), RefusesValue("dead_letter_routes"));
  EXPECT_THAT(refused({{"x", ""}}), RefusesValue("dead_letter_routes"));
  EXPECT_THAT(refused({{"x", "a"}, {"x", "b"}}), RefusesValue("dead_letter_routes"));
  std::vector<DeadLetterRoute> many;
  for (std::size_t i = 0; i <= limits::kDeadLetterRoutes; ++i) many.push_back({std::to_string(i), "dlq"});
  EXPECT_THAT(refused(many), FailsNaming(ErrorCode::kLimitExceeded, "dead_letter_routes"));
  many.pop_back();
  must(refused(many));
  DeadLetterSources sources{.queues = {"a"}};
  EXPECT_THAT(broker().create_queue("x", {.dead_letters = {.sources = sources}}),
              RefusesValue("dead_letter_sources"));
  sources = {.allow = Allow::kListed,
             .queues = std::vector<std::string>(limits::kDeadLetterSources + 1, "a")};
  EXPECT_THAT(broker().create_queue("x", {.dead_letters = {.sources = sources}}),
              FailsNaming(ErrorCode::kLimitExceeded, "dead_letter_sources"));
  sources.queues.pop_back();
  must(broker().create_queue("x", {.dead_letters = {.sources = sources}}));
}

}  // namespace
}  // namespace holdfast::testing
