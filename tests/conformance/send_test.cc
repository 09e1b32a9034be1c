// send and send_batch.
#include <algorithm>
#include <set>

#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Send : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders");
  }
};
HOLDFAST_FOR_EACH_BROKER(Send);

std::string every_byte() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST_P(Send, KeepsBodyAndAttributesByteForByte) {
  const Attributes attributes{{"color", "red"},
                              {"color", "blue"},
                              {"empty", ""},
                              {"binary", every_byte()},
                              {every_byte().substr(0, 100), "x"}};
  const MessageId id = send("orders", every_byte(), attributes);
  const Delivery delivery = receive_one("orders");
  EXPECT_EQ(delivery.id, id);
  EXPECT_EQ(delivery.body, every_byte());
  EXPECT_EQ(delivery.attributes, attributes);
  EXPECT_EQ(delivery.sent_at, now());
  EXPECT_EQ(delivery.deliveries, 1U);
  EXPECT_EQ(delivery.replays, 0U);
}

TEST_P(Send, TakesAnEmptyBody) {
  send("orders", "");
  EXPECT_EQ(receive_one("orders").body, "");
  EXPECT_EQ(totals("orders").sent, 1U);
}

TEST_P(Send, GivesUniqueVersion7IdsThatSortByTime) {
  std::vector<MessageId> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(send("orders", "x"));
    if (i % 10 == 0) advance(std::chrono::milliseconds(1));
  }
  for (const MessageId& id : send_numbered("orders", 200)) all.push_back(id);
  for (const MessageId& id : all) {
    EXPECT_EQ(id.bytes[6] >> 4, 7) << id.to_string();
    EXPECT_EQ(id.bytes[8] >> 6, 2) << id.to_string();
  }
  EXPECT_EQ(std::set<MessageId>(all.begin(), all.end()).size(), all.size());
  const auto millisecond = [](const MessageId& id) {
    return std::vector<std::uint8_t>(id.bytes.begin(), id.bytes.begin() + 6);
  };
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, millisecond));
}

TEST_P(Send, SaysHowDurableItIs) {
  create("buffered", {.durability = Durability::kBuffered});
  const auto got = [&](const char* queue, SendOptions options) {
    return must(broker().send(queue, {.body = "x"}, options)).durability;
  };
  EXPECT_EQ(got("orders", {}), Durability::kFsync);
  EXPECT_EQ(got("orders", {.durability = Durability::kFsync}), Durability::kFsync);
  EXPECT_EQ(got("buffered", {.durability = Durability::kFsync}), Durability::kFsync);
  // A send that is alone in its write gets no more than it asked for.
  EXPECT_EQ(got("orders", {.durability = Durability::kBuffered}), Durability::kBuffered);
  EXPECT_EQ(got("buffered", {}), Durability::kBuffered);
}

// The promise also holds for repeated sends, for the entries of a batch, and beside a refused entry.
TEST_P(Send, SaysNoLessThanWasAskedOfEachMessage) {
  using enum Durability;
  create("buffered", {.durability = kBuffered, .deduplication = {.mode = Deduplication::kById}});
  create("fsynced", {.deduplication = {.mode = Deduplication::kById}});
  const std::vector<Message> messages{{.body = "a", .deduplication_id = "a"},
                                      {.attributes = {{"", "bad"}}},
                                      {.body = "b", .deduplication_id = "b"}};
  int calls = 0;
  for (const char* queue : {"buffered", "fsynced"}) {
    for (const std::optional<Durability> asked : {std::optional(kBuffered), {}, std::optional(kFsync)}) {
      const SendOptions options{.durability = asked, .request_id = std::to_string(++calls)};
      const Durability least = asked.value_or(queue == std::string_view("buffered") ? kBuffered : kFsync);
      for (const char* which : {"the first time", "repeated"}) {
        SCOPED_TRACE(std::string(queue) + ", " + ::testing::PrintToString(asked) + ", " + which);
        const auto sent = must(broker().send_batch(queue, messages, options));
        EXPECT_FALSE(sent.at(1));
        for (const std::size_t i : {0, 2})
          EXPECT_TRUE(least == kBuffered || must(sent.at(i)).durability == kFsync);
      }
    }
  }
}

TEST_P(Send, OfABatchAnswersAndKeepsItInOrder) {
  const std::vector<MessageId> sent = send_numbered("orders", 500);
  const Deliveries received = receive("orders", 1000);
  EXPECT_EQ(ids(received), sent);
  for (std::size_t i = 0; i < received.size(); ++i) EXPECT_EQ(received[i].body, std::to_string(i));
}

TEST_P(Send, OfAnEmptyBatchIsAnEmptyAnswer) {
  EXPECT_THAT(must(broker().send_batch("orders", {})), IsEmpty());
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(Send, OfABatchAnswersPerEntry) {
  std::vector<Message> messages{{.body = "good"},
                                {.body = std::string(limits::kBodyBytes + 1, 'x')},
                                {.body = "unnamed", .attributes = {{"", "value"}}},
                                {.body = "also good"}};
  const auto answers = must(broker().send_batch("orders", std::move(messages)));
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_THAT(answers[0], Succeeds());
  EXPECT_THAT(answers[1], FailsNaming(ErrorCode::kLimitExceeded, "body"));
  EXPECT_THAT(answers[2], FailsNaming(ErrorCode::kInvalidArgument, "attribute"));
  EXPECT_THAT(answers[3], Succeeds());
  EXPECT_EQ(totals("orders").sent, 2U);
  const Deliveries received = receive("orders", 10);
  EXPECT_THAT(bodies(received), ElementsAre("good", "also good"));
  EXPECT_THAT(ids(received), ElementsAre(answers[0]->id, answers[3]->id));
}

TEST_P(Send, OfALargeMessageBetweenSmallOnesKeepsTheOrder) {
  std::vector<Message> messages;
  for (int i = 0; i < 20; ++i) {
    messages.push_back(
        {.body = std::string(i % 5 == 0 ? limits::kChunkBytes + 10 : 10, static_cast<char>('a' + i))});
  }
  const std::vector<Message> expected = messages;
  must(broker().send_batch("orders", std::move(messages)));
  const Deliveries received = receive("orders", 100);
  ASSERT_EQ(received.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(received[i].body, expected[i].body) << i;
}

// --- limits ---

TEST_P(Send, TakesABodyUpToTheLimit) {
  const std::string largest(limits::kBodyBytes, 'x');
  send("orders", largest);
  EXPECT_THAT(broker().send("orders", {.body = largest + "x"}),
              FailsNaming(ErrorCode::kLimitExceeded, "1048576"));
  EXPECT_EQ(receive_one("orders").body, largest);
  EXPECT_EQ(totals("orders").sent, 1U);
}

TEST_P(Send, TakesAttributesUpToTheLimits) {
  const auto attempt = [&](Attributes attributes) {
    return broker().send("orders", {.body = "x", .attributes = std::move(attributes)});
  };
  const std::string name(limits::kAttributeNameBytes, 'n');
  const std::string value(limits::kAttributeValueBytes, 'v');

  EXPECT_THAT(attempt(Attributes(limits::kAttributes, {"a", "b"})), Succeeds());
  EXPECT_THAT(attempt(Attributes(limits::kAttributes + 1, {"a", "b"})),
              FailsNaming(ErrorCode::kLimitExceeded, "64"));
  EXPECT_THAT(attempt({{name, value}}), Succeeds());
  EXPECT_THAT(attempt({{name + "n", ""}}), FailsNaming(ErrorCode::kLimitExceeded, "128"));
  EXPECT_THAT(attempt({{"a", value + "v"}}), FailsNaming(ErrorCode::kLimitExceeded, "4096"));
  EXPECT_THAT(attempt({{"", "v"}}), FailsNaming(ErrorCode::kInvalidArgument, "attribute"));

  const Attribute a_sixteenth{"n", std::string(limits::kAttributesTotalBytes / 16 - 1, 'v')};
  EXPECT_THAT(attempt(Attributes(16, a_sixteenth)), Succeeds());
  Attributes past(16, a_sixteenth);
  past.push_back({"n", ""});
  EXPECT_THAT(attempt(past), FailsNaming(ErrorCode::kLimitExceeded, "65536"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3}));
}

TEST_P(Send, TakesABatchUpToItsEntries) {
  send_numbered("orders", limits::kBatchEntries);
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = limits::kBatchEntries}));
  EXPECT_THAT(broker().send_batch("orders", std::vector<Message>(limits::kBatchEntries + 1)),
              FailsNaming(ErrorCode::kLimitExceeded, "10000"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = limits::kBatchEntries}));
}

TEST_P(Send, TakesABatchUpToItsBytes) {
  static_assert(limits::kBatchBytes % limits::kBodyBytes == 0);
  std::vector<Message> messages(limits::kBatchBytes / limits::kBodyBytes,
                                {.body = std::string(limits::kBodyBytes, 'x')});
  const SendOptions buffered{.durability = Durability::kBuffered};
  const auto answers = must(broker().send_batch("orders", messages, buffered));
  EXPECT_THAT(answers, ::testing::Each(Succeeds()));
  messages.push_back({.body = "x"});
  EXPECT_THAT(broker().send_batch("orders", std::move(messages), buffered),
              FailsNaming(ErrorCode::kLimitExceeded, "67108864"));
  EXPECT_EQ(totals("orders").sent, limits::kBatchBytes / limits::kBodyBytes);
}

}  // namespace
}  // namespace holdfast::testing
