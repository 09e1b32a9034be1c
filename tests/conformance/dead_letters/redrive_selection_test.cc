// These tests check what a redrive takes, what it leaves, and what it edits on the way.
#include "engine/base/time_text.h"
#include "holdfast/limits.h"
#include "tests/conformance/dead_letters/redrive_task_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

TEST_P(RedriveTasks, TakeAtMostWhatIsAsked) {
  die(300);
  EXPECT_EQ(must(broker().redrive("dlq", {.max = 130})).moved, 130U);
  EXPECT_EQ(must(broker().redrive("dlq", {.max = 1})).moved, 1U);
  const Deliveries back = receive_all("orders");
  ASSERT_EQ(back.size(), 131U);
  for (std::size_t i = 0; i < back.size(); ++i) EXPECT_EQ(back[i].body, std::to_string(i));
  EXPECT_EQ(counts("dlq").dead, 169U);
}

TEST_P(RedriveTasks, TakeTheNamedOnes) {
  die(200);
  const std::vector<DeadLetter> letters = dead_letters("dlq");
  const RedriveOptions options{
      .filter = {.seqs = {letters[150].seq, letters[3].seq, letters[3].seq, Seq{1'000'000}}}};
  EXPECT_EQ(must(broker().redrive("dlq", options)).moved, 2U);
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("3", "150"));
  EXPECT_EQ(counts("dlq").dead, 198U);
}

TEST_P(RedriveTasks, NoneStartsIfAllThatAreNamedAreMissing) {
  die(3);
  const std::vector<DeadLetter> letters = dead_letters("dlq");
  const RedriveOptions options{.filter = {.ids = {letters[0].id}, .seqs = {letters[1].seq}},
                               .request_id = "one"};
  const Redriven moved = must(broker().redrive("dlq", options));
  EXPECT_EQ(moved.moved, 2U);
  // A repetition under the request id gets the first answer, though the dead letters are gone.
  EXPECT_EQ(must(broker().redrive("dlq", options)).task, moved.task);

  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
  const auto missing = FailsNaming(ErrorCode::kMessageNotFound, "'dlq'");
  for (const DeadLetterFilter& filter : {DeadLetterFilter{.ids = {letters[0].id, MessageId{}}},
                                         DeadLetterFilter{.seqs = {letters[1].seq, Seq{1'000'000}}}}) {
    EXPECT_THAT(broker().redrive("dlq", {.filter = filter}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.filter = filter, .wait = false}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark, .filter = filter}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.filter = filter, .dry_run = true}), missing);
    EXPECT_THAT(broker().redrive("dlq", {.action = RedriveAction::kPark, .filter = filter, .dry_run = true}),
                missing);
  }
  EXPECT_EQ(must(broker().list_redrives()).size(), 1U);
  // A call needs only one of the dead letters that it names. A filter that fits none names none, and is not
  // refused.
  EXPECT_EQ(must(broker().redrive("dlq", {.filter = {.seqs = {letters[1].seq, letters[2].seq}}})).moved, 1U);
  EXPECT_EQ(must(broker().redrive("dlq", {.filter = {.category = "none"}})).moved, 0U);
}

TEST_P(RedriveTasks, MoveToAnotherQueue) {
  create("repair");
  die(3);
  EXPECT_EQ(must(broker().redrive("dlq", {.to = "repair"})).moved, 3U);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_THAT(bodies(receive_all("repair")), ElementsAre("0", "1", "2"));
  EXPECT_THAT(broker().redrive("dlq", {.to = "dlq"}), FailsNaming(ErrorCode::kInvalidArgument, "to"));
  EXPECT_THAT(broker().redrive("dlq", {.to = "nowhere"}), FailsNaming(ErrorCode::kQueueNotFound, "nowhere"));
}

TEST_P(RedriveTasks, CountTowardsWhatTheirFilterMeans) {
  die(20, {.category = "timeout", .code = "E1"});
  die(5, {.category = "validation", .code = "E1"});
  const auto total = [&](RedriveOptions options) {
    options.rate = 1;
    const TaskStatus started = status(start(options));
    must(broker().cancel_redrive(started.id));
    return started.total;
  };
  EXPECT_EQ(total({.filter = {.category = "validation"}}), 5U);
  EXPECT_EQ(total({.filter = {.category = "timeout", .code = "E1"}}), 20U);
  EXPECT_EQ(total({.filter = {.category = "nothing"}}), 0U);
  EXPECT_EQ(total({.filter = {.category = "timeout"}, .max = 3}), 3U);
  EXPECT_EQ(total({.filter = {.reason = "x"}}), 25U);
}

TEST_P(RedriveTasks, RefuseWhatWasReplayedTooOften) {
  die(1);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(must(broker().redrive("dlq", {.max_replays = 2})).moved, 1U);
    reject_one("orders");
  }
  const Redriven refused = must(broker().redrive("dlq", {.max_replays = 2}));
  EXPECT_EQ(refused.moved, 0U);
  EXPECT_EQ(refused.left, LeftInPlace{.replay_limit = 1});
  EXPECT_THAT(broker().redrive("dlq", {.max_replays = 2, .park_refused = true}),
              FailsNaming(ErrorCode::kInvalidArgument, "parking_queue"));

  must(broker().alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
  const Redriven parked = must(broker().redrive("dlq", {.max_replays = 2, .park_refused = true}));
  EXPECT_EQ(parked.parked, 1U);
  EXPECT_EQ(counts("dlq"), QueueCounts{});
  EXPECT_EQ(only_dead_letter("parked").record.replays, 2U);
}

TEST_P(RedriveTasks, SayWhatTheyLeftAndWhy) {
  const auto die_as = [&](const std::string& queue, const std::string& body, const Consumer& consumer = {}) {
    send(queue, body);
    must(broker().reject(receive_one(queue, {.consumer = consumer}).receipt, {}));
  };
  die_as("orders", "{}");
  const Delivery held = receive_one("dlq");
  die(10, {.category = "spam"});
  must(broker().change_dead_letters("dlq", {.filter = {.category = "spam"}},
                                    {.status = DeadLetterStatus::kAbandoned}));
  die(2);
  EXPECT_EQ(must(broker().redrive("dlq")).left, (LeftInPlace{.abandoned = 10, .leased = 1}));
  for (int i = 0; i < 2; ++i) reject_one("orders");
  die_as("orders", "{}", {.version = "2.1"});
  die_as("orders", "not JSON");
  create("gone", {.dead_letters = {.queue = "dlq"}});
  die_as("gone", "{}");
  must(broker().delete_queue("gone"));
  die_as("orders", "{}");

  const RedriveOptions options{.max_replays = 1,
                               .unless_version = "2.1",
                               .edit = {.json_patch = R"([{"op":"test","path":"","value":{}}])"}};
  const LeftInPlace left{
      .abandoned = 10, .replay_limit = 2, .version = 1, .edit = 1, .no_queue = 1, .leased = 1};
  const Redriven would = dry_run(options);
  EXPECT_EQ(would.moved, 1U);
  EXPECT_EQ(would.left, left);
  EXPECT_EQ(would.left.total(), 16U);
  const TaskId id = start(options);
  advance(1s);
  EXPECT_EQ(status(id).state, TaskState::kDone);
  EXPECT_EQ(status(id).moved, 1U);
  EXPECT_EQ(status(id).left, left);
  reopen();
  EXPECT_EQ(status(id).left, left);
  EXPECT_EQ(
      to_string(left),
      "10 abandoned, 2 over the replay limit, 1 failed on the consumer version that is refused, 1 that the "
      "edit does not fit, 1 without a queue to go to, 1 leased");
  const Redriven again = must(broker().redrive("dlq", {.filter = {.category = "spam"}}));
  EXPECT_EQ(again.moved, 0U);
  EXPECT_EQ(again.left, LeftInPlace{.abandoned = 10});
  // They are not left if the call asks for them by their status.
  EXPECT_EQ(must(broker().redrive("dlq", {.filter = {.status = DeadLetterStatus::kAbandoned}})).moved, 10U);
  must(broker().ack(held.receipt));
}

TEST_P(RedriveTasks, RefuseWhatTheSameVersionFailedOn) {
  for (const char* version : {"2.0", "2.1"}) {
    send("orders", version);
    must(broker().reject(receive_one("orders", {.consumer = {.version = version}}).receipt, {}));
  }
  const Redriven redriven = must(broker().redrive("dlq", {.unless_version = "2.1"}));
  EXPECT_EQ(redriven.moved, 1U);
  EXPECT_EQ(redriven.left, LeftInPlace{.version = 1});
  EXPECT_THAT(bodies(receive_all("orders")), ElementsAre("2.0"));
}

TEST_P(RedriveTasks, EditOnTheWay) {
  const MessageId id =
      send("orders", R"({"quantity":0,"z":1,"a":[1]})", {{"drop", "1"}, {"k", "old"}, {"k", "2"}});
  reject_one("orders");
  send("orders", "not json");
  reject_one("orders");
  const RedriveEdit edit{.json_patch = R"([{"op":"replace","path":"/quantity","value":1},
                                          {"op":"remove","path":"/a"}])",
                         .set_attributes = {{"k", "new"}},
                         .drop_attributes = {"drop"}};
  const Redriven redriven = must(broker().redrive("dlq", {.edit = edit}));
  EXPECT_EQ(redriven.moved, 1U);
  EXPECT_EQ(redriven.left, LeftInPlace{.edit = 1});
  const Delivery back = receive_one("orders");
  EXPECT_EQ(back.id, id);
  EXPECT_EQ(back.body, R"({"quantity":1,"z":1})");
  EXPECT_EQ(back.attributes, (Attributes{{"k", "new"}}));
  EXPECT_EQ(back.replays, 1U);
  EXPECT_EQ(only_dead_letter("dlq").body, "not json");
}

TEST_P(RedriveTasks, SetAttributesToWhatTheyKnow) {
  send("orders", "x", {{"from", "elsewhere"}, {"from", "twice"}, {"k", "stays"}});
  reject_one("orders");
  const RedriveEdit edit{.value_attributes = {{"from", RedriveValue::kFromDlq},
                                              {"at", RedriveValue::kTime},
                                              {"replays", RedriveValue::kReplays}}};
  for (const char* replays : {"1", "2"}) {
    advance(1min);
    must(broker().redrive("dlq", {.edit = edit}));
    const Delivery back = receive_one("orders");
    EXPECT_EQ(
        back.attributes,
        (Attributes{{"k", "stays"}, {"from", "dlq"}, {"at", format_time(now())}, {"replays", replays}}));
    must(broker().reject(back.receipt, {}));
  }
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.value_attributes = {{"", RedriveValue::kTime}}}}),
              FailsNaming(ErrorCode::kInvalidArgument, "value_attributes"));
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.value_attributes = {{"k", RedriveValue{9}}}}}),
              FailsNaming(ErrorCode::kInvalidArgument, "value_attributes"));
  std::vector<ValueAttribute> many(limits::kAttributes, {"k", RedriveValue::kTime});
  EXPECT_EQ(must(broker().redrive("dlq", {.edit = {.value_attributes = many}})).moved, 1U);
  many.push_back(many.front());
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.value_attributes = many}}),
              FailsNaming(ErrorCode::kLimitExceeded, "value_attributes"));
}

}  // namespace
}  // namespace holdfast::testing
