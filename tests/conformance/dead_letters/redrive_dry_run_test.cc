// Dry runs of a redrive.
#include "holdfast/limits.h"
#include "tests/conformance/dead_letters/redrive_task_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A dry run takes the same options as a call that moves something.
TEST_P(RedriveTasks, ADryRunIsOfACallInTheBackgroundToo) {
  die(3);
  EXPECT_EQ(dry_run({.rate = 1, .canary = 1}).moved, 3U);
  EXPECT_EQ(dry_run({.rate = 1, .canary = 1, .wait = false}).moved, 3U);
  EXPECT_THAT(broker().redrive("dlq", {.rate = limits::kRedriveRate + 1, .dry_run = true}),
              FailsNaming(ErrorCode::kLimitExceeded, "rate"));
  EXPECT_EQ(counts("dlq").dead, 3U);
  EXPECT_THAT(must(broker().list_redrives()), IsEmpty());
}

TEST_P(RedriveTasks, ADryRunCountsAndChangesNothing) {
  die(20, {.category = "timeout"});
  die(5, {.category = "validation"});
  const Delivery leased = receive_one("dlq");
  const Redriven all = dry_run();
  EXPECT_EQ(all.task, TaskId{});
  EXPECT_EQ(all.moved, 24U);
  EXPECT_EQ(all.left, LeftInPlace{.leased = 1});
  ASSERT_EQ(all.sample.size(), limits::kDryRunSample);
  EXPECT_EQ(all.sample.front().record.category, "timeout");
  EXPECT_EQ(dry_run({.filter = {.category = "validation"}}).moved, 5U);
  EXPECT_EQ(dry_run({.max = 7}).moved, 7U);
  EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 24, .leased = 1, .dead = 25}));
  EXPECT_THAT(must(broker().list_redrives()), IsEmpty());
}

TEST_P(RedriveTasks, ADryRunLeavesOutWhatIsNotToBeSeen) {
  send("orders", "a", {{"correlation-id", "secret"}});
  reject_one("orders", {.partial_output = "secret"});
  const auto seen = [&](Redaction redact) { return dry_run({.redact = std::move(redact)}).sample.at(0); };
  EXPECT_EQ(seen({}).record.partial_output, "secret");
  const DeadLetter redacted = seen({.bodies = true, .attributes = {"correlation-id"}});
  EXPECT_EQ(redacted.record.partial_output, "");
  EXPECT_EQ(redacted.record.correlation_id, "");
  EXPECT_THAT(redacted.redacted, ElementsAre("body", "partial_output", "attribute correlation-id"));
}

TEST_P(RedriveTasks, ADryRunTriesTheEdit) {
  die(3);
  send("orders", "no JSON");
  reject_one("orders");
  const RedriveOptions options{.edit = {.json_patch = R"([{"op":"replace","path":"","value":7}])"}};
  const Redriven would = dry_run(options);
  EXPECT_EQ(would.moved, 3U);
  EXPECT_EQ(would.left, LeftInPlace{.edit = 1});
  const Redriven redriven = must(broker().redrive("dlq", options));
  EXPECT_EQ(redriven.moved, would.moved);
  EXPECT_EQ(redriven.left, would.left);
  EXPECT_THAT(broker().redrive("dlq", {.edit = {.json_patch = "{}"}, .dry_run = true}),
              FailsNaming(ErrorCode::kInvalidArgument, "json_patch"));
}

TEST_P(RedriveTasks, ADryRunShowsWhatTheEditMakesOfASample) {
  send("orders", R"({"quantity":0})", {{"k", "old"}, {"card", "4111"}});
  reject_one("orders", {.partial_output = "secret"});
  RedriveOptions options{.edit = {.json_patch = R"([{"op":"replace","path":"/quantity","value":1}])",
                                  .set_attributes = {{"k", "new"}}}};
  const DeadLetter letter = dry_run(options).sample.at(0);
  EXPECT_EQ(letter.body, R"({"quantity":1})");
  EXPECT_EQ(letter.attributes, (Attributes{{"card", "4111"}, {"k", "new"}}));
  const OriginalMessage before{.body = R"({"quantity":0})", .attributes = {{"k", "old"}, {"card", "4111"}}};
  EXPECT_EQ(letter.original, before);
  EXPECT_EQ(only_dead_letter("dlq").body, before.body) << "nothing has changed";

  options.redact = {.bodies = true, .attributes = {"card"}};
  const DeadLetter redacted = dry_run(options).sample.at(0);
  EXPECT_EQ(redacted.body, "");
  EXPECT_EQ(redacted.attributes, (Attributes{{"card", ""}, {"k", "new"}}));
  EXPECT_EQ(redacted.original, (OriginalMessage{.attributes = {{"k", "old"}, {"card", ""}}}));

  const DeadLetter unedited = dry_run().sample.at(0);
  EXPECT_EQ(unedited.original, std::nullopt);
  EXPECT_EQ(unedited.body, "");
}

TEST_P(RedriveTasks, ADryRunShowsSoManyBytesOfEdits) {
  const std::string third(limits::kDryRunBytes / 3, 'x');
  for (int i = 0; i < 3; ++i) {
    send("orders", third);
    reject_one("orders");
  }
  const auto sample = dry_run({.edit = {.set_attributes = {{"k", "v"}}}}).sample;
  ASSERT_EQ(sample.size(), 3U);
  EXPECT_EQ(sample[0].original->body, third);
  for (const std::size_t i : {1U, 2U}) {
    EXPECT_EQ(sample[i].original, std::nullopt);
    EXPECT_EQ(sample[i].body, "");
  }
}

}  // namespace
}  // namespace holdfast::testing
