// These tests check what a record holds beside the failure itself, and how dead letters are filtered,
// grouped, paged and redacted.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FindDeadLetters : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}});
    create("bills", {.dead_letters = {.queue = "dlq"}});
  }

  MessageId kill(std::string body, Rejection rejection, Consumer consumer = {},
                 std::string_view queue = "orders") {
    const MessageId id = send(queue, std::move(body));
    must(
        broker().reject(receive_one(queue, {.consumer = std::move(consumer)}).receipt, std::move(rejection)));
    return id;
  }

  // Makes eight dead letters, "0" to "7", one second apart.
  void kill_some() {
    for (int i = 0; i < 8; ++i) {
      advance(1s);
      kill(std::to_string(i),
           {.category = i % 2 == 0 ? "timeout" : "validation",
            .reason = "Order " + std::to_string(i) + (i < 4 ? " is late" : " is wrong"),
            .code = i % 4 == 0 ? "E1" : ""},
           {.instance = "w", .version = i < 6 ? "2.0" : "2.1"}, i == 7 ? "bills" : "orders");
    }
  }

  std::vector<std::string> found(const DeadLetterFilter& filter, std::size_t max = 100,
                                 bool newest_first = false) {
    std::vector<std::string> result;
    std::optional<DeadLetterCursor> after;
    do {
      const DeadLetterPage page = must(broker().list_dead_letters(
          "dlq",
          {.filter = filter, .after = after, .max = max, .bodies = true, .newest_first = newest_first}));
      for (const DeadLetter& letter : page.items) result.push_back(letter.body);
      after = page.next;
    } while (after);
    return result;
  }

  std::map<std::string, std::uint64_t> groups(DeadLetterGrouping by, DeadLetterFilter filter = {}) {
    std::map<std::string, std::uint64_t> result;
    const auto answer = must(broker().group_dead_letters("dlq", {.by = by, .filter = std::move(filter)}));
    for (const DeadLetterGroup& group : answer.groups) result.emplace(group.value, group.count);
    return result;
  }

  using Groups = std::map<std::string, std::uint64_t>;
};
HOLDFAST_FOR_EACH_BROKER(FindDeadLetters);

TEST_P(FindDeadLetters, RecordsHoldHowEachDeliveryEnded) {
  send("orders", "a", {{"workflow-version", "12"}});
  must(broker().release(receive_one("orders", {.consumer = {.instance = "w1"}}).receipt));
  const Timestamp released_at = now();
  reopen();
  receive_one("orders", {.consumer = {.instance = "w2", .version = "3"}});
  advance(10s);
  const DeadLetter letter = only_dead_letter("dlq");
  EXPECT_EQ(letter.record.attempts,
            (AttemptHistory{.kept = {{released_at, AttemptEnd::kReleased, {.instance = "w1"}},
                                     {.failed_at = now(),
                                      .end = AttemptEnd::kLeaseExpired,
                                      .consumer = {.instance = "w2", .version = "3"},
                                      .held = 10s}}}));
  EXPECT_EQ(letter.record.workflow_version, "12");
  EXPECT_EQ(letter.record.visits, 1U);
  EXPECT_NE(letter.id, letter.record.message_id);
  EXPECT_EQ(letter.triage.status, DeadLetterStatus::kNew);
  EXPECT_EQ(letter.triage.status_since, letter.record.died_at);
  EXPECT_FALSE(letter.history);
}

TEST_P(FindDeadLetters, RecordsHoldNestedErrorsAndPartialOutput) {
  const std::vector<NestedError> causes{{"E1", "could not save"}, {"", "disk full"}};
  const std::string output("half\0done", 9);
  kill("a", {.causes = causes, .partial_output = output});
  reopen();
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.causes, causes);
  EXPECT_EQ(record.partial_output, output);
}

TEST_P(FindDeadLetters, RejectionsAreBounded) {
  send("orders", "a");
  const Receipt receipt = receive_one("orders").receipt;
  const auto reject = [&](Rejection rejection) { return broker().reject(receipt, std::move(rejection)); };
  EXPECT_THAT(reject({.causes = std::vector<NestedError>(limits::kNestedErrors + 1)}),
              FailsNaming(ErrorCode::kLimitExceeded, "causes"));
  EXPECT_THAT(reject({.causes = {{"", std::string(limits::kNestedErrorBytes + 1, 'x')}}}),
              FailsNaming(ErrorCode::kLimitExceeded, "causes"));
  must(reject({.causes = std::vector<NestedError>(limits::kNestedErrors,
                                                  {"", std::string(limits::kNestedErrorBytes, 'x')}),
               .partial_output = std::string(limits::kPartialOutputBytes, 'x')}));
}

TEST_P(FindDeadLetters, RecordsDoNotGrowOverFiftyReplays) {
  send("orders", "a");
  std::size_t size = 0;
  MessageId last_id;
  std::optional<FirstDeath> first;
  for (std::uint32_t replay = 0; replay <= 50; ++replay) {
    must(broker().release(receive_one("orders").receipt));
    reject_one("orders", {.reason = "broken " + std::to_string(replay)});
    const DeadLetter letter = only_dead_letter("dlq");
    EXPECT_EQ(letter.record.replays, replay);
    EXPECT_EQ(letter.record.visits, replay + 1);
    const std::size_t now = letter.record.attempts.kept.size() + letter.record.causes.size() +
                            letter.triage.audit.size() + letter.triage.notes.size();
    if (replay <= 1) size = now;  // later redrives take the place of the first one's note
    EXPECT_EQ(now, size);
    if (replay > 0) {
      EXPECT_EQ(letter.id, last_id);
    }
    EXPECT_EQ(letter.record.first_death, first);
    if (replay == 0) first = first_death_of(letter.record);
    last_id = letter.id;
    advance(1s);
    must(broker().redrive("dlq"));
    EXPECT_EQ(must(broker().list_dead_letters("dlq", {.filter = {.history = true}})).items.size(), 1U);
  }
  EXPECT_EQ(first->reason, "broken 0");
}

TEST_P(FindDeadLetters, ByEachField) {
  kill_some();
  const auto page = must(broker().list_dead_letters("dlq"));
  const auto& items = page.items;
  ASSERT_EQ(items.size(), 8U);
  EXPECT_THAT(found({.category = "timeout"}), ElementsAre("0", "2", "4", "6"));
  EXPECT_THAT(found({.code = "E1"}), ElementsAre("0", "4"));
  EXPECT_THAT(found({.code = ""}), ElementsAre("1", "2", "3", "5", "6", "7"));
  EXPECT_THAT(found({.source = "bills"}), ElementsAre("7"));
  EXPECT_THAT(found({.consumer_version = "2.1"}), ElementsAre("6", "7"));
  EXPECT_THAT(found({.cause = DeathCause::kRejected}, 3).size(), 8U);
  EXPECT_THAT(found({.cause = DeathCause::kMaxDeliveries}), IsEmpty());
  EXPECT_THAT(found({.status = DeadLetterStatus::kNew}).size(), 8U);
  EXPECT_THAT(found({.status = DeadLetterStatus::kReplayed}), IsEmpty());
  EXPECT_THAT(found({.assignee = ""}).size(), 8U);
  EXPECT_THAT(found({.assignee = "ann"}), IsEmpty());
  EXPECT_THAT(found({.fingerprint = items[1].record.fingerprint}), ElementsAre("1", "3"));
  EXPECT_THAT(found({.died_from = items[2].record.died_at, .died_before = items[5].record.died_at}),
              ElementsAre("2", "3", "4"));
  EXPECT_THAT(found({.reason = "IS LATE"}), ElementsAre("0", "1", "2", "3"));
  EXPECT_THAT(found({.ids = {items[3].record.message_id, items[1].id}}), ElementsAre("1", "3"));
  EXPECT_THAT(found({.seqs = {items[5].seq, items[0].seq, Seq{1U << 30}}}), ElementsAre("0", "5"));
  EXPECT_THAT(found({.ids = {MessageId{}}}), IsEmpty());
}

TEST_P(FindDeadLetters, ByFieldsTogether) {
  kill_some();
  EXPECT_THAT(found({.category = "timeout", .consumer_version = "2.0", .reason = "wrong"}), ElementsAre("4"));
  EXPECT_THAT(found({.category = "timeout", .source = "bills"}), IsEmpty());
  const auto items = must(broker().list_dead_letters("dlq")).items;
  EXPECT_THAT(found({.seqs = {items[0].seq, items[1].seq}, .category = "timeout"}), ElementsAre("0"));
}

TEST_P(FindDeadLetters, PagesGiveEachOnceInEitherOrder) {
  kill_some();
  const std::vector<std::string> all{"0", "1", "2", "3", "4", "5", "6", "7"};
  const std::vector<std::string> newest(all.rbegin(), all.rend());
  for (const std::size_t max : {1, 2, 3, 7, 8, 9}) {
    EXPECT_EQ(found({}, max), all);
    EXPECT_EQ(found({}, max, true), newest);
    EXPECT_THAT(found({.category = "timeout"}, max, true), ElementsAre("6", "4", "2", "0"));
    EXPECT_THAT(found({.reason = "late"}, max), ElementsAre("0", "1", "2", "3"));
  }
}

TEST_P(FindDeadLetters, OneWithEverything) {
  const MessageId id = kill("body", {.reason = "why"});
  const DeadLetter listed = only_dead_letter("dlq");
  EXPECT_EQ(must(broker().get_dead_letter("dlq", id)), listed);
  EXPECT_EQ(must(broker().get_dead_letter("dlq", listed.id)), listed);
  EXPECT_EQ(must(broker().get_dead_letter("dlq", listed.seq)), listed);
  EXPECT_THAT(broker().get_dead_letter("dlq", Seq{99}), FailsWith(ErrorCode::kMessageNotFound));
  EXPECT_THAT(broker().get_dead_letter("dlq", MessageId{}), FailsWith(ErrorCode::kMessageNotFound));
}

TEST_P(FindDeadLetters, GroupsAreCountedLargestFirst) {
  kill_some();
  using By = DeadLetterGrouping;
  EXPECT_EQ(groups(By::kCategory), (Groups{{"timeout", 4}, {"validation", 4}}));
  EXPECT_EQ(groups(By::kCode), (Groups{{"", 6}, {"E1", 2}}));
  EXPECT_EQ(groups(By::kSource), (Groups{{"orders", 7}, {"bills", 1}}));
  EXPECT_EQ(groups(By::kConsumerVersion), (Groups{{"2.0", 6}, {"2.1", 2}}));
  EXPECT_EQ(groups(By::kCause), (Groups{{"rejected", 8}}));
  EXPECT_EQ(groups(By::kStatus), (Groups{{"new", 8}}));
  EXPECT_EQ(groups(By::kAssignee), (Groups{{"", 8}}));
  EXPECT_EQ(groups(By::kCategory, {.consumer_version = "2.1"}), (Groups{{"timeout", 1}, {"validation", 1}}));

  const auto items = must(broker().list_dead_letters("dlq")).items;
  for (const DeadLetterFilter& filter : {DeadLetterFilter{}, DeadLetterFilter{.assignee = ""}}) {
    const auto by_code =
        must(broker().group_dead_letters("dlq", {.by = By::kCode, .filter = filter, .max = 1}));
    ASSERT_EQ(by_code.groups.size(), 1U);
    EXPECT_EQ(by_code.left_out, 1U);
    EXPECT_EQ(by_code.total, 8U);
    EXPECT_TRUE(by_code.complete);
    EXPECT_EQ(by_code.groups[0].count, 6U);
    EXPECT_EQ(by_code.groups[0].first_died_at, items[1].record.died_at);
    EXPECT_EQ(by_code.groups[0].last_died_at, items[7].record.died_at);
    EXPECT_EQ(by_code.groups[0].sample, items[7]);
  }
}

TEST_P(FindDeadLetters, GroupsFollowWhatLeaves) {
  kill_some();
  must(broker().ack(receive_one("dlq").receipt));
  EXPECT_EQ(groups(DeadLetterGrouping::kCode), (Groups{{"", 6}, {"E1", 1}}));
  must(broker().redrive("dlq", {.filter = {.category = "timeout"}}));
  EXPECT_EQ(groups(DeadLetterGrouping::kCategory), (Groups{{"validation", 4}}));
  reopen();
  EXPECT_EQ(groups(DeadLetterGrouping::kCategory), (Groups{{"validation", 4}}));
  must(broker().purge_queue("dlq"));
  EXPECT_THAT(groups(DeadLetterGrouping::kCategory), IsEmpty());
  kill("new", {.category = "validation"});
  EXPECT_EQ(groups(DeadLetterGrouping::kCategory), (Groups{{"validation", 1}}));
}

TEST_P(FindDeadLetters, RedactionSaysWhatItTookOut) {
  send("orders", "secret", {{"card", "4711"}, {"shop", "7"}, {"correlation-id", "c"}});
  reject_one("orders", {.reason = "why", .partial_output = "half a secret"});
  const auto page = must(broker().list_dead_letters(
      "dlq", {.bodies = true, .redact = {.bodies = true, .attributes = {"card", "correlation-id"}}}));
  ASSERT_EQ(page.items.size(), 1U);
  const DeadLetter& letter = page.items[0];
  EXPECT_EQ(letter.body, "");
  EXPECT_EQ(letter.record.partial_output, "");
  EXPECT_EQ(letter.record.correlation_id, "");
  EXPECT_EQ(letter.record.reason, "why");
  EXPECT_EQ(letter.attributes, (Attributes{{"card", ""}, {"shop", "7"}, {"correlation-id", ""}}));
  EXPECT_THAT(letter.redacted,
              ElementsAre("body", "partial_output", "attribute card", "attribute correlation-id"));
  EXPECT_THAT(only_dead_letter("dlq").redacted, IsEmpty());
}

TEST_P(FindDeadLetters, ACallLooksAtSoManyRecords) {
  const auto kill_numbered = [&](std::size_t n) {
    send_numbered("orders", n);
    for (const auto& rejected :
         must(broker().reject_batch(receipts(receive_all("orders")), {.reason = "broken at 4711"})))
      must(rejected);
  };
  const auto find = [&](std::optional<DeadLetterCursor> after, const char* reason = "at 12") {
    return must(broker().list_dead_letters("dlq", {.filter = {.reason = reason}, .after = after}));
  };
  kill_numbered(limits::kListExamined);
  EXPECT_FALSE(find({}).next.has_value());
  kill_numbered(1);
  const DeadLetterPage page = find({});
  EXPECT_THAT(page.items, IsEmpty());
  ASSERT_TRUE(page.next.has_value());
  EXPECT_FALSE(find(page.next).next.has_value());
  EXPECT_FALSE(find({}, "elsewhere").next.has_value());  // no record with that fingerprint has this text
}

TEST_P(FindDeadLetters, TooMuchIsRefused) {
  EXPECT_THAT(
      broker().list_dead_letters("dlq", {.filter = {.ids = std::vector<MessageId>(limits::kFilterIds + 1)}}),
      FailsNaming(ErrorCode::kLimitExceeded, "1000"));
  must(broker().list_dead_letters("dlq", {.filter = {.seqs = std::vector<Seq>(limits::kFilterIds)}}));
  EXPECT_THAT(broker().group_dead_letters("dlq", {.max = 0}), RefusesValue("max"));
  EXPECT_THAT(broker().group_dead_letters("dlq", {.max = limits::kListPage + 1}),
              FailsWith(ErrorCode::kLimitExceeded));
  EXPECT_THAT(broker().group_dead_letters("nowhere"), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(FindDeadLetters, ARedactionHasItsLimits) {
  kill("x", {.category = "c"});
  const auto each_shown = [&](const Redaction& redact, const auto& matcher) {
    EXPECT_THAT(broker().list_dead_letters("dlq", {.redact = redact}), matcher);
    EXPECT_THAT(broker().group_dead_letters("dlq", {.redact = redact}), matcher);
    EXPECT_THAT(broker().peek("dlq", {.redact = redact}), matcher);
    EXPECT_THAT(broker().redrive("dlq", {.dry_run = true, .redact = redact}), matcher);
  };
  const std::string longest(limits::kAttributeNameBytes, 'n');
  Redaction redact{.bodies = true,
                   .attributes = std::vector<std::string>(limits::kRedactedAttributes, longest)};
  each_shown(redact, Succeeds());
  redact.attributes.push_back("n");
  each_shown(redact, FailsNaming(ErrorCode::kLimitExceeded, "redact.attributes has 257 names"));
  each_shown({.attributes = {longest + "n"}}, FailsNaming(ErrorCode::kLimitExceeded, "redact.attributes"));
}

}  // namespace
}  // namespace holdfast::testing
