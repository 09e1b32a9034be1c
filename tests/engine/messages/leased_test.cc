// These tests are about Engine::leased.
#include "engine/engine/engine_inside.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LeasedTest : public ::testing::Test {
 protected:
  LeasedTest() {
    for (const char* queue : {"a", "b"}) must(engine_.create_queue(queue));
  }

  Receipt receive_one(std::string_view queue, Duration lease = 1h) {
    must(engine_.send(queue, {.body = "x"}));
    return must(engine_.receive(queue, {.lease = lease})).at(0).receipt;
  }
  std::vector<Receipt> leased(const std::vector<Receipt>& receipts) {
    return must(EngineInside::leased(engine_, receipts));
  }

  ManualClock clock_;
  TempDir temp_;
  Engine engine_ = must(Engine::open(temp_ / "data", {.clock = &clock_, .background = false}));
};

TEST_F(LeasedTest, GivesThoseThatAreNotSettledInTheirOrder) {
  const Receipt acked = receive_one("a");
  const Receipt first = receive_one("b");
  const Receipt released = receive_one("b");
  const Receipt second = receive_one("a");
  const std::vector<Receipt> all{first, acked, second, released};
  EXPECT_EQ(leased(all), all);
  must(engine_.ack(acked));
  must(engine_.release(released));
  EXPECT_THAT(leased(all), ElementsAre(first, second));
  EXPECT_THAT(leased({}), IsEmpty());
}

TEST_F(LeasedTest, ALeaseIsOverWhenItRunsOutAndNotBeforeItsExtension) {
  const Receipt extended = receive_one("a", 1s);
  const Receipt short_one = receive_one("a", 1s);
  must(engine_.extend(extended, 1min));
  advance(engine_, clock_, 1s);
  EXPECT_THAT(leased({extended, short_one}), ElementsAre(extended));
  const Receipt again = must(engine_.receive("a", {.lease = 1h})).at(0).receipt;
  EXPECT_THAT(leased({short_one, again}), ElementsAre(again));
}

TEST_F(LeasedTest, WhatIsNotStartedIsLeasedToo) {
  must(engine_.send("a", {.body = "x"}));
  const Receipt receipt = must(engine_.receive("a", {.prefetch = true})).at(0).receipt;
  EXPECT_THAT(leased({receipt}), ElementsAre(receipt));
  must(engine_.start(receipt));
  EXPECT_THAT(leased({receipt}), ElementsAre(receipt));
}

TEST_F(LeasedTest, NothingIsOfMessagesThatAreGone) {
  const Receipt purged = receive_one("a");
  const Receipt deleted = receive_one("b");
  must(engine_.purge_queue("a"));
  must(engine_.delete_queue("b"));
  EXPECT_THAT(leased({purged, deleted, Receipt{}}), IsEmpty());
}

TEST_F(LeasedTest, TakesMoreReceiptsThanASettleDoes) {
  const Receipt receipt = receive_one("a");
  const std::vector<Receipt> many(2 * limits::kBatchEntries + 1, receipt);
  EXPECT_EQ(leased(many), many);
}

TEST_F(LeasedTest, AClosedEngineSaysSo) {
  const std::vector<Receipt> one{receive_one("a")};
  must(engine_.close());
  EXPECT_THAT(EngineInside::leased(engine_, one), FailsWith(ErrorCode::kClosed));
}

}  // namespace
}  // namespace holdfast::testing
