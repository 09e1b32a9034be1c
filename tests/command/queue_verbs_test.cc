#include "command_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

class QueueVerbs : public CommandTest {};

TEST_F(QueueVerbs, CreateIsRepeatableAndListed) {
  const std::vector<std::string> create{
      "queue",      "create",  "orders", "--max-deliveries", "7",        "--dead-letter-queue",
      "orders-dlq", "--lease", "1m30s",  "--durability",     "buffered", "--delay",
      "5s"};
  EXPECT_EQ(holdfast(create).out, "created orders\n");
  EXPECT_EQ(holdfast(create).out, "exists already: orders\n");

  const auto queues = holdfast_json({"queue", "list"}).objects();
  ASSERT_EQ(queues.size(), 2);
  EXPECT_EQ(queues[0].at("name"), "orders");
  EXPECT_EQ(queues[1].at("name"), "orders-dlq");
  const auto& options = queues[0].at("options");
  EXPECT_EQ(options.at("max_deliveries"), 7);
  EXPECT_EQ(options.at("dead_letter_queue"), "orders-dlq");
  EXPECT_EQ(options.at("lease_ms"), 90'000);
  EXPECT_EQ(options.at("durability"), "buffered");
  EXPECT_EQ(options.at("delay_ms"), 5'000);
  EXPECT_THAT(holdfast({"queue", "list"}).out, HasSubstr("orders-dlq      0        0       0     0"));
}

TEST_F(QueueVerbs, RetriesAndTagsAreDeclaredAndShown) {
  ASSERT_EQ(holdfast({"queue", "create", "orders", "--retry", "exponential:1s:10m:jitter=0.25", "--lifetime",
                      "1d", "--tag", "team=billing"})
                .status,
            0);
  const auto info = holdfast_json({"queue", "describe", "orders"}).objects().at(0);
  EXPECT_EQ(
      info.at("options").at("retry").dump(),
      R"({"base_ms":1000,"cap_ms":600000,"jitter":0.25,"kind":"exponential","stages_ms":[],"to":"head"})");
  EXPECT_EQ(info.at("options").at("lifetime_ms"), 86'400'000);
  EXPECT_EQ(info.at("options").at("tags").dump(), R"({"team":"billing"})");
  const std::string shown = holdfast({"queue", "describe", "orders"}).out;
  EXPECT_THAT(shown, HasSubstr("retry            exponential:1s:10m:jitter=0.25\n"));
  EXPECT_THAT(shown, HasSubstr("tag              team=billing\n"));
  EXPECT_EQ(holdfast({"queue", "alter", "orders", "--retry", "stages:1s:5s", "--no-tags"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "orders"}).out, HasSubstr("stages:1s:5s\n"));
  EXPECT_EQ(holdfast({"queue", "alter", "orders", "--retry", "fixed:1s:jitter=0.5:to=tail"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "orders"}).out, HasSubstr("fixed:1s:jitter=0.5:to=tail\n"));
  for (const char* bad : {"often", "fixed", "fixed:1s:2s", "exponential:1s", "stages", "fixed:1s:jitter=x",
                          "fixed:1s:to=tail:jitter=0.5"}) {
    EXPECT_EQ(holdfast({"queue", "alter", "orders", "--retry", bad}).status, 2) << bad;
  }
}

TEST_F(QueueVerbs, TimeToLiveIsDeclaredAndShown) {
  EXPECT_NE(holdfast({"queue", "create", "news", "--ttl", "1h"}).status, 0);
  ASSERT_EQ(holdfast({"queue", "create", "news", "--ttl", "1h", "--on-expiry", "drop"}).status, 0);
  const auto info = holdfast_json({"queue", "describe", "news"}).objects().at(0);
  EXPECT_EQ(info.at("options").at("time_to_live_ms"), 3'600'000);
  EXPECT_EQ(info.at("options").at("on_expiry"), "drop");
  EXPECT_THAT(holdfast({"queue", "describe", "news"}).out, HasSubstr("time to live     1h, then dropped\n"));
  EXPECT_EQ(holdfast({"send", "news", "a", "--ttl", "1m"}).status, 0);
}

TEST_F(QueueVerbs, BoundsAreDeclaredAndShown) {
  EXPECT_NE(holdfast({"queue", "create", "short", "--on-overflow", "drop-head"}).status, 0);
  ASSERT_EQ(holdfast({"queue", "create", "short", "--max-length", "1", "--max-leased", "2"}).status, 0);
  EXPECT_EQ(holdfast({"send", "short", "a"}).status, 0);
  EXPECT_THAT(holdfast({"send", "short", "b"}).err, HasSubstr("queue_full"));
  EXPECT_EQ(holdfast({"queue", "alter", "short", "--on-overflow", "drop-head"}).status, 0);
  EXPECT_EQ(holdfast({"send", "short", "b"}).status, 0);
  const auto info = holdfast_json({"queue", "describe", "short"}).objects().at(0);
  EXPECT_EQ(info.at("options").at("max_length"), 1);
  EXPECT_EQ(info.at("options").at("on_overflow"), "drop-head");
  EXPECT_EQ(info.at("options").at("max_leased"), 2);
  EXPECT_EQ(info.at("totals").at("overflowed"), 1);
  const std::string shown = holdfast({"queue", "describe", "short"}).out;
  EXPECT_THAT(shown, HasSubstr("max length       1, then drop-head\n"));
  EXPECT_THAT(shown, HasSubstr("max leased       2\n"));
  EXPECT_EQ(holdfast({"queue", "alter", "short", "--max-bytes", "1KiB", "--max-body-bytes", "2Mi"}).status,
            0);
  EXPECT_THAT(
      holdfast({"queue", "describe", "short"}).out,
      ::testing::AllOf(HasSubstr("max bytes        1024, then drop-head\n"),
                       HasSubstr("max body bytes   2097152\n"), HasSubstr("dead letters; 1 bytes\n")));
  EXPECT_EQ(holdfast_json({"queue", "describe", "short"}).objects().at(0).at("bytes"), 1);
  EXPECT_EQ(holdfast({"queue", "alter", "short", "--max-body-bytes", "65Mi"}).status, 3);
}

TEST_F(QueueVerbs, PauseAndResume) {
  create_orders();
  EXPECT_EQ(holdfast({"queue", "pause", "orders"}).out, "paused orders\n");
  EXPECT_NE(holdfast({"send", "orders", "a"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "orders"}).out,
              HasSubstr("paused           deliveries, sends\n"));
  EXPECT_EQ(holdfast({"queue", "resume", "orders", "--sends"}).status, 0);
  EXPECT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  EXPECT_EQ(holdfast({"receive", "orders"}).err, "no messages\n");
  EXPECT_EQ(holdfast({"queue", "resume", "orders"}).status, 0);
  EXPECT_THAT(holdfast({"receive", "orders", "--raw"}).out, "a\n");
}

TEST_F(QueueVerbs, TrapsAreWarnedAbout) {
  const Outcome outcome =
      holdfast({"queue", "create", "orders", "--max-deliveries", "1", "--dead-letter-queue", "orders-dlq"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.err, HasSubstr("holdfast: warning: "));
}

TEST_F(QueueVerbs, AlterChangesWhatIsGiven) {
  create_orders();
  const Outcome nothing = holdfast({"queue", "alter", "orders"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("nothing to alter"));
  EXPECT_EQ(holdfast({"queue", "alter", "orders", "--max-deliveries", "9", "--no-dead-letter-queue"}).status,
            0);
  const auto info = holdfast_json({"queue", "describe", "orders"}).objects().at(0);
  EXPECT_EQ(info.at("options").at("max_deliveries"), 9);
  EXPECT_EQ(info.at("options").at("dead_letter_queue"), "");
  EXPECT_EQ(info.at("options").at("lease_ms"), 30'000);
}

TEST_F(QueueVerbs, GroupsAreOrderedFairOrNothing) {
  ASSERT_EQ(holdfast({"queue", "create", "payments", "--ordered"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "payments"}).out, HasSubstr("groups           ordered\n"));
  ASSERT_EQ(holdfast({"send", "payments", "1", "--group", "account-7"}).status, 0);
  ASSERT_EQ(holdfast({"send", "payments", "2\n3", "--group", "account-7"}).status, 0);
  const auto first = holdfast_json({"receive", "payments"}).objects().at(0);
  EXPECT_EQ(first.at("group"), "account-7");
  EXPECT_EQ(holdfast({"receive", "payments"}).err, "no messages\n");
  ASSERT_EQ(holdfast({"ack", first.at("receipt")}).status, 0);
  EXPECT_THAT(holdfast({"receive", "payments"}).out, HasSubstr("  group account-7\n"));

  EXPECT_EQ(holdfast({"queue", "alter", "payments", "--ordered", "--fair"}).status, 2);
  ASSERT_EQ(holdfast({"queue", "alter", "payments", "--fair"}).status, 0);
  const auto grouping = [&] {
    return holdfast_json({"queue", "describe", "payments"}).objects().at(0).at("options").at("grouping");
  };
  EXPECT_EQ(grouping(), "fair");
  ASSERT_EQ(holdfast({"queue", "alter", "payments", "--ungrouped"}).status, 0);
  EXPECT_EQ(grouping(), "none");
}

TEST_F(QueueVerbs, DeduplicationIsByIdOrByContent) {
  ASSERT_EQ(holdfast({"queue", "create", "payments", "--dedup", "id", "--dedup-window", "1h"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "payments"}).out,
              HasSubstr("deduplication    by id within 1h\n"));
  const std::vector<std::string> send{"send", "payments", "1", "--dedup-id", "p-17"};
  const auto first = holdfast_json(send).objects().at(0);
  EXPECT_EQ(first.at("duplicate"), false);
  const auto again = holdfast_json(send).objects().at(0);
  EXPECT_EQ(again.at("duplicate"), true);
  EXPECT_EQ(again.at("id"), first.at("id"));
  EXPECT_THAT(holdfast(send).out, ::testing::StartsWith("sent before: "));
  EXPECT_EQ(holdfast({"queue", "alter", "payments", "--dedup", "often"}).status, 2);
  ASSERT_EQ(holdfast({"queue", "alter", "payments", "--dedup", "content"}).status, 0);
  const auto options = holdfast_json({"queue", "describe", "payments"}).objects().at(0).at("options");
  EXPECT_EQ(options.at("deduplication"), "content");
  EXPECT_EQ(options.at("deduplication_window_ms"), 3'600'000);
}

TEST_F(QueueVerbs, PrioritiesGoFirst) {
  ASSERT_EQ(holdfast({"queue", "create", "jobs", "--priorities", "8", "--priority-aging", "10m"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "jobs"}).out, HasSubstr("priorities       8, aging by 10m\n"));
  ASSERT_EQ(holdfast({"send", "jobs", "low"}).status, 0);
  ASSERT_EQ(holdfast({"send", "jobs", "high", "--priority", "7"}).status, 0);
  EXPECT_EQ(holdfast({"send", "jobs", "higher", "--priority", "8"}).status, 2);
  EXPECT_EQ(holdfast_json({"receive", "jobs"}).objects().at(0).at("priority"), 7);
  EXPECT_EQ(holdfast_json({"receive", "jobs"}).objects().at(0).at("priority"), 0);
  EXPECT_EQ(holdfast({"queue", "alter", "jobs", "--ordered"}).status, 2);
  ASSERT_EQ(holdfast({"queue", "alter", "jobs", "--priorities", "2"}).status, 0);
  const auto options = holdfast_json({"queue", "describe", "jobs"}).objects().at(0).at("options");
  EXPECT_EQ(options.at("priorities"), 2);
  EXPECT_EQ(options.at("priority_aging_ms"), 600'000);
}

TEST_F(QueueVerbs, DescribeReportsEachMissingQueue) {
  create_orders();
  const Outcome outcome = holdfast({"queue", "describe", "nowhere", "orders"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.err, HasSubstr("holdfast: queue_not_found: "));
  EXPECT_THAT(outcome.err, HasSubstr("hint: "));
  EXPECT_THAT(outcome.out, HasSubstr("dead letters to  orders-dlq"));
}

TEST_F(QueueVerbs, DeleteAsksAndSaysWhatItTouches) {
  create_orders();
  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  const Outcome no = holdfast({"queue", "delete", "orders"}, "n\n");
  EXPECT_EQ(no.status, 1);
  EXPECT_THAT(no.err, HasSubstr("delete queue 'orders' with 1 message (1 ready, 0 waiting, 0 leased"));
  EXPECT_EQ(holdfast({"queue", "delete", "orders"}).status, 2);              // no answer to be had
  EXPECT_EQ(holdfast_json({"queue", "delete", "orders"}, "y\n").status, 2);  // programs are not asked
  EXPECT_EQ(holdfast({"queue", "describe", "orders"}).status, 0);
  EXPECT_EQ(holdfast({"queue", "delete", "orders"}, "y\n").status, 0);
  EXPECT_EQ(holdfast({"queue", "describe", "orders"}).status, 4);
}

TEST_F(QueueVerbs, PurgeCountsWhatWentAway) {
  create_orders();
  ASSERT_EQ(holdfast({"send", "orders", "-", "--lines"}, "a\nb\nc\n").status, 0);
  EXPECT_EQ(holdfast_json({"queue", "purge", "orders", "--yes"}).objects().at(0).at("purged"), 3);
  EXPECT_EQ(holdfast({"receive", "orders"}).out, "");
}

TEST_F(QueueVerbs, OnlyCreateMakesADirectory) {
  EXPECT_NE(holdfast({"queue", "list"}).status, 0);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "data"));
}

}  // namespace
}  // namespace holdfast::command
