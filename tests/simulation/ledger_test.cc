// The ledger of the simulation accepts what may become of a message by purges, redrives, edits and retries,
// and reports anything else as a violation.
#include "tests/simulation/world/ledger.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace holdfast::simulation {
namespace {

using namespace std::chrono_literals;

class LedgerTest : public ::testing::Test {
 protected:
  LedgerTest() {
    ledger_.declare("work", {.promised = {.next = {"dead"}}});
    ledger_.declare("dead", {.promised = {.next = {"deader"}}, .dead_letters = true});
    ledger_.declare("deader", {.dead_letters = true});
  }

  void send(const std::string& body) {
    Account account;
    account.queue = "work";
    ledger_.sent(body, account, true);
  }

  Ledger ledger_;
};

TEST_F(LedgerTest, APurgeTakesWhatIsThereOrMayComeThere) {
  send("x");
  send("y");
  ledger_.purged("work", {{"y", "dead"}});
  ledger_.purged("deader", {{"y", "dead"}});
  EXPECT_NO_THROW(ledger_.all_found());
}

TEST_F(LedgerTest, APurgeTakesNothingThatIsDeadElsewhere) {
  send("x");
  ledger_.purged("work", {{"x", "dead"}});
  EXPECT_THROW(ledger_.all_found(), Violation);
}

TEST_F(LedgerTest, APurgeTakesTheDeadOfItsQueue) {
  send("x");
  ledger_.purged("dead", {{"x", "dead"}});
  EXPECT_NO_THROW(ledger_.all_found());
}

TEST_F(LedgerTest, WhatIsAbandonedMayLeaveIntoTheArchive) {
  send("x");
  ledger_.abandoned("x");
  EXPECT_THROW(ledger_.all_found(), Violation);
  ledger_.archived("x", {});
  EXPECT_NO_THROW(ledger_.all_found());
}

TEST_F(LedgerTest, WhatIsTakenUpAgainMustBeThereThoughItIsInTheArchive) {
  send("x");
  ledger_.abandoned("x");
  ledger_.taken_up("x");
  EXPECT_NO_THROW(ledger_.archived("x", {}));
  EXPECT_THROW(ledger_.all_found(), Violation);
}

class EditTest : public LedgerTest {
 protected:
  EditTest() {
    send("x");
    for (const char* value : {"a", "b"}) ledger_.may_edit(edit(value));
  }
  static RedriveEdit edit(const std::string& value) {
    return {.set_attributes = {{kEditedAttribute, value}}};
  }
  void show(std::uint32_t replays, const Attributes& attributes) {
    ledger_.shown("work", {.body = "x", .replays = replays, .attributes = attributes});
  }

  const Attributes a_{{kEditedAttribute, "a"}};
  const Attributes b_{{kEditedAttribute, "b"}};
};

TEST_F(EditTest, IsInTheMessageItWasMadeIn) {
  ledger_.redriven("x", 1, edit("a"));
  EXPECT_NO_THROW(show(1, a_));
  EXPECT_THROW(show(1, {}), Violation);
  EXPECT_THROW(show(1, b_), Violation);
}

TEST_F(EditTest, StaysThroughLaterRedrivesOrIsReplaced) {
  ledger_.redriven("x", 1, edit("a"));
  EXPECT_NO_THROW(show(2, a_));
  EXPECT_NO_THROW(show(2, b_));
  EXPECT_THROW(show(2, {}), Violation);
  ledger_.redriven("x", 2, {});
  EXPECT_THROW(show(2, b_), Violation);
}

TEST_F(EditTest, IsInNoMessageThatWasNotRedriven) { EXPECT_THROW(show(0, a_), Violation); }

TEST_F(EditTest, IsNotLostWithItsReplay) {
  ledger_.redriven("x", 1, edit("a"));
  EXPECT_THROW(show(0, {}), Violation);
}

TEST_F(EditTest, IsOneThatWasAskedFor) { EXPECT_THROW(show(1, {{kEditedAttribute, "c"}}), Violation); }

TEST_F(EditTest, MayBeLostWithItsRedrive) {
  ledger_.synced();
  ledger_.redriven("x", 1, edit("a"));
  ledger_.crashed();
  EXPECT_NO_THROW(show(0, {}));
  EXPECT_NO_THROW(show(1, a_));
}

TEST_F(LedgerTest, AMessageKeepsTheAttributesItWasSentWith) {
  send("1");
  EXPECT_NO_THROW(ledger_.shown("work", {.body = "1", .attributes = sent_with("1")}));
  EXPECT_THROW(ledger_.shown("work", {.body = "1"}), Violation);
}

class RetryTest : public LedgerTest {
 protected:
  // Delivers the message. Its earlier deliveries failed when their leases ran out.
  void deliver(std::uint32_t deliveries, Timestamp at) {
    Delivery delivery;
    delivery.receipt = {.lease = LeaseId{deliveries}};
    delivery.body = "x";
    delivery.deliveries = deliveries;
    delivery.lease_expires_at = at + 1s;
    ledger_.delivered("work", delivery, true, at, at);
  }

  void follow(const RetryPolicy& retry) {
    ledger_.declare("work", {.retry = retry});
    send("x");
    deliver(1, Timestamp{});
  }
};

TEST_F(RetryTest, EachStageIsWaitedFor) {
  follow({.kind = RetryKind::kStages, .stages = {100ms, 300ms}});
  deliver(2, Timestamp{1100ms});
  EXPECT_THROW(deliver(3, Timestamp{2399ms}), Violation);
  EXPECT_NO_THROW(deliver(3, Timestamp{2400ms}));
}

TEST_F(RetryTest, ExponentialWaitsDoubleUpToTheirCap) {
  follow({.kind = RetryKind::kExponential, .base = 100ms, .cap = 150ms});
  EXPECT_THROW(deliver(2, Timestamp{1099ms}), Violation);
  deliver(2, Timestamp{1100ms});
  EXPECT_THROW(deliver(3, Timestamp{2249ms}), Violation);
  EXPECT_NO_THROW(deliver(3, Timestamp{2250ms}));
}

TEST_F(RetryTest, JitterShortensAWaitByNoMoreThanItsShare) {
  follow({.kind = RetryKind::kFixed, .base = 100ms, .jitter = 0.5});
  EXPECT_THROW(deliver(2, Timestamp{1049ms}), Violation);
  EXPECT_NO_THROW(deliver(2, Timestamp{1050ms}));
}

TEST_F(LedgerTest, AReceiptMayHoldUntilItIsSettled) {
  send("x");
  Delivery delivery;
  delivery.body = "x";
  delivery.lease_expires_at = Timestamp{1s};
  ledger_.delivered("work", delivery, true, Timestamp{}, Timestamp{});
  EXPECT_TRUE(ledger_.may_hold(delivery.receipt));
  ledger_.settled(delivery.receipt, Settling::kAck, {}, Timestamp{});
  EXPECT_FALSE(ledger_.may_hold(delivery.receipt));
}

}  // namespace
}  // namespace holdfast::simulation
