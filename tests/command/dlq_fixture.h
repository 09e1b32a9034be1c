// DlqTest has a queue with three dead letters.
#pragma once

#include "engine/codec/dead_letters/archive_line.h"
#include "tests/command/command_fixture.h"

namespace holdfast::command {

class DlqTest : public CommandTest {
 protected:
  void SetUp() override {
    create_orders();
    reject("0 widgets", "validation", "quantity must be > 0");
    reject("1 widget", "timeout", "no answer\nfrom the warehouse");
    reject("-1 widgets", "validation", "quantity must be > 0");
  }
  void reject(const std::string& body, const std::string& category, const std::string& reason) const {
    ASSERT_EQ(holdfast({"send", "orders", "--", body}).status, 0);
    ASSERT_EQ(
        holdfast({"reject", receive("orders"), "--category", category, "--reason", reason, "--code", "E1"})
            .status,
        0);
  }
  // Imports a dead letter that expired, and of which no delivery has failed.
  void import_expired() const {
    const MessageId id = *MessageId::parse("01890a5d-ac96-774b-bcce-b302099a8057");
    DeadLetter letter;
    letter.id = id;
    letter.body = "late";
    letter.record.message_id = id;
    letter.record.source_queue = "orders";
    letter.record.cause = DeathCause::kExpired;
    letter.record.sent_at = letter.record.died_at = Timestamp(std::chrono::hours(24 * 365 * 50));
    ASSERT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}, archive_line("orders-dlq", letter)).status, 0);
  }
};

}  // namespace holdfast::command
