// The verbs that create, alter, show, pause, purge and delete queues: what they do, what they print, and how
// they answer a mistake.
#include "tests/command/command_fixture.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

class QueueVerbs : public CommandTest {};

TEST_F(QueueVerbs, CreateIsRepeatableAndListed) {
  const std::vector<std::string> create{
      "queue",      "create",          "orders", "--max-deliveries", "7",        "--dead-letter-queue",
      "orders-dlq", "--lease",         "1m30s",  "--durability",     "buffered", "--delay",
      "5s",         "--create-missing"};
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
  ASSERT_EQ(holdfast({"queue", "create", "orders", "--retry", "exponential:1s:10m:jitter=0.25",
                      "--retry-budget", "1d", "--tag", "team=billing"})
                .status,
            0);
  const auto info = holdfast_json({"queue", "describe", "orders"}).objects().at(0);
  EXPECT_EQ(
      info.at("options").at("retry").dump(),
      R"({"base_ms":1000,"cap_ms":600000,"jitter":0.25,"kind":"exponential","stages_ms":[],"to":"head"})");
  EXPECT_EQ(info.at("options").at("retry_budget_ms"), 86'400'000);
  EXPECT_EQ(info.at("options").at("tags").dump(), R"({"team":"billing"})");
  const std::string shown = holdfast({"queue", "describe", "orders"}).out;
  EXPECT_THAT(shown, HasSubstr("retry            exponential:1s:10m:jitter=0.25\n"));
  EXPECT_THAT(shown, HasSubstr("tag              team=billing\n"));
  EXPECT_EQ(holdfast({"queue", "alter", "orders", "--retry", "stages:1s:5s", "--no-tags"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "orders"}).out, HasSubstr("stages:1s:5s\n"));
  EXPECT_EQ(holdfast({"queue", "alter", "orders", "--retry", "fixed:1s:jitter=0.5:to=tail"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "orders"}).out, HasSubstr("fixed:1s:jitter=0.5:to=tail\n"));
  for (const char* bad : {"often", "fixed", "fixed:1s:2s", "exponential:1s", "stages", "fixed:1s:jitter=x",
                          "fixed:1s:to=tail:jitter=0.5", "fixed:1s:", "stages:1s:to=tail:"}) {
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
  EXPECT_THAT(holdfast({"queue", "list"}).out, HasSubstr("paused: deliveries\n"));
  EXPECT_EQ(holdfast({"receive", "orders"}).err,
            "no messages: deliveries are paused ('holdfast queue resume orders' starts them); 1 is ready\n");
  EXPECT_EQ(holdfast({"queue", "resume", "orders"}).status, 0);
  EXPECT_THAT(holdfast({"receive", "orders", "--raw"}).out, "a\n");
}

TEST_F(QueueVerbs, ProgramsAreToldWhatWasDone) {
  const auto done = [&](std::vector<std::string> words) {
    return holdfast_json(std::move(words)).objects().at(0);
  };
  const auto declared = [](bool created) {
    return nlohmann::json{{"queue", "orders"}, {"created", created}, {"warnings", nlohmann::json::array()}};
  };
  EXPECT_EQ(done({"queue", "create", "orders"}), declared(true));
  EXPECT_EQ(done({"queue", "create", "orders"}), declared(false));
  EXPECT_EQ(done({"queue", "alter", "orders", "--lease", "5s"}), declared(false));
  EXPECT_EQ(
      done({"queue", "pause", "orders", "--sends"}),
      (nlohmann::json{{"queue", "orders"}, {"outcome", "paused"}, {"deliveries", false}, {"sends", true}}));
  EXPECT_EQ(
      done({"queue", "resume", "orders"}),
      (nlohmann::json{{"queue", "orders"}, {"outcome", "resumed"}, {"deliveries", true}, {"sends", true}}));
}

TEST_F(QueueVerbs, TrapsAreWarnedAbout) {
  const Outcome outcome = holdfast({"queue", "create", "orders", "--max-deliveries", "1",
                                    "--dead-letter-queue", "orders-dlq", "--create-missing"});
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
  EXPECT_THAT(
      holdfast({"receive", "payments"}).err,
      ::testing::StartsWith("no messages: 1 waits for an earlier one of its group, which is leased or to be "
                            "tried again; 1 is leased; the next lease or wait ends in "));
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

TEST_F(QueueVerbs, ListFindsByTagAndShowsAlerts) {
  create_orders();
  ASSERT_EQ(holdfast({"queue", "create", "bills", "--tag", "team=billing", "--tag", "tier=1"}).status, 0);
  ASSERT_EQ(holdfast({"queue", "create", "mails", "--tag", "team=mail", "--tag", "tier=1"}).status, 0);
  const auto listed = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"queue", "list"});
    std::vector<std::string> names;
    for (const auto& info : holdfast_json(arguments).objects()) names.push_back(info.at("name"));
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(listed({"--tag", "team=billing"}), Names{"bills"});
  EXPECT_EQ(listed({"--tag", "tier"}), (Names{"bills", "mails"}));
  EXPECT_EQ(listed({"--tag", "tier=1", "--tag", "team=mail"}), Names{"mails"});
  EXPECT_EQ(listed({"--tag", "tier=2"}), Names{});
  EXPECT_EQ(holdfast({"queue", "list", "--tag", "tier=2"}).err, "no queue has these tags\n");
  EXPECT_EQ(holdfast({"queue", "list", "--tag", "=1"}).status, 2);

  ASSERT_EQ(holdfast({"send", "orders", "a"}).status, 0);
  ASSERT_EQ(holdfast({"reject", receive("orders")}).status, 0);
  EXPECT_THAT(holdfast({"queue", "list"}).out, HasSubstr("warning: depth is 1\n"));
}

TEST_F(QueueVerbs, ErrorsNameOptionsAsTheCommandHasThem) {
  create_orders();
  const Outcome refused = holdfast({"send", "orders-dlq", "x"});
  EXPECT_THAT(refused.err, HasSubstr("takes no sends; --direct-sends would let it"));
  EXPECT_EQ(holdfast({"queue", "alter", "orders-dlq", "--direct-sends", "yes"}).status, 0);
  EXPECT_EQ(holdfast({"send", "orders-dlq", "x"}).status, 0);
}

TEST_F(QueueVerbs, AMissingDeadLetterQueueIsCreatedOnlyIfAskedFor) {
  const Outcome refused = holdfast({"queue", "create", "orders", "--dead-letter-queue", "ordres-dlq"});
  EXPECT_EQ(refused.status, 4);
  EXPECT_THAT(refused.err,
              HasSubstr("queue 'orders' would dead-letter to 'ordres-dlq', which does not exist"));
  EXPECT_THAT(refused.err, HasSubstr("--create-missing creates it"));
  ASSERT_EQ(holdfast({"queue", "create", "orders"}).status, 0);
  EXPECT_EQ(holdfast({"queue", "alter", "orders", "--dead-letter-queue", "orders-dlq"}).status, 4);
  EXPECT_EQ(
      holdfast({"queue", "alter", "orders", "--dead-letter-queue", "orders-dlq", "--create-missing"}).status,
      0);
  EXPECT_EQ(holdfast({"queue", "describe", "orders-dlq"}).status, 0);
}

TEST_F(QueueVerbs, DescribeShowsEveryOptionThatIsSet) {
  ASSERT_EQ(holdfast({"queue", "create", "parked"}).status, 0);
  ASSERT_EQ(holdfast({"queue",
                      "create",
                      "dead",
                      "--parking-queue",
                      "parked",
                      "--auto-redrive",
                      "every=1m",
                      "--auto-redrive",
                      "max=7",
                      "--auto-redrive",
                      "category=timeout",
                      "--auto-redrive",
                      "give-up-after=3d",
                      "--auto-redrive",
                      "on-give-up=archive",
                      "--auto-redrive",
                      "backoff=2m",
                      "--alert",
                      "depth=off",
                      "--alert",
                      "depth-critical=5",
                      "--alert",
                      "oldest=2h",
                      "--dead-letter-sources",
                      "orders,bills",
                      "--keep-replayed",
                      "1d",
                      "--keep-abandoned",
                      "2d",
                      "--keep-unresolved",
                      "3d",
                      "--searched-attributes",
                      "customer,order",
                      "--direct-sends",
                      "yes"})
                .status,
            0);
  const std::string dead = holdfast({"queue", "describe", "dead"}).out;
  for (const char* part :
       {"parks in         parked\n", "every 1m, up to 7 of timeout\n",
        "after 2m to 1h; parks after 3 replays, archives after 3d\n",
        "depth off, depth high above 100, depth critical above 5, ", "oldest above 2h, unassigned above 2d\n",
        "serves           orders, bills\n", "keeps replayed   1d\n", "keeps abandoned  2d\n",
        "keeps unresolved 3d\n", "searched by      customer, order\n", "direct sends     yes\n"}) {
    EXPECT_THAT(dead, HasSubstr(part));
  }
  ASSERT_EQ(holdfast({"queue",
                      "create",
                      "orders",
                      "--dead-letter-queue",
                      "dead",
                      "--brake",
                      "deaths=9",
                      "--brake",
                      "delay=5s",
                      "--dedup-window",
                      "1h",
                      "--priorities",
                      "2",
                      "--priority-aging",
                      "10m",
                      "--max-length",
                      "9",
                      "--on-overflow",
                      "dead-letter-head",
                      "--dead-letter-route",
                      "fraud=dead"})
                .status,
            0);
  const std::string orders = holdfast({"queue", "describe", "orders"}).out;
  for (const char* part :
       {"of fraud         dead\n", "flood brake      above 9 deaths a minute; a failed message waits 5s\n",
        "deduplication    none within 1h\n", "priorities       2, aging by 10m\n",
        "max length       9, then dead-letter-head\n"}) {
    EXPECT_THAT(orders, HasSubstr(part));
  }
  // describe says little of a queue whose options are all defaults.
  EXPECT_THAT(holdfast({"queue", "describe", "parked"}).out, ::testing::Not(HasSubstr("alert rules")));
}

TEST_F(QueueVerbs, ACreateThatDiffersNamesTheOptions) {
  ASSERT_EQ(holdfast({"queue", "create", "orders", "--lease", "1m", "--tag", "team=billing"}).status, 0);
  const Outcome outcome =
      holdfast({"queue", "create", "orders", "--max-deliveries", "3", "--tag", "team=mail"});
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("queue 'orders' exists with other options: --max-deliveries is 5, not 3; --lease is 1m, not "
                "30s; --tag team is billing, not mail\n"));
  EXPECT_THAT(outcome.err, HasSubstr("hint: 'holdfast queue alter'"));
}

TEST_F(QueueVerbs, AWrongNameIsAnsweredWithTheNearest) {
  create_orders();
  const Outcome outcome = holdfast({"queue", "describe", "oders"});
  EXPECT_THAT(outcome.err,
              HasSubstr("hint: did you mean 'orders'? 'holdfast queue list' shows all queues\n"));
  EXPECT_EQ(holdfast_json({"send", "order", "x"}).error().at("hint"),
            "did you mean 'orders' or 'orders-dlq'? 'holdfast queue list' shows all queues");
  EXPECT_THAT(holdfast({"dlq", "list", "nothing-like-it"}).err,
              HasSubstr("'holdfast queue create' makes one"));
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
  EXPECT_EQ(holdfast({"queue", "delete", "orders"}).status, 2);              // nobody answers the question
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
