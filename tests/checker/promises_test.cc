// The judge of all campaigns. It accepts what is promised of a message, and names what breaks a promise.
#include "tests/checker/promises.h"

#include <gmock/gmock.h>

#include "tests/support/result_matchers.h"

namespace holdfast::checker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

MessageId id(int number) {
  return testing::must(MessageId::parse("00000000-0000-0000-0000-00000000000" + std::to_string(number)));
}

class PromisesTest : public ::testing::Test {
 protected:
  PromisesTest() {
    promises_.declare("work", {.next = {"dead", "other"}, .most_deliveries = 3});
    promises_.declare("dead", {.next = {"parked"}});
  }

  static Fate sent_to_work() {
    return {.sent = Certainty::kYes, .source = "work", .queue = "work", .id = id(1), .replays = 1};
  }

  Promises promises_;
};

TEST_F(PromisesTest, QueuesLeadWhereTheirDeadGo) {
  EXPECT_TRUE(promises_.leads_to("work", "work"));
  EXPECT_TRUE(promises_.leads_to("work", "other"));
  EXPECT_TRUE(promises_.leads_to("work", "parked")) << "by two deaths";
  EXPECT_FALSE(promises_.leads_to("dead", "work"));
  EXPECT_FALSE(promises_.leads_to("unheard of", "work"));
}

TEST_F(PromisesTest, OnlyWhatWasSentAndIsNotGoneIsThere) {
  Fate fate = sent_to_work();
  EXPECT_THAT(promises_.judge_presence(fate, "parked", id(1)), IsEmpty());
  EXPECT_THAT(promises_.judge_presence(fate, "work", id(2)), HasSubstr("changed its id"));
  EXPECT_THAT(promises_.judge_presence(fate, "elsewhere", id(1)), HasSubstr("was sent to work"));
  fate.id.reset();
  EXPECT_THAT(promises_.judge_presence(fate, "work", id(2)), IsEmpty()) << "nobody knew its id";
  fate.gone = Certainty::kMaybe;
  EXPECT_THAT(promises_.judge_presence(fate, "work", id(2)), IsEmpty());
  fate.gone = Certainty::kYes;
  EXPECT_THAT(promises_.judge_presence(fate, "work", id(2)), HasSubstr("gone for good"));
  EXPECT_THAT(promises_.judge_presence({.source = "work"}, "work", id(2)), HasSubstr("never sent"));
}

TEST_F(PromisesTest, OnlyWhatWasSentAndIsNotGoneIsMissed) {
  Fate fate = sent_to_work();
  EXPECT_THAT(Promises::judge_absence(fate), HasSubstr("is lost; it was in work"));
  fate.gone = Certainty::kMaybe;
  EXPECT_THAT(Promises::judge_absence(fate), IsEmpty());
  fate.gone = Certainty::kNo;
  fate.sent = Certainty::kMaybe;
  EXPECT_THAT(Promises::judge_absence(fate), IsEmpty());
}

TEST_F(PromisesTest, AMessageGoesOneWayBetweenTwoRedrives) {
  Fate fate = sent_to_work();
  fate.queue = "dead";
  EXPECT_THAT(promises_.judge_way(fate, "dead", 1), IsEmpty());
  EXPECT_THAT(promises_.judge_way(fate, "parked", 1), IsEmpty());
  EXPECT_THAT(promises_.judge_way(fate, "work", 1), HasSubstr("came from dead to work"));
  EXPECT_THAT(promises_.judge_way(fate, "work", 2), IsEmpty());
  EXPECT_THAT(promises_.judge_way(fate, "parked", 0), HasSubstr("forgotten a replay"));
  fate.queue.clear();
  EXPECT_THAT(promises_.judge_way(fate, "work", 1), IsEmpty()) << "it may have been anywhere";
}

TEST_F(PromisesTest, DeliveriesAreChargedAsTheyWere) {
  EXPECT_THAT(Promises::judge_charges("work", {2, 3}, 1), HasSubstr("expected 2..3"));
  EXPECT_THAT(Promises::judge_charges("work", {2, 3}, 2), IsEmpty());
  EXPECT_THAT(Promises::judge_charges("work", {2, 3}, 3), IsEmpty());
  EXPECT_THAT(Promises::judge_charges("work", {2, 3}, 4), HasSubstr("expected 2..3"));
}

TEST_F(PromisesTest, AnAnswerIsAsDurableAsAsked) {
  using enum Durability;
  EXPECT_THAT(Promises::judge_durability(kFsync, kBuffered), HasSubstr("was to be fsynced"));
  EXPECT_THAT(Promises::judge_durability(kFsync, kFsync), IsEmpty());
  EXPECT_THAT(Promises::judge_durability(kBuffered, kBuffered), IsEmpty());
  EXPECT_THAT(Promises::judge_durability(kBuffered, kFsync), IsEmpty());
}

TEST_F(PromisesTest, NothingIsDeliveredMoreOftenThanItsQueueAllows) {
  EXPECT_THAT(promises_.judge_delivery("work", 3), IsEmpty());
  EXPECT_THAT(promises_.judge_delivery("work", 4), HasSubstr("a 4. time in work"));
  EXPECT_THAT(promises_.judge_delivery("dead", 1000), IsEmpty());
}

}  // namespace
}  // namespace holdfast::checker
