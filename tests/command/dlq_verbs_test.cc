#include "command_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

class DlqVerbs : public CommandTest {
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
};

TEST_F(DlqVerbs, ListIsATableForPeople) {
  const Outcome outcome = holdfast({"dlq", "list", "orders-dlq", "--bodies"});
  EXPECT_THAT(outcome.out, HasSubstr("AGE  CATEGORY    CAUSE     REASON"));
  EXPECT_THAT(outcome.out, HasSubstr("validation  rejected  quantity must be > 0"));
  EXPECT_THAT(outcome.out, HasSubstr("no answer\\nfrom the warehouse"));
  EXPECT_THAT(outcome.out, HasSubstr("orders  0 widgets\n"));
}

TEST_F(DlqVerbs, ListIsRecordsForPrograms) {
  const auto letters =
      holdfast_json({"dlq", "list", "orders-dlq", "--category", "timeout", "--bodies"}).objects();
  ASSERT_EQ(letters.size(), 1);
  const auto& letter = letters[0];
  EXPECT_EQ(letter.at("category"), "timeout");
  EXPECT_EQ(letter.at("cause"), "rejected");
  EXPECT_EQ(letter.at("reason"), "no answer\nfrom the warehouse");
  EXPECT_EQ(letter.at("code"), "E1");
  EXPECT_EQ(letter.at("source_queue"), "orders");
  EXPECT_EQ(letter.at("deliveries"), 1);
  EXPECT_EQ(letter.at("consumer").at("instance"), "holdfast");
  EXPECT_EQ(letter.at("body"), "1 widget");
}

TEST_F(DlqVerbs, ListGoesOnWhereItStopped) {
  const Outcome first = holdfast_json({"dlq", "list", "orders-dlq", "--max", "2"});
  ASSERT_EQ(first.objects().size(), 2);
  const auto seq = first.objects()[1].at("seq").get<std::uint64_t>();
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--after", std::to_string(seq)}).objects().size(), 1);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--all"}).objects().size(), 3);
  EXPECT_THAT(holdfast({"dlq", "list", "orders-dlq", "--max", "2"}).err,
              HasSubstr("--after " + std::to_string(seq)));
}

TEST_F(DlqVerbs, ListOfTheSourcePointsToTheDeadLetterQueue) {
  EXPECT_THAT(holdfast({"dlq", "list", "orders"}).err, HasSubstr("'orders' dead-letters to 'orders-dlq'"));
}

TEST_F(DlqVerbs, RedriveBringsBackACategoryOrAll) {
  EXPECT_EQ(holdfast({"redrive", "orders-dlq", "--category", "validation"}).out,
            "redrove 2 messages from orders-dlq\n");
  EXPECT_EQ(holdfast_json({"dlq", "redrive", "orders-dlq"}).objects().at(0).at("moved"), 1);
  const auto messages = holdfast_json({"receive", "orders", "--max", "10"}).objects();
  ASSERT_EQ(messages.size(), 3);
  EXPECT_EQ(messages[0].at("replays"), 1);
  EXPECT_EQ(messages[0].at("deliveries"), 1);
}

TEST_F(DlqVerbs, RejectWithoutADeadLetterQueueIsRefused) {
  ASSERT_EQ(holdfast({"send", "orders-dlq", "stray"}).status, 0);
  const auto messages = holdfast_json({"receive", "orders-dlq", "--max", "10"}).objects();
  const Outcome outcome = holdfast({"reject", messages.back().at("receipt")});
  EXPECT_EQ(outcome.status, 9);
  EXPECT_THAT(outcome.err, HasSubstr("hint: 'holdfast queue alter QUEUE --dead-letter-queue NAME'"));
}

}  // namespace
}  // namespace holdfast::command
