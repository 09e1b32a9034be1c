// Tests what the checker of the kill test accepts, and that it refuses everything else.
#include "tests/crash/oracle.h"

#include <gmock/gmock.h>

#include "tests/crash/queues.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kId = "00000000-0000-0000-0000-000000000001";
const std::string kOtherId = "00000000-0000-0000-0000-000000000002";

class OracleTest : public ::testing::Test {
 protected:
  void log(std::initializer_list<std::string_view> lines) {
    for (const std::string_view line : lines) oracle_.read(parse_log_line(line));
  }
  void send() { log({"pending 1 send work 0-0-0 buffered", "settled 1 ok " + kId + " buffered"}); }
  void receive() { log({"pending 2 receive work", "settled 2 ok 0 0-0-0 1 0"}); }
  void reject() { log({"pending 3 reject work 0-0-0 0", "settled 3 ok"}); }

  void release() { log({"pending 4 release work 0-0-0 0", "settled 4 ok"}); }

  static Survivor survivor(std::string queue, std::uint32_t charged) {
    return {.key = "0-0-0", .queue = std::move(queue), .id = must(MessageId::parse(kId)), .charged = charged};
  }
  static Survivor dead_letter() {
    Survivor survivor = OracleTest::survivor("dead", 0);
    FailureRecord& record = survivor.record.emplace();
    record.message_id = survivor.id;
    record.source_queue = "work";
    record.cause = DeathCause::kRejected;
    record.reason = reason_of(3);
    record.deliveries = 1;
    record.correlation_id = survivor.key;
    return survivor;
  }
  std::vector<std::string> check(const std::vector<Survivor>& survivors) {
    return oracle_.check(survivors, {});
  }
  // Returns what a check would say.
  std::vector<std::string> judge(const std::vector<Survivor>& survivors) const {
    return Oracle(oracle_).check(survivors, {});
  }

  Oracle oracle_;
};

TEST_F(OracleTest, WhatWasSentIsThere) {
  send();
  EXPECT_THAT(check({survivor("work", 0)}), IsEmpty());
  EXPECT_THAT(check({}), ElementsAre(HasSubstr("lost")));
}

TEST_F(OracleTest, WhatWasRefusedIsNotThere) {
  log({"pending 1 send work 0-0-0 fsync", "settled 1 queue_paused"});
  EXPECT_THAT(judge({}), IsEmpty());
  EXPECT_THAT(judge({survivor("work", 0)}), ElementsAre(HasSubstr("never sent")));
  // A receive that was refused charges no message.
  log({"pending 2 send work 0-0-0 buffered", "settled 2 ok " + kId + " buffered", "pending 3 receive work",
       "settled 3 closed"});
  EXPECT_THAT(judge({survivor("work", 0)}), IsEmpty());
  EXPECT_THAT(judge({survivor("work", 1)}), ElementsAre(HasSubstr("is charged 1")));
}

TEST_F(OracleTest, OfTransfersThatBuildOnEachOtherAllMayBeLost) {
  send();
  receive();
  log({"pending 3 transfer work 0-0-0 0 work 0-0-1 buffered", "pending 4 receive work",
       "settled 4 ok 0 0-0-1 1 0", "pending 5 transfer work 0-0-1 0 work 0-0-2 buffered"});
  EXPECT_THAT(check({survivor("work", 1)}), IsEmpty());
}

TEST_F(OracleTest, AnUnansweredSendMayBeThereOrNot) {
  log({"pending 1 send work 0-0-0 fsync", "pending 2 send work 0-0-1 buffered"});
  EXPECT_THAT(check({survivor("work", 0)}), IsEmpty());
  EXPECT_THAT(check({}), ElementsAre(HasSubstr("0-0-0: is lost")))
      << "what was seen once stays; what was not seen may never have been";
}

TEST_F(OracleTest, NothingIsThereTwiceOrUnasked) {
  send();
  EXPECT_THAT(check({survivor("work", 0), survivor("dead", 0)}), ElementsAre(HasSubstr("and also in")));
  Survivor stranger = survivor("work", 0);
  stranger.key = "0-0-7";
  EXPECT_THAT(check({survivor("work", 0), stranger}), ElementsAre(HasSubstr("was never sent")));
}

TEST_F(OracleTest, AMessageKeepsItsIdAndItsQueue) {
  send();
  EXPECT_THAT(check({survivor("orders", 0)}), ElementsAre(HasSubstr("was sent to work")));
  Survivor renamed = survivor("work", 0);
  renamed.id = must(MessageId::parse(kOtherId));
  EXPECT_THAT(check({renamed}), ElementsAre(HasSubstr("has changed its id")));
}

TEST_F(OracleTest, AReleaseSaysWhyInTheRecord) {
  send();
  receive();
  release();
  log({"pending 5 receive work", "settled 5 ok 0 0-0-0 2 0"});
  reject();
  Survivor dead = dead_letter();
  dead.record->deliveries = 2;
  dead.record->attempts.kept = {{.end = AttemptEnd::kReleased, .failure = {.reason = reason_of(4)}},
                                {.end = AttemptEnd::kRejected}};
  EXPECT_THAT(judge({dead}), IsEmpty());
  dead.record->attempts.kept[0].failure = {};
  EXPECT_THAT(judge({dead}), ElementsAre(HasSubstr("reason that nobody gave")));
}

TEST_F(OracleTest, WhatWasAcknowledgedIsGone) {
  send();
  receive();
  log({"pending 3 ack work 0-0-0 0", "settled 3 ok"});
  EXPECT_THAT(check({}), IsEmpty());
  EXPECT_THAT(check({survivor("work", 1)}), ElementsAre(HasSubstr("back from being gone")));
  log({"pending 4 receive work", "settled 4 ok 0 0-0-0 1 0"});
  EXPECT_THAT(check({}), ElementsAre(HasSubstr("was delivered, and was never sent or was gone")));
}

TEST_F(OracleTest, WhatIsAcknowledgedDoesNotComeBack) {
  send();
  receive();
  log({"pending 3 ack work 0-0-0 0", "settled 3 ok"});
  EXPECT_THAT(check({survivor("work", 1)}), ElementsAre(HasSubstr("back after it was gone for good")));
}

TEST_F(OracleTest, AnUnansweredAckMayHaveHappened) {
  send();
  receive();
  log({"pending 3 ack work 0-0-0 0"});
  EXPECT_THAT(check({survivor("work", 1)}), IsEmpty());
  EXPECT_THAT(check({}), ElementsAre(HasSubstr("lost"))) << "it is known now that it did not";
}

TEST_F(OracleTest, AMessageIsAcknowledgedOnce) {
  send();
  receive();
  log({"pending 3 ack work 0-0-0 0", "pending 4 ack work 0-0-0 0", "settled 4 ok", "settled 3 ok"});
  EXPECT_THAT(check({}), ElementsAre(HasSubstr("acknowledged twice")));
}

TEST_F(OracleTest, NoReceiveThatBeginsAfterAnAckDelivers) {
  send();
  receive();
  // The second receive overlaps with the ack.
  log({"pending 3 ack work 0-0-0 0", "pending 4 receive work", "settled 3 ok", "settled 4 ok 0 0-0-0 2 0"});
  log({"pending 5 receive work", "settled 5 ok 0 0-0-0 3 0"});
  EXPECT_THAT(check({}), ElementsAre(HasSubstr("began after it was acknowledged")));
}

TEST_F(OracleTest, DeliveriesAreCounted) {
  send();
  receive();
  EXPECT_THAT(judge({survivor("work", 0)}),
              ElementsAre(HasSubstr("charged 0 deliveries in work, expected 1..1")));
  EXPECT_THAT(judge({survivor("work", 2)}), ElementsAre(HasSubstr("charged 2 deliveries")));
  log({"pending 3 receive work"});
  EXPECT_THAT(judge({survivor("work", 2)}), IsEmpty()) << "nobody saw what this one delivered";
}

TEST_F(OracleTest, AReceiveWhoseLeaseEndedBeforeItsAnswerMayHaveDeliveredTwice) {
  send();
  log({"pending 2 receive work", "settled 2 ok 1 0-0-0 2 0"});
  EXPECT_THAT(judge({survivor("work", 1)}), IsEmpty());
  EXPECT_THAT(judge({survivor("work", 2)}), IsEmpty());
  EXPECT_THAT(judge({survivor("work", 3)}),
              ElementsAre(HasSubstr("charged 3 deliveries in work, expected 1..2")));
}

TEST_F(OracleTest, WhatALostReceiveDeliveredIsKnownAfterACheck) {
  send();
  log({"pending 2 receive work"});
  EXPECT_THAT(check({survivor("work", 1)}), IsEmpty());
  log({"pending 3 receive work", "settled 3 ok 0 0-0-0 2 0"});
  EXPECT_THAT(judge({survivor("work", 1)}),
              ElementsAre(HasSubstr("charged 1 deliveries in work, expected 2..2")));
  EXPECT_THAT(judge({survivor("work", 2)}), IsEmpty());
  EXPECT_THAT(judge({survivor("work", 3)}),
              ElementsAre(HasSubstr("charged 3 deliveries in work, expected 2..2")));
  log({"pending 4 reject work 0-0-0 0", "settled 4 ok"});
  Survivor dead = dead_letter();
  dead.record->reason = reason_of(4);
  EXPECT_THAT(judge({dead}), ElementsAre(HasSubstr("charged 1 deliveries in work, expected 2..2")));
  dead.record->deliveries = 2;
  EXPECT_THAT(judge({dead}), IsEmpty());
}

TEST_F(OracleTest, WhatALostReceiveDidNotDeliverIsKnownAfterACheck) {
  send();
  log({"pending 2 receive work"});
  EXPECT_THAT(check({survivor("work", 0)}), IsEmpty());
  log({"pending 3 receive work", "settled 3 ok 0 0-0-0 1 0"});
  EXPECT_THAT(judge({survivor("work", 1)}), IsEmpty());
  EXPECT_THAT(judge({survivor("work", 2)}),
              ElementsAre(HasSubstr("charged 2 deliveries in work, expected 1..1")));
}

TEST_F(OracleTest, ALostReceiveDeliversNothingThatCameLater) {
  log({"pending 2 receive work"});
  EXPECT_THAT(check({}), IsEmpty());
  send();
  EXPECT_THAT(check({survivor("work", 1)}),
              ElementsAre(HasSubstr("charged 1 deliveries in work, expected 0..0")));
}

TEST_F(OracleTest, ADeliveryTellsHowManyThereWere) {
  send();
  receive();
  log({"pending 3 receive work", "settled 3 ok 0 0-0-0 2 0"});
  EXPECT_THAT(check({survivor("work", 2)}), IsEmpty());
  log({"pending 4 receive work", "settled 4 ok 0 0-0-0 2 0"});
  EXPECT_THAT(check({survivor("work", 3)}),
              ElementsAre(HasSubstr("delivered and is charged 1 deliveries in work, expected 2..2")));
  log({"pending 5 receive work", "settled 5 ok 0 0-0-0 4 0"});
  EXPECT_THAT(check({survivor("work", 4)}), ElementsAre(HasSubstr("a 4. time in work")));
}

TEST_F(OracleTest, OverlappingReceivesAreAnsweredInAnyOrder) {
  send();
  log({"pending 2 receive work", "pending 3 receive work", "settled 3 ok 0 0-0-0 2 0",
       "settled 2 ok 0 0-0-0 1 0"});
  EXPECT_THAT(check({survivor("work", 2)}), IsEmpty());
}

TEST_F(OracleTest, ADeliveryThatWasSparedIsNotTold) {
  send();
  receive();
  log({"pending 3 spare work 0-0-0 0", "pending 4 receive work", "settled 4 ok 0 0-0-0 1 0", "settled 3 ok"});
  EXPECT_THAT(check({survivor("work", 1)}), IsEmpty());
  log({"pending 5 receive work", "settled 5 ok 0 0-0-0 3 0"});
  EXPECT_THAT(check({survivor("work", 2)}),
              ElementsAre(HasSubstr("delivered and is charged 2 deliveries in work, expected 1..1")));
}

TEST_F(OracleTest, ADeadLetterHasItsRecord) {
  send();
  receive();
  reject();
  EXPECT_THAT(judge({dead_letter()}), IsEmpty());
  Survivor bare = dead_letter();
  bare.record.reset();
  EXPECT_THAT(judge({bare}), ElementsAre(HasSubstr("no failure record")));
  Survivor vague = dead_letter();
  vague.record->reason = "something else";
  EXPECT_THAT(judge({vague}), ElementsAre(HasSubstr("a reason that nobody gave")));
  Survivor fresh = dead_letter();
  fresh.record->deliveries = 0;
  EXPECT_THAT(judge({fresh}), ElementsAre(HasSubstr("charged 0 deliveries in work")));
}

TEST_F(OracleTest, ARecordStaysAsItIsUntilTheNextDeath) {
  send();
  receive();
  reject();
  Survivor dead = dead_letter();
  dead.record->attempts.kept = {{.failed_at = Timestamp(Duration(7)), .end = AttemptEnd::kRejected}};
  EXPECT_THAT(check({dead}), IsEmpty());
  EXPECT_THAT(judge({dead}), IsEmpty());
  Survivor failed_since = dead;
  failed_since.record->attempts.kept.push_back(
      {.failed_at = Timestamp(Duration(8)), .end = AttemptEnd::kReleased});
  EXPECT_THAT(judge({failed_since}), IsEmpty());
  failed_since.record->attempts.kept.erase(failed_since.record->attempts.kept.begin());
  EXPECT_THAT(judge({failed_since}), ElementsAre(HasSubstr("its record has changed")));
  Survivor altered = dead;
  ++altered.record->deliveries;
  EXPECT_THAT(judge({altered}), ElementsAre(HasSubstr("its record has changed")));
  altered.record.reset();
  EXPECT_THAT(judge({altered}), ElementsAre(HasSubstr("no failure record")));

  log({"pending 4 receive dead", "settled 4 ok 0 0-0-0 1 0", "pending 5 reject dead 0-0-0 0",
       "settled 5 ok"});
  dead.queue = "parked";
  EXPECT_THAT(judge({dead}), ElementsAre(HasSubstr("a reason that nobody gave")));
  dead.record->reason = reason_of(5);
  EXPECT_THAT(judge({dead}), IsEmpty());
}

TEST_F(OracleTest, ADeadLetterComesBackByRedriveOnly) {
  send();
  receive();
  reject();
  EXPECT_THAT(check({dead_letter()}), IsEmpty());
  EXPECT_THAT(check({survivor("work", 1)}), ElementsAre(HasSubstr("came from dead to work")));
  log({"pending 4 redrive dead"});
  Survivor replayed = survivor("work", 0);
  replayed.replays = 1;
  EXPECT_THAT(check({replayed}), IsEmpty());
  replayed.replays = 2;
  EXPECT_THAT(check({replayed}), ElementsAre(HasSubstr("more often than anybody asked")));
}

TEST_F(OracleTest, AnAnswerSaysNoLessThanWasAsked) {
  log({"pending 1 send work 0-0-0 fsync", "settled 1 ok " + kId + " buffered"});
  EXPECT_THAT(judge({survivor("work", 0)}), ElementsAre(HasSubstr("0-0-0 was to be fsynced")));
}

TEST_F(OracleTest, ATransactionsAnswerSaysNoLessThanWasAsked) {
  send();
  receive();
  log({"pending 3 transfer work 0-0-0 0 orders 0-0-1 fsync", "settled 3 ok " + kOtherId + " buffered"});
  Survivor sent = survivor("orders", 0);
  sent.key = "0-0-1";
  sent.id = must(MessageId::parse(kOtherId));
  EXPECT_THAT(oracle_.check({sent}, {{"0-0-1", "0-0-0"}}), ElementsAre(HasSubstr("0-0-1 was to be fsynced")));
}

TEST_F(OracleTest, ATransactionHappensAsAWhole) {
  send();
  receive();
  log({"pending 3 transfer work 0-0-0 0 orders 0-0-1 fsync"});
  Survivor sent = survivor("orders", 0);
  sent.key = "0-0-1";
  sent.id = must(MessageId::parse(kOtherId));
  Oracle before = oracle_;
  EXPECT_THAT(before.check({survivor("work", 1)}, {}), IsEmpty());
  before = oracle_;
  EXPECT_THAT(before.check({sent}, {{"0-0-1", "0-0-0"}}), IsEmpty());
  before = oracle_;
  EXPECT_THAT(before.check({survivor("work", 1), sent}, {{"0-0-1", "0-0-0"}}),
              ElementsAre(HasSubstr("back after it was gone for good")));
  before = oracle_;
  EXPECT_THAT(before.check({}, {{"0-0-1", "0-0-0"}}), ElementsAre(HasSubstr("0-0-1: is lost")));
}

}  // namespace
}  // namespace holdfast::testing
