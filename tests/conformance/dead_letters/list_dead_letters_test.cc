// These tests are about list_dead_letters.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ListDeadLetters : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
  }

  // Kills the messages "0" to "n-1". They die of the categories in turn.
  void kill(std::size_t n, const std::vector<std::string>& categories = {""}) {
    send_numbered("orders", n);
    const Deliveries out = receive("orders", n);
    for (std::size_t i = 0; i < n; ++i) {
      must(broker().reject(out[i].receipt, {.category = categories[i % categories.size()]},
                           {.durability = Durability::kBuffered}));
    }
  }

  // Returns the bodies of all pages of up to `max` dead letters.
  std::vector<std::string> listed_in_pages(std::size_t max, std::optional<std::string> category = {}) {
    std::vector<std::string> result;
    std::optional<DeadLetterCursor> after;
    do {
      const DeadLetterPage page = must(broker().list_dead_letters(
          "dlq", {.filter = {.category = category}, .after = after, .max = max, .bodies = true}));
      EXPECT_LE(page.items.size(), max);
      for (const DeadLetter& dead : page.items) result.push_back(dead.body);
      after = page.next;
    } while (after);
    return result;
  }

  std::vector<std::string> numbers(std::size_t from, std::size_t to, std::size_t step = 1) {
    std::vector<std::string> result;
    for (std::size_t i = from; i < to; i += step) result.push_back(std::to_string(i));
    return result;
  }
};
HOLDFAST_FOR_EACH_BROKER(ListDeadLetters);

TEST_P(ListDeadLetters, OfAQueueWithoutAnyIsEmpty) {
  send("orders", "alive");
  for (const char* queue : {"orders", "dlq"}) {
    const DeadLetterPage page = must(broker().list_dead_letters(queue));
    EXPECT_THAT(page.items, IsEmpty());
    EXPECT_EQ(page.next, std::nullopt);
  }
}

TEST_P(ListDeadLetters, LeavesBodiesOutUnlessAsked) {
  send("orders", "a", {{"correlation-id", "c"}});
  reject_one("orders");
  const DeadLetterPage page = must(broker().list_dead_letters("dlq"));
  ASSERT_EQ(page.items.size(), 1U);
  EXPECT_EQ(page.items[0].body, "");
  EXPECT_THAT(page.items[0].attributes, IsEmpty());
  EXPECT_EQ(page.items[0].record.correlation_id, "c");
  EXPECT_EQ(only_dead_letter("dlq").body, "a");
}

TEST_P(ListDeadLetters, ConsumesNothing) {
  kill(3);
  const QueueInfo before = info("dlq");
  dead_letters("dlq");
  EXPECT_EQ(info("dlq").counts, before.counts);
  EXPECT_EQ(info("dlq").totals, before.totals);
  EXPECT_EQ(receive_one("dlq").deliveries, 1U);
}

TEST_P(ListDeadLetters, GivesTheOldestFirstInPages) {
  kill(25);
  EXPECT_EQ(listed_in_pages(10), numbers(0, 25));
  EXPECT_EQ(listed_in_pages(5), numbers(0, 25));
  EXPECT_EQ(listed_in_pages(1), numbers(0, 25));
  EXPECT_EQ(listed_in_pages(25), numbers(0, 25));
  EXPECT_EQ(listed_in_pages(1000), numbers(0, 25));
}

TEST_P(ListDeadLetters, GivesSeqsThatAscendAndStay) {
  kill(5);
  const auto before = dead_letters("dlq");
  for (std::size_t i = 1; i < before.size(); ++i) EXPECT_LT(before[i - 1].seq, before[i].seq);
  reopen();
  const auto after = dead_letters("dlq");
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(after[i].seq, before[i].seq);
  EXPECT_EQ(receive_one("dlq").receipt.seq, before[0].seq);
}

TEST_P(ListDeadLetters, FiltersByCategory) {
  kill(30, {"timeout", "validation", ""});
  EXPECT_EQ(listed_in_pages(100, "timeout"), numbers(0, 30, 3));
  EXPECT_EQ(listed_in_pages(4, "timeout"), numbers(0, 30, 3));
  EXPECT_EQ(listed_in_pages(4, "validation"), numbers(1, 30, 3));
  EXPECT_EQ(listed_in_pages(4, ""), numbers(2, 30, 3));
  EXPECT_THAT(listed_in_pages(4, "time"), IsEmpty());
  EXPECT_THAT(listed_in_pages(4, "timeouts"), IsEmpty());
}

TEST_P(ListDeadLetters, ShowsLeasedAndWaitingOnesToo) {
  kill(3);
  const Deliveries out = receive("dlq", 2);
  must(broker().release(out[1].receipt, {.delay = 1h}));
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .waiting = 1, .leased = 1, .dead = 3}));
  EXPECT_EQ(listed_in_pages(10), numbers(0, 3));
}

TEST_P(ListDeadLetters, ForgetsWhatIsGone) {
  kill(4);
  const Deliveries out = receive("dlq", 4);
  must(broker().ack(out[0].receipt));
  must(broker().ack(out[2].receipt));
  EXPECT_THAT(listed_in_pages(10), ElementsAre("1", "3"));
  reopen();
  EXPECT_THAT(listed_in_pages(1), ElementsAre("1", "3"));
}

TEST_P(ListDeadLetters, GoesOnAfterOneThatIsGone) {
  kill(6);
  const DeadLetterPage page = must(broker().list_dead_letters("dlq", {.max = 3}));
  ASSERT_TRUE(page.next);
  for (const Delivery& delivery : receive("dlq", 3)) must(broker().ack(delivery.receipt));
  const DeadLetterPage rest =
      must(broker().list_dead_letters("dlq", {.after = page.next, .max = 10, .bodies = true}));
  ASSERT_EQ(rest.items.size(), 3U);
  EXPECT_EQ(rest.items[0].body, "3");
}

TEST_P(ListDeadLetters, TakesAPageUpToTheLimit) {
  kill(limits::kListPage + 1);
  EXPECT_THAT(broker().list_dead_letters("dlq", {.max = 0}), RefusesValue("max"));
  EXPECT_THAT(broker().list_dead_letters("dlq", {.max = limits::kListPage + 1}),
              FailsNaming(ErrorCode::kLimitExceeded, "1000"));
  const DeadLetterPage page = must(broker().list_dead_letters("dlq", {.max = limits::kListPage}));
  EXPECT_EQ(page.items.size(), limits::kListPage);
  EXPECT_TRUE(page.next);
  EXPECT_EQ(must(broker().list_dead_letters("dlq")).items.size(), 100U);
}

}  // namespace
}  // namespace holdfast::testing
