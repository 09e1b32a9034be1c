// Tests find_dead_letters, and the filters that look at what a message contains.
#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SearchDeadLetters : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    for (const char* name : {"bills", "orders", "parcels"}) {
      const std::string dead = name + std::string("-dlq");
      create(dead, {.dead_letters = {.searched_attributes = {"customer", "correlation-id"}}});
      create(name, {.dead_letters = {.queue = dead}});
    }
  }

  void kill(std::string_view queue, std::string body, Attributes attributes = {}) {
    advance(1s);
    send(queue, std::move(body), std::move(attributes));
    reject_one(queue, {.category = "timeout", .reason = "late"});
  }

  // Returns "queue: body" for each dead letter that is found, and "queue: gone" for each record of history.
  std::vector<std::string> found(FindDeadLettersOptions options) {
    options.bodies = true;
    std::vector<std::string> result;
    do {
      const FoundDeadLetters page = must(broker().find_dead_letters(options));
      for (const FoundDeadLetter& item : page.items)
        result.push_back(item.queue + ": " + (item.letter.history ? "gone" : item.letter.body));
      EXPECT_LE(page.items.size(), options.max);
      scanned_ = page.scanned;
      options.after = page.next;
    } while (options.after);
    return result;
  }
  std::vector<std::string> found(DeadLetterFilter filter) {
    return found(FindDeadLettersOptions{.filter = std::move(filter)});
  }
  std::vector<std::string> listed(const std::string& queue, const DeadLetterFilter& filter) {
    std::vector<std::string> bodies;
    for (const DeadLetter& letter :
         must(broker().list_dead_letters(queue, {.filter = filter, .bodies = true})).items)
      bodies.push_back(letter.body);
    return bodies;
  }

  std::vector<std::string> scanned_;  // what the last page says
};
HOLDFAST_FOR_EACH_BROKER(SearchDeadLetters);

TEST_P(SearchDeadLetters, ByAnAttributeInWhateverQueue) {
  kill("orders", "a", {{"customer", "4711"}, {"order", "1"}});
  kill("bills", "b", {{"customer", "4711"}});
  kill("orders", "c", {{"customer", "47110"}});
  kill("parcels", "d");
  for (const bool again : {false, true}) {
    SCOPED_TRACE(again);
    if (again) reopen();
    EXPECT_THAT(found({.attributes = {{"customer", "4711"}}}), ElementsAre("bills-dlq: b", "orders-dlq: a"));
    EXPECT_THAT(scanned_, IsEmpty());
    EXPECT_THAT(found({.attributes = {{"customer", "471"}}}), IsEmpty());
    EXPECT_THAT(found({.attributes = {{"customer", ""}}}), ElementsAre("parcels-dlq: d"));
    EXPECT_THAT(found({.code = "", .attributes = {{"customer", "4711"}, {"order", "1"}}}),
                ElementsAre("orders-dlq: a"));
  }
  const auto items = must(broker().list_dead_letters("orders-dlq")).items;
  EXPECT_EQ(items.at(0).record.searched, (Attributes{{"customer", "4711"}, {"correlation-id", ""}}));
  EXPECT_THAT(found({.attributes = {{"order", "1"}}}), ElementsAre("orders-dlq: a"));
  EXPECT_THAT(scanned_, ElementsAre("bills-dlq", "orders-dlq", "parcels-dlq"));
}

TEST_P(SearchDeadLetters, ByWhatTheRecordSays) {
  kill("orders", "a", {{"correlation-id", "c-17"}, {"workflow-version", "3"}});
  kill("bills", "b", {{"correlation-id", "c-18"}});
  must(broker().redrive("bills-dlq"));
  reject_one("bills", {.category = "timeout"});
  EXPECT_THAT(found({.correlation_id = "c-17"}), ElementsAre("orders-dlq: a"));
  EXPECT_THAT(scanned_, IsEmpty());
  EXPECT_THAT(found({.correlation_id = ""}), IsEmpty());
  EXPECT_THAT(found({.workflow_version = "3"}), ElementsAre("orders-dlq: a"));
  EXPECT_THAT(found({.min_replays = 1}), ElementsAre("bills-dlq: b"));
  EXPECT_THAT(found({.min_replays = 2}), IsEmpty());
  const MessageId id = must(broker().list_dead_letters("orders-dlq")).items.at(0).record.message_id;
  EXPECT_THAT(found({.ids = {id}}), ElementsAre("orders-dlq: a"));
  // The redrive that makes a record history counts as a replay.
  must(broker().redrive("orders-dlq"));
  must(broker().redrive("bills-dlq"));
  EXPECT_THAT(found({.min_replays = 1, .history = true}), ElementsAre("bills-dlq: gone", "orders-dlq: gone"));
  EXPECT_THAT(found({.min_replays = 2, .history = true}), ElementsAre("bills-dlq: gone"));
  EXPECT_THAT(found({.min_replays = 3, .history = true}), IsEmpty());
}

TEST_P(SearchDeadLetters, ByAPartOfTheBody) {
  kill("orders", R"({"sku": "A-1"})");
  kill("bills", "nothing of the kind");
  EXPECT_THAT(found({.body = "sku\": \"a-1"}), ElementsAre(R"(orders-dlq: {"sku": "A-1"})"));
  EXPECT_THAT(scanned_, ElementsAre("bills-dlq", "orders-dlq"));
  EXPECT_THAT(listed("orders-dlq", {.body = "sku"}), SizeIs(1));
  EXPECT_THAT(listed("orders-dlq", {.body = "skus"}), IsEmpty());
}

TEST_P(SearchDeadLetters, GoesFromQueueToQueueInPages) {
  for (int i = 0; i < 3; ++i) {
    for (const char* queue : {"parcels", "bills", "orders"})
      kill(queue, std::to_string(i), {{"customer", "4711"}});
  }
  const std::vector<std::string> all{"bills-dlq: 0",   "bills-dlq: 1",   "bills-dlq: 2",
                                     "orders-dlq: 0",  "orders-dlq: 1",  "orders-dlq: 2",
                                     "parcels-dlq: 0", "parcels-dlq: 1", "parcels-dlq: 2"};
  for (const DeadLetterFilter& filter :
       {DeadLetterFilter{}, DeadLetterFilter{.attributes = {{"customer", "4711"}}}}) {
    for (const std::size_t max : {1, 2, 3, 4, 9, 100})
      EXPECT_EQ(found(FindDeadLettersOptions{.filter = filter, .max = max}), all) << max;
  }
  EXPECT_THAT(found(FindDeadLettersOptions{.queues = {"orders-dlq", "bills-dlq", "orders-dlq"}}), SizeIs(6));
  EXPECT_THAT(broker().find_dead_letters({.queues = {"orders-dlq", "nowhere"}}),
              FailsWith(ErrorCode::kQueueNotFound));
}

TEST_P(SearchDeadLetters, GoesOnAfterAQueueThatIsGone) {
  kill("bills", "a");
  kill("orders", "b");
  const auto first = must(broker().find_dead_letters({.max = 1}));
  ASSERT_TRUE(first.next);
  must(broker().alter_queue("bills", {.dead_letters = {.queue = ""}}));
  must(broker().delete_queue("bills-dlq"));
  EXPECT_EQ(must(broker().find_dead_letters({.after = first.next})).items.at(0).queue, "orders-dlq");
  const auto parsed = must(FindCursor::parse(first.next->to_string()));
  EXPECT_EQ(parsed, *first.next);
  EXPECT_FALSE(FindCursor::parse("orders"));
  EXPECT_FALSE(FindCursor::parse("orders@x"));
}

TEST_P(SearchDeadLetters, WhatCameBeforeTheDeclarationIsFoundToo) {
  create("old-dlq", {});
  create("old", {.dead_letters = {.queue = "old-dlq"}});
  kill("old", "before", {{"customer", "4711"}});
  must(broker().alter_queue("old-dlq",
                            {.dead_letters = {.searched_attributes = std::vector<std::string>{"customer"}}}));
  kill("old", "after", {{"customer", "4711"}});
  kill("old", "other", {{"customer", "4712"}});
  const DeadLetterFilter filter{.attributes = {{"customer", "4711"}}};
  EXPECT_THAT(found(filter), ElementsAre("old-dlq: before", "old-dlq: after"));
  EXPECT_THAT(scanned_, ElementsAre("old-dlq"));
  must(broker().redrive("old-dlq", {.filter = filter, .max = 1}));
  must(broker().ack(receive_one("old").receipt));
  EXPECT_THAT(found(filter), ElementsAre("old-dlq: after"));
  EXPECT_THAT(scanned_, IsEmpty());
  // New dead letters are read one by one again once the attribute is not declared any more.
  must(
      broker().alter_queue("old-dlq", {.dead_letters = {.searched_attributes = std::vector<std::string>{}}}));
  kill("old", "late", {{"customer", "4711"}});
  EXPECT_THAT(found(filter), ElementsAre("old-dlq: after", "old-dlq: late"));
  EXPECT_THAT(scanned_, ElementsAre("old-dlq"));
}

TEST_P(SearchDeadLetters, HistoryIsFoundByWhatItsRecordKept) {
  kill("orders", "a", {{"customer", "4711"}});
  kill("orders", "b", {{"customer", "4712"}});
  must(broker().redrive("orders-dlq"));
  const DeadLetterFilter filter{.attributes = {{"customer", "4711"}}, .history = true};
  EXPECT_THAT(found(filter), ElementsAre("orders-dlq: gone"));
  EXPECT_THAT(found({.attributes = {{"customer", "4711"}}}), IsEmpty());
  EXPECT_THAT(found({.body = "a", .history = true}), IsEmpty());
  // The message dies again. It still has one record.
  reject_one("orders", {});
  EXPECT_THAT(found(filter), ElementsAre("orders-dlq: a"));
}

TEST_P(SearchDeadLetters, AttributesStayWithWhatIsParkedAndImported) {
  create("parked", {.dead_letters = {.searched_attributes = {"order"}}});
  kill("orders", "a", {{"customer", "4711"}, {"order", "1"}});
  DeadLetter letter = must(broker().list_dead_letters("orders-dlq", {.bodies = true})).items.at(0);
  must(broker().redrive("orders-dlq", {.action = RedriveAction::kPark, .to = "parked"}));
  EXPECT_EQ(must(broker().list_dead_letters("parked")).items.at(0).record.searched,
            (Attributes{{"order", "1"}}));
  EXPECT_THAT(found({.attributes = {{"order", "1"}}}), ElementsAre("parked: a"));
  EXPECT_THAT(found({.attributes = {{"customer", "4711"}}}), ElementsAre("parked: a"));
  must(broker().import_dead_letters("bills-dlq", {letter}));
  EXPECT_THAT(found({.attributes = {{"customer", "4711"}}}), ElementsAre("bills-dlq: a", "parked: a"));
}

TEST_P(SearchDeadLetters, OfALongValueTheBeginningCounts) {
  const std::string kept(limits::kSearchedValueBytes, 'x');
  kill("orders", "a", {{"customer", kept + "1"}, {"correlation-id", kept + "1"}, {"note", kept + "1"}});
  EXPECT_THAT(found({.attributes = {{"customer", kept + "2"}}}), ElementsAre("orders-dlq: a"));
  EXPECT_THAT(found({.attributes = {{"note", kept + "2"}}}), ElementsAre("orders-dlq: a"));
  EXPECT_THAT(found({.attributes = {{"customer", kept.substr(1)}}}), IsEmpty());
  EXPECT_THAT(found({.correlation_id = kept + "2"}), IsEmpty());
  EXPECT_THAT(found({.correlation_id = kept + "1"}), ElementsAre("orders-dlq: a"));
}

TEST_P(SearchDeadLetters, EveryVerbTakesTheFilters) {
  kill("orders", "a", {{"customer", "4711"}, {"type", "x"}});
  kill("orders", "b", {{"customer", "4712"}, {"type", "y"}});
  const DeadLetterFilter indexed{.attributes = {{"customer", "4711"}}};
  const DeadLetterFilter read{.attributes = {{"type", "y"}}, .body = "B"};
  EXPECT_THAT(listed("orders-dlq", indexed), ElementsAre("a"));
  EXPECT_THAT(listed("orders-dlq", read), ElementsAre("b"));
  for (const DeadLetterFilter& filter : {indexed, read}) {
    EXPECT_EQ(must(broker().group_dead_letters("orders-dlq", {.filter = filter})).total, 1U);
    EXPECT_EQ(
        must(broker().change_dead_letters("orders-dlq", {.filter = filter}, {.assignee = "ann"})).changed,
        1U);
    EXPECT_EQ(must(broker().redrive("orders-dlq", {.filter = filter, .dry_run = true})).moved, 1U);
  }
  EXPECT_EQ(must(broker().redrive("orders-dlq", {.filter = read})).moved, 1U);
  EXPECT_EQ(receive_one("orders").body, "b");
  EXPECT_EQ(must(broker().discard_dead_letters("orders-dlq", {.filter = indexed})).changed, 1U);
}

TEST_P(SearchDeadLetters, AreBounded) {
  const auto refuses = [&](DeadLetterFilter filter, const std::string& field) {
    EXPECT_THAT(broker().find_dead_letters({.filter = std::move(filter)}),
                FailsNaming(ErrorCode::kLimitExceeded, field));
  };
  const Attributes most(limits::kFilterAttributes, {std::string(limits::kAttributeNameBytes, 'n'),
                                                    std::string(limits::kAttributeValueBytes, 'v')});
  must(broker().find_dead_letters(
      {.filter = {.attributes = most, .body = std::string(limits::kFilterBodyBytes, 'x')}}));
  refuses({.attributes = Attributes(limits::kFilterAttributes + 1, {"n", "v"})}, "filter.attributes");
  refuses({.attributes = {{std::string(limits::kAttributeNameBytes + 1, 'n'), "v"}}}, "filter.attributes");
  refuses({.attributes = {{"n", std::string(limits::kAttributeValueBytes + 1, 'v')}}}, "filter.attributes");
  refuses({.body = std::string(limits::kFilterBodyBytes + 1, 'x')}, "filter.body");
  EXPECT_THAT(broker().find_dead_letters({.filter = {.attributes = {{"", "v"}}}}),
              RefusesValue("filter.attributes"));
  EXPECT_THAT(broker().find_dead_letters({.max = 0}), RefusesValue("max"));
  EXPECT_THAT(broker().find_dead_letters({.max = limits::kListPage + 1}),
              FailsNaming(ErrorCode::kLimitExceeded, "max"));
  EXPECT_THAT(
      broker().find_dead_letters({.queues = std::vector<std::string>(limits::kFindQueues + 1, "orders")}),
      FailsNaming(ErrorCode::kLimitExceeded, "queues"));
  must(broker().find_dead_letters({.queues = std::vector<std::string>(limits::kFindQueues, "orders")}));
}

TEST_P(SearchDeadLetters, SearchedAttributesAreBounded) {
  const auto create_with = [&](std::vector<std::string> names) {
    return broker().create_queue("x", {.dead_letters = {.searched_attributes = std::move(names)}});
  };
  EXPECT_THAT(create_with({"a", "b", "a"}), RefusesValue("searched_attributes"));
  EXPECT_THAT(create_with({""}), RefusesValue("searched_attributes"));
  EXPECT_THAT(create_with({std::string(limits::kAttributeNameBytes + 1, 'n')}),
              FailsNaming(ErrorCode::kLimitExceeded, "searched_attributes"));
  std::vector<std::string> names;
  for (std::size_t i = 0; i <= limits::kSearchedAttributes; ++i) names.push_back(std::to_string(i));
  EXPECT_THAT(create_with(names), FailsNaming(ErrorCode::kLimitExceeded, "searched_attributes"));
  names.pop_back();
  names.back() = std::string(limits::kAttributeNameBytes, 'n');
  must(create_with(names));
  EXPECT_EQ(info("x").options.dead_letters.searched_attributes, names);
}

TEST_P(SearchDeadLetters, RedactionTakesOutWhatTheRecordKept) {
  kill("orders", "a", {{"customer", "4711"}});
  const auto page = must(broker().find_dead_letters({.redact = {.attributes = {"customer"}}}));
  EXPECT_EQ(page.items.at(0).letter.record.searched, (Attributes{{"customer", ""}, {"correlation-id", ""}}));
}

}  // namespace
}  // namespace holdfast::testing
