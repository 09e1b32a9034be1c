// Verbs whose dead letters are named one by one.
#include "holdfast/limits.h"
#include "tests/command/dlq_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

class DlqNamed : public DlqTest {
 protected:
  // Returns "seq", "id" or "message_id" of the dead letters, in order.
  std::vector<std::string> names(const std::string& field) const {
    std::vector<std::string> found;
    for (const auto& letter : holdfast_json({"dlq", "list", "orders-dlq", "--all"}).objects()) {
      found.push_back(letter.at(field));
    }
    return found;
  }
};

TEST_F(DlqNamed, OneThatIsNamedTwiceIsOne) {
  const std::string seq = names("seq").front();
  for (const char* option : {"--dry-run", "--yes"}) {
    const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", seq, seq, option});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_EQ(names("seq").size(), 2U);
}

TEST_F(DlqNamed, OneThatIsNamedBySeqAndByIdsIsOne) {
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--parking-queue", "parked", "--create-missing"}).status, 0);
  const std::vector<std::vector<std::string>> verbs{
      {"note", "--text", "seen"}, {"abandon", "--yes"}, {"redrive", "--dry-run"},
      {"park", "--dry-run"},      {"redrive"},          {"park"},
      {"discard", "--yes"}};
  for (const auto& verb : verbs) {
    std::vector<std::string> arguments{"dlq", verb.front(), "orders-dlq"};
    for (const char* field : {"seq", "id", "message_id"}) arguments.push_back(names(field).front());
    arguments.insert(arguments.end(), verb.begin() + 1, verb.end());
    const Outcome outcome = holdfast(arguments);
    EXPECT_EQ(outcome.status, 0) << ::testing::PrintToString(arguments) << outcome.err;
  }
  EXPECT_TRUE(names("seq").empty());
}

TEST_F(DlqNamed, OneThatIsNotThereIsMissedBesideOneThatIsNamedTwice) {
  const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", "1", names("message_id").front(), "999"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.out, "redrove 1 message from orders-dlq\n");
  EXPECT_THAT(outcome.err, HasSubstr("1 of the 2 dead letters that were named"));
}

TEST_F(DlqNamed, MaxTakesTheFirstOfThem) {
  for (const char* option : {"--dry-run", "--yes"}) {
    const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", "1", "2", "3", "--max", "2", option});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
  }
  EXPECT_EQ(names("seq"), std::vector<std::string>{"3"});
  const Outcome outcome = holdfast({"dlq", "redrive", "orders-dlq", "3", "998", "999", "--max", "2"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_THAT(outcome.err, HasSubstr("2 of the 3 dead letters that were named"));
}

TEST_F(DlqNamed, ShowMissesThoseThatAreNotThere) {
  const Outcome outcome = holdfast({"dlq", "show", "orders-dlq", "1", "999"});
  EXPECT_EQ(outcome.status, 7);
  EXPECT_THAT(outcome.out, HasSubstr("seq 1\n"));
  EXPECT_THAT(outcome.err, HasSubstr("1 of the 2 dead letters that were named: no such dead letter in"));
  const std::string id = names("message_id").front();
  const Outcome one = holdfast_json({"dlq", "show", "orders-dlq", "1", "1", id});
  EXPECT_EQ(one.status, 0) << one.err;
  EXPECT_EQ(one.objects().size(), 1U);
}

TEST_F(DlqNamed, ShowGoesOnPastAPage) {
  std::string archive;
  for (std::uint64_t i = 0; i < limits::kListPage; ++i) {
    DeadLetter letter;
    letter.id = *MessageId::parse("01890a5d-ac96-774b-bcce-" + std::to_string(100'000'000'000 + i));
    letter.record.message_id = letter.id;
    letter.record.source_queue = "orders";
    letter.record.cause = DeathCause::kExpired;
    letter.record.sent_at = letter.record.died_at = Timestamp(std::chrono::hours(24 * 365 * 50));
    archive += archive_line("orders-dlq", letter) + '\n';
  }
  ASSERT_EQ(holdfast({"dlq", "import", "orders-dlq", "-"}, archive).status, 0);
  std::vector<std::string> arguments = names("seq");
  arguments.resize(limits::kFilterIds);
  arguments.push_back(names("message_id").back());
  arguments.insert(arguments.begin(), {"dlq", "show", "orders-dlq"});
  const Outcome outcome = holdfast_json(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.objects().size(), limits::kFilterIds + 1);
}

}  // namespace
}  // namespace holdfast::command
