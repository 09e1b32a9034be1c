// Statistics tell how many dead letters there are by age, and how many came at which time.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeadLetterStatisticsTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dlq"}});
    // Each test starts at the beginning of a day, so that it knows the hours that follow.
    const auto into_day = now().time_since_epoch() % Duration(24h);
    clock().advance(Duration(24h) - into_day);
    begin_ = now();
  }

  void kill(const std::string& category, int times = 1) {
    for (int i = 0; i < times; ++i) {
      send("orders", "x");
      reject_one("orders", {.category = category});
    }
  }
  void exhaust() {
    send("orders", "x");
    must(broker().release(receive_one("orders").receipt));
  }
  DeadLetterStatistics statistics(DeadLetterStatisticsOptions options = {}) {
    return must(broker().dead_letter_statistics("dlq", options));
  }
  std::vector<std::uint64_t> ages() {
    std::vector<std::uint64_t> counts;
    for (const AgeBucket& bucket : statistics().ages) counts.push_back(bucket.count);
    return counts;
  }

  Timestamp begin_{};
};
HOLDFAST_FOR_EACH_BROKER(DeadLetterStatisticsTest);

TEST_P(DeadLetterStatisticsTest, OfAQueueWithoutDeadLetters) {
  const DeadLetterStatistics none = statistics();
  EXPECT_EQ(none.at, now());
  EXPECT_EQ(none.dead, 0U);
  EXPECT_EQ(none.oldest_died_at, std::nullopt);
  EXPECT_EQ(none.ages.size(), 8U);
  EXPECT_THAT(none.hours, IsEmpty());
  EXPECT_THAT(none.days, IsEmpty());
  EXPECT_THAT(broker().dead_letter_statistics("none", {}), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(DeadLetterStatisticsTest, TellWhatCameInEachHourAndDay) {
  advance(10min);
  kill("timeout", 3);
  kill("");
  advance(1h);
  exhaust();
  kill("validation");
  advance(24h);
  kill("timeout");
  const Arrivals first{
      .from = begin_, .total = 4, .categories = {{"timeout", 3}, {"", 1}}, .causes = {{"rejected", 4}}};
  const Arrivals second{.from = begin_ + 1h,
                        .total = 2,
                        .categories = {{"", 1}, {"validation", 1}},
                        .causes = {{"max_deliveries", 1}, {"rejected", 1}}};
  const Arrivals third{
      .from = begin_ + 25h, .total = 1, .categories = {{"timeout", 1}}, .causes = {{"rejected", 1}}};
  const DeadLetterStatistics told = statistics({.hours = 26, .days = 2});
  EXPECT_THAT(told.hours, ElementsAre(first, second, third));
  EXPECT_THAT(told.days, ElementsAre(Arrivals{.from = begin_,
                                              .total = 6,
                                              .categories = {{"timeout", 3}, {"", 2}, {"validation", 1}},
                                              .causes = {{"rejected", 5}, {"max_deliveries", 1}}},
                                     Arrivals{.from = begin_ + 24h,
                                              .total = 1,
                                              .categories = {{"timeout", 1}},
                                              .causes = {{"rejected", 1}}}));
  EXPECT_THAT(statistics({.hours = 25, .days = 1}).hours, ElementsAre(second, third));
  EXPECT_EQ(statistics({.hours = 25, .days = 1}).days.size(), 1U);
  EXPECT_THAT(statistics({.hours = 0, .days = 0}).hours, IsEmpty());
  EXPECT_THAT(statistics({.hours = 0, .days = 0}).days, IsEmpty());
}

TEST_P(DeadLetterStatisticsTest, OutliveARestartAndAPurge) {
  kill("timeout", 2);
  const auto hours = statistics().hours;
  reopen();
  EXPECT_EQ(statistics().hours, hours);
  kill("timeout");
  ASSERT_EQ(statistics().hours.size(), 1U);
  EXPECT_EQ(statistics().hours[0].total, 3U);
  must(broker().purge_queue("dlq"));
  EXPECT_EQ(statistics().hours[0].total, 3U);
  EXPECT_EQ(statistics().dead, 0U);
  EXPECT_TRUE(must(broker().verify()).findings.empty());
  must(broker().alter_queue("orders", {.dead_letters = {.queue = ""}}));
  must(broker().delete_queue("dlq"));
  must(broker().create_queue("dlq"));
  EXPECT_THAT(statistics().hours, IsEmpty());
  EXPECT_TRUE(must(broker().verify()).findings.empty());
}

TEST_P(DeadLetterStatisticsTest, ForgetWhatIsOlderThanTheLimit) {
  kill("timeout");
  advance(24h * static_cast<int>(limits::kArrivalDays) - 1h);
  kill("timeout");
  const DeadLetterStatisticsOptions all{.hours = limits::kArrivalHours, .days = limits::kArrivalDays};
  EXPECT_EQ(statistics(all).hours.size(), 2U);
  advance(1h);
  kill("timeout");
  const DeadLetterStatistics told = statistics(all);
  ASSERT_EQ(told.hours.size(), 2U);
  EXPECT_EQ(told.hours[0].from, now() - 1h);
  EXPECT_EQ(told.ages.back().count, 1U);
}

TEST_P(DeadLetterStatisticsTest, TellSoManyCategoriesApart) {
  std::vector<Message> messages(limits::kArrivalCategories + 2);
  must(broker().send_batch("orders", std::move(messages)));
  const Deliveries deliveries = receive_all("orders");
  for (std::size_t i = 0; i < deliveries.size(); ++i)
    must(broker().reject(deliveries[i].receipt, {.category = "c" + std::to_string(i)}));
  const DeadLetterStatistics told = statistics();
  ASSERT_EQ(told.hours.size(), 1U);
  EXPECT_EQ(told.hours[0].categories.size(), limits::kArrivalCategories);
  EXPECT_EQ(told.hours[0].other_categories, 2U);
  EXPECT_EQ(told.hours[0].total, limits::kArrivalCategories + 2);
}

TEST_P(DeadLetterStatisticsTest, TotalsOnlyGrow) {
  const auto totals = [&] { return must(broker().queue_statistics("dlq")).arrivals; };
  EXPECT_EQ(totals(), ArrivalTotals{});
  kill("timeout", 2);
  exhaust();
  EXPECT_EQ(totals(), (ArrivalTotals{.categories = {{"timeout", 2}, {"", 1}}}));
  advance(1h);
  kill("validation", 3);
  const ArrivalTotals all{.categories = {{"validation", 3}, {"timeout", 2}, {"", 1}}};
  EXPECT_EQ(totals(), all);
  must(broker().redrive("dlq"));
  must(broker().purge_queue("orders"));
  reopen();
  EXPECT_EQ(totals(), all);
  // The counts by hour are forgotten long before this time, and the totals are not.
  advance(24h * (static_cast<int>(limits::kArrivalDays) + 1));
  kill("timeout");
  EXPECT_EQ(statistics({.hours = limits::kArrivalHours}).hours.size(), 1U);
  must(broker().purge_queue("dlq"));
  EXPECT_EQ(totals(), (ArrivalTotals{.categories = {{"timeout", 3}, {"validation", 3}, {"", 1}}}));
  EXPECT_EQ(must(broker().queue_statistics("orders")).arrivals, ArrivalTotals{});
}

// A category that has a count of its own keeps it, even if a later category would be sorted before it.
TEST_P(DeadLetterStatisticsTest, TotalsKeepTheCategoriesThatCameFirst) {
  for (std::size_t i = 0; i < limits::kArrivalCategories; ++i) kill("m" + std::to_string(i));
  advance(1h);
  kill("a");
  kill("m7");
  const ArrivalTotals totals = must(broker().queue_statistics("dlq")).arrivals;
  EXPECT_EQ(totals.categories.size(), limits::kArrivalCategories);
  EXPECT_EQ(totals.categories.front(), (ArrivalCount{"m7", 2}));
  EXPECT_EQ(totals.other_categories, 1U);
}

TEST_P(DeadLetterStatisticsTest, TheOldestIsTheOneThatDiedFirst) {
  const auto oldest = [&] { return must(broker().queue_statistics("dlq")).oldest_died_at; };
  EXPECT_EQ(oldest(), std::nullopt);
  send("orders", "sent first");
  advance(1h);
  kill("a");  // "a" is the category of the message that was sent first
  const Timestamp first = now();
  advance(10min);
  kill("b");
  EXPECT_EQ(oldest(), first);
  must(broker().redrive("dlq", {.filter = {.category = "a"}}));
  EXPECT_EQ(oldest(), first + 10min);
}

TEST_P(DeadLetterStatisticsTest, TellHowOldDeadLettersAre) {
  kill("a");
  advance(10min);
  kill("b", 2);
  EXPECT_THAT(ages(), ElementsAre(2, 1, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(statistics().oldest_died_at, begin_);
  advance(50min);
  EXPECT_THAT(ages(), ElementsAre(0, 2, 1, 0, 0, 0, 0, 0));
  advance(30 * 24h);
  kill("c");
  EXPECT_THAT(ages(), ElementsAre(1, 0, 0, 0, 0, 0, 0, 3));
  reopen();
  EXPECT_THAT(ages(), ElementsAre(1, 0, 0, 0, 0, 0, 0, 3));
  must(broker().redrive("dlq", {.filter = {.category = "b"}}));
  EXPECT_THAT(ages(), ElementsAre(1, 0, 0, 0, 0, 0, 0, 1));
  must(broker().discard_dead_letters("dlq", {.filter = {.category = "a"}}));
  EXPECT_THAT(ages(), ElementsAre(1, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_EQ(statistics().dead, 1U);
}

TEST_P(DeadLetterStatisticsTest, TellHowManyCameInTheLastMinute) {
  kill("a", 3);
  EXPECT_EQ(statistics().arrivals_last_minute, 0U);
  advance(1min);
  EXPECT_EQ(statistics().arrivals_last_minute, 3U);
  advance(1min);
  EXPECT_EQ(statistics().arrivals_last_minute, 0U);
}

TEST_P(DeadLetterStatisticsTest, TheLastMinuteOutlivesARestart) {
  advance(59min);
  kill("a", 2);
  reopen();
  kill("a");
  create("parked");
  must(broker().redrive("dlq", {.action = RedriveAction::kPark, .max = 1, .to = "parked"}));
  advance(1min);  // now it is the next hour
  reopen();
  EXPECT_EQ(statistics().arrivals_last_minute, 3U);
  const DeadLetterStatistics parked = must(broker().dead_letter_statistics("parked"));
  EXPECT_EQ(parked.arrivals_last_minute, 1U);
  EXPECT_THAT(parked.hours, IsEmpty()) << "nothing died there";
  advance(1min);
  EXPECT_EQ(statistics().arrivals_last_minute, 0U);
}

TEST_P(DeadLetterStatisticsTest, LookBackSoFar) {
  const auto refused = [this](DeadLetterStatisticsOptions options) {
    EXPECT_THAT(broker().dead_letter_statistics("dlq", options), FailsWith(ErrorCode::kLimitExceeded));
  };
  statistics({.hours = limits::kArrivalHours, .days = limits::kArrivalDays});
  refused({.hours = limits::kArrivalHours + 1});
  refused({.days = limits::kArrivalDays + 1});
}

}  // namespace
}  // namespace holdfast::testing
