// Queues with a limit of their own for bodies, up to the largest there is.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using ::testing::IsEmpty;

class LargeBodies : public BrokerFixture {};
HOLDFAST_FOR_EACH_BROKER(LargeBodies);

TEST_P(LargeBodies, AQueueHasALimitOfItsOwn) {
  create("small", {.limits = {.max_body_bytes = 3}});
  send("small", "abc");
  EXPECT_THAT(broker().send("small", {.body = "abcd"}),
              FailsNaming(ErrorCode::kLimitExceeded, "max_body_bytes"));
  must(broker().alter_queue("small", {.limits = {.max_body_bytes = 4}}));
  send("small", "abcd");
  reopen();
  EXPECT_THAT(broker().send("small", {.body = "abcde"}),
              FailsNaming(ErrorCode::kLimitExceeded, "'small', 4"));
  EXPECT_THAT(broker().create_queue("none", {.limits = {.max_body_bytes = 0}}),
              RefusesValue("max_body_bytes"));
  EXPECT_THAT(broker().create_queue("huge", {.limits = {.max_body_bytes = limits::kBodyBytesMax + 1}}),
              FailsNaming(ErrorCode::kLimitExceeded, "max_body_bytes"));
}

TEST_P(LargeBodies, TheLargestGoesEverywhere) {
  create("videos", {.dead_letters = {.queue = "dlq"}, .limits = {.max_body_bytes = limits::kBodyBytesMax}});
  std::string largest(limits::kBodyBytesMax, 'x');
  largest.back() = 'y';
  const Attributes attributes(16, {"n", std::string(limits::kAttributesTotalBytes / 16 - 1, 'v')});
  const SendOptions buffered{.durability = Durability::kBuffered};
  must(broker().send("videos", {.body = largest, .attributes = attributes}, buffered));
  EXPECT_THAT(broker().send("videos", {.body = largest + "x"}, buffered),
              FailsNaming(ErrorCode::kLimitExceeded, "67108864"));
  // Two such bodies do not fit into one call.
  EXPECT_THAT(broker().send_batch("videos", {{.body = largest}, {.body = "x"}}, buffered),
              FailsNaming(ErrorCode::kLimitExceeded, "67108864"));
  send("videos", "small");
  EXPECT_EQ(info("videos").bytes, largest.size() + limits::kAttributesTotalBytes + 5);

  // An answer has at least one message, however large the message is.
  const PeekPage page = must(broker().peek("videos", {.bodies = true}));
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items[0].body, largest);
  ASSERT_TRUE(page.next.has_value());
  EXPECT_EQ(must(broker().peek("videos", {.from = page.next, .bodies = true})).items.at(0).body, "small");
  const Delivery delivery = receive_one("videos", {.max = 2});
  EXPECT_EQ(delivery.body, largest);
  must(broker().reject(delivery.receipt, {.category = "poison"}));
  EXPECT_EQ(receive_one("videos").body, "small");

  DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.body, largest);
  must(broker().discard_dead_letters("dlq", {.all = true}));
  letter.id = {};
  letter.id.bytes[0] = 1;
  EXPECT_EQ(must(broker().import_dead_letters("dlq", {std::move(letter)})).imported, 1U);
  EXPECT_EQ(
      must(broker().redrive("dlq", {.edit = {.set_attributes = {{"again", "1"}}, .drop_attributes = {"n"}}}))
          .moved,
      1U);
  reopen();
  const Delivery again = receive_one("videos");
  EXPECT_EQ(again.body, largest);
  EXPECT_EQ(find_attribute(again.attributes, "again"), "1");
  must(broker().ack(again.receipt));
  EXPECT_THAT(must(broker().verify()).findings, IsEmpty());
}

}  // namespace
}  // namespace holdfast::testing
