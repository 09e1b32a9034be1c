// The verbs that list, find, count, triage, discard and watch dead letters, and those that set a queue's dead
// letter policies: what they do, and what they tell people and programs.
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/command/dlq_fixture.h"
#include "tools/cli/dlq_verbs.h"

namespace holdfast::command {
namespace {

using ::testing::HasSubstr;

using DlqVerbs = DlqTest;

TEST_F(DlqVerbs, ListIsATableForPeople) {
  const Outcome outcome = holdfast({"dlq", "list", "orders-dlq", "--bodies"});
  EXPECT_THAT(outcome.out, HasSubstr("AGE  STATUS  CATEGORY    CODE  CAUSE     REASON"));
  EXPECT_THAT(outcome.out, HasSubstr("validation  E1    rejected  quantity must be > 0"));
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
  const std::string cursor = first.objects()[1].at("cursor");
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--after", cursor}).objects().size(), 1);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--all"}).objects().size(), 3);
  EXPECT_THAT(holdfast({"dlq", "list", "orders-dlq", "--max", "2"}).err, HasSubstr("--after " + cursor));
}

TEST_F(DlqVerbs, FindLooksThroughAllQueues) {
  ASSERT_EQ(
      holdfast({"queue", "create", "bills-dlq", "--searched-attributes", "customer,correlation-id"}).status,
      0);
  ASSERT_EQ(
      holdfast({"queue", "create", "bills", "--dead-letter-queue", "bills-dlq", "--create-missing"}).status,
      0);
  ASSERT_EQ(holdfast({"send", "bills", "bill", "--attribute", "customer=4711"}).status, 0);
  const std::string receipt = holdfast_json({"receive", "bills"}).objects().at(0).at("receipt");
  ASSERT_EQ(holdfast({"reject", receipt, "--reason", "late"}).status, 0);
  const Outcome found = holdfast_json({"dlq", "find", "--attribute", "customer=4711", "--bodies"});
  ASSERT_EQ(found.objects().size(), 1);
  EXPECT_EQ(found.objects()[0].at("queue"), "bills-dlq");
  EXPECT_EQ(found.objects()[0].at("body"), "bill");
  EXPECT_EQ(found.objects()[0].at("searched")[0].at("value"), "4711");
  // orders-dlq does not search by the attribute, so all its dead letters were read. The command says so.
  const Outcome table = holdfast({"dlq", "find", "--attribute", "customer=4711"});
  EXPECT_THAT(table.out, HasSubstr("QUEUE"));
  EXPECT_THAT(table.out, HasSubstr("bills-dlq"));
  EXPECT_THAT(table.err, HasSubstr("read one by one in orders-dlq"));
  EXPECT_EQ(holdfast({"dlq", "find", "--attribute", "customer=4711", "--queue", "bills-dlq"}).err, "");
  const Outcome scanned = holdfast_json({"dlq", "find", "--in-body", "WIDGET", "--queue", "orders-dlq"});
  EXPECT_EQ(scanned.objects().size(), 3);
  EXPECT_EQ(scanned.error().at("scanned").at(0), "orders-dlq");
  EXPECT_EQ(holdfast_json({"dlq", "find", "--category", "timeout"}).objects().size(), 1);
  EXPECT_THAT(holdfast({"dlq", "find", "--correlation-id", "c"}).err, HasSubstr("no such dead letters"));
  EXPECT_EQ(holdfast({"dlq", "find", "--attribute", "novalue"}).status, 2);
  const Outcome first = holdfast({"dlq", "find", "--max", "1"});
  EXPECT_THAT(first.out, HasSubstr("bills-dlq"));
  EXPECT_THAT(first.err, HasSubstr("--after orders@"));  // the page after this one begins there
  EXPECT_EQ(holdfast_json({"dlq", "find", "--after", "orders@"}).objects().size(), 3);
}

TEST_F(DlqVerbs, ReceiveTellsWhyItDied) {
  const Outcome text = holdfast({"receive", "orders-dlq"});
  EXPECT_THAT(text.out, HasSubstr("in orders: rejected, 1 delivery\n"));
  EXPECT_THAT(text.out, HasSubstr("  reason quantity must be > 0\n"));
  const auto delivery = holdfast_json({"receive", "orders-dlq", "--ack"}).objects().at(0);
  EXPECT_EQ(delivery.at("failure").at("category"), "timeout");
  EXPECT_EQ(delivery.at("failure").at("first_death"), nullptr);
  const auto kept =
      holdfast_json({"dlq", "list", "orders-dlq", "--history", "--status", "fixed"}).objects().at(0);
  EXPECT_EQ(kept.at("triage").at("audit").back().at("action"), "acknowledged");
  const std::string receipt = holdfast_json({"receive", "orders-dlq"}).objects().at(0).at("receipt");
  ASSERT_EQ(holdfast({"ack", receipt, "--actor", "ada"}).status, 0);
  const auto by_ada =
      holdfast_json({"dlq", "list", "orders-dlq", "--history", "--status", "fixed"}).objects();
  EXPECT_EQ(by_ada.at(1).at("triage").at("audit").back().at("actor"), "ada");
}

TEST_F(DlqVerbs, SendsToADeadLetterQueueAreRefused) {
  const Outcome refused = holdfast({"send", "orders-dlq", "x"});
  EXPECT_EQ(refused.status, 6);
  EXPECT_THAT(refused.err, HasSubstr("--direct-sends"));
  ASSERT_EQ(holdfast({"queue", "alter", "orders-dlq", "--direct-sends", "yes"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders-dlq", "by hand"}).status, 0);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--cause", "sent"}).objects().size(), 1);
  ASSERT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--source", "orders", "--yes"}).status, 0);
  EXPECT_THAT(holdfast({"receive", "orders-dlq"}).out, HasSubstr(" ago: sent, 0 deliveries\n"));
}

TEST_F(DlqVerbs, ListOfTheSourcePointsToTheDeadLetterQueue) {
  EXPECT_THAT(holdfast({"dlq", "list", "orders"}).err, HasSubstr("'orders' dead-letters to 'orders-dlq'"));
}

TEST_F(DlqVerbs, AQueueThatIsNobodysDeadLetterQueueIsSaidToBeNone) {
  for (const std::vector<std::string>& verb : {std::vector<std::string>{"list", "orders"},
                                               {"show", "orders", "1"},
                                               {"group", "orders"},
                                               {"stats", "orders"},
                                               {"watch", "orders", "--once"},
                                               {"assign", "orders", "--all", "--to", "ann"},
                                               {"discard", "orders", "--all", "--yes"},
                                               {"redrive", "orders", "--yes"},
                                               {"export", "orders", "-"},
                                               {"find", "--category", "x", "--queue", "orders"},
                                               {"tasks", "orders"}}) {
    std::vector<std::string> arguments{"dlq"};
    arguments.insert(arguments.end(), verb.begin(), verb.end());
    EXPECT_THAT(holdfast(arguments).err,
                HasSubstr("warning: 'orders' is not the dead letter queue of any queue"))
        << verb[0];
  }
  ASSERT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--all", "--yes"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "list", "orders-dlq"}).err, "no dead letters\n");
  const Outcome programs = holdfast_json({"dlq", "list", "orders"});
  EXPECT_EQ(programs.error().at("warning"),
            "'orders' is not the dead letter queue of any queue; 'orders' dead-letters to 'orders-dlq'");
}

TEST_F(DlqVerbs, AFilterThatLetsNothingThroughIsNotAnEmptyQueue) {
  EXPECT_EQ(holdfast({"dlq", "list", "orders-dlq", "--category", "fraud"}).err,
            "no such dead letters; 'orders-dlq' has 3 others\n");
}

TEST_F(DlqVerbs, NothingThatSaysWhichIsSaidInTheWordsOfTheCommand) {
  const Outcome outcome = holdfast({"dlq", "assign", "orders-dlq", "--to", "ann"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("give their SEQ or id, a filter as for 'dlq list', or --all"));
}

TEST_F(DlqVerbs, ListTakesAWholeNumberFromOne) {
  for (const char* max : {"0", "-1", "1.5", "x"}) {
    const Outcome outcome = holdfast({"dlq", "list", "orders-dlq", "--max=" + std::string(max)});
    EXPECT_EQ(outcome.status, 2) << max;
    EXPECT_THAT(outcome.err, HasSubstr("whole number of at least 1"));
    EXPECT_LT(outcome.err.size(), 300U);
  }
}

TEST_F(DlqVerbs, ListFiltersAndRedacts) {
  EXPECT_EQ(
      holdfast_json({"dlq", "list", "orders-dlq", "--reason", "QUANTITY", "--code", "E1"}).objects().size(),
      2);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--older-than", "1d"}).objects().size(), 0);
  const Outcome never = holdfast({"dlq", "list", "orders-dlq", "--older-than", "2h", "--newer-than", "1h"});
  EXPECT_EQ(never.status, 2);
  EXPECT_THAT(never.err, HasSubstr("no time is both before"));
  const auto letters =
      holdfast_json({"dlq", "list", "orders-dlq", "--newest", "--bodies", "--redact"}).objects();
  ASSERT_EQ(letters.size(), 3);
  EXPECT_EQ(letters[0].at("body"), "");
  EXPECT_EQ(letters[0].at("redacted").at(0), "body");
  EXPECT_EQ(holdfast({"dlq", "list", "orders-dlq", "--status", "sleepy"}).status, 2);
}

TEST_F(DlqVerbs, GroupAndStatsCount) {
  const auto groups = holdfast_json({"dlq", "group", "orders-dlq", "--by", "category"}).objects();
  ASSERT_EQ(groups.size(), 2);
  EXPECT_EQ(groups[0].at("value"), "validation");
  EXPECT_EQ(groups[0].at("count"), 2);
  EXPECT_THAT(holdfast({"dlq", "group", "orders-dlq"}).out, HasSubstr("FINGERPRINT"));
  EXPECT_EQ(holdfast_json({"dlq", "stats", "orders-dlq"}).objects().at(0).at("category").at("timeout"), 1);
  EXPECT_THAT(holdfast({"dlq", "stats", "orders-dlq"}).out, HasSubstr("3 dead letters in orders-dlq"));
  const auto stats = holdfast_json({"dlq", "stats", "orders-dlq"}).objects().at(0);
  EXPECT_EQ(stats.at("ages").at(0).at("count"), 3);
  EXPECT_EQ(stats.at("days").back().at("categories").at("validation"), 2);
  EXPECT_EQ(stats.at("hours").back().at("causes").size(), 1U);
  EXPECT_THAT(holdfast({"dlq", "stats", "orders-dlq"}).out, HasSubstr("timeout 33 %"));
  EXPECT_EQ(holdfast({"dlq", "stats", "orders-dlq", "--days", "91"}).status, 2);
  EXPECT_THAT(holdfast({"dlq", "watch", "orders-dlq", "--once"}).out, HasSubstr("quantity must be > 0"));
}

TEST_F(DlqVerbs, TriageSaysWhoAndShows) {
  EXPECT_EQ(
      holdfast({"dlq", "assign", "orders-dlq", "--category", "timeout", "--to", "ann", "--actor", "bob"}).out,
      "changed 1 dead letter of orders-dlq\n");
  EXPECT_EQ(holdfast({"dlq", "status", "orders-dlq", "--assignee", "ann", "--to", "fixed"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "note", "orders-dlq", "--assignee", "ann", "--text", "warehouse is up"}).status,
            0);
  const auto letter = holdfast_json({"dlq", "list", "orders-dlq", "--status", "fixed"}).objects().at(0);
  EXPECT_EQ(letter.at("triage").at("audit").at(0).at("actor"), "bob");
  const std::string seq = letter.at("seq").get<std::string>();
  const std::string shown = holdfast({"dlq", "show", "orders-dlq", seq}).out;
  EXPECT_THAT(shown, HasSubstr("assigned to ann"));
  EXPECT_THAT(shown, HasSubstr("warehouse is up"));
  EXPECT_EQ(holdfast({"dlq", "show", "orders-dlq", letter.at("message_id")}).out, shown);
  EXPECT_EQ(holdfast({"dlq", "show", "orders-dlq", "99"}).status, 7);
  EXPECT_EQ(holdfast({"dlq", "abandon", "orders-dlq", seq, "--yes"}).status, 0);
}

TEST_F(DlqVerbs, DiscardAsksAndWantsAFilter) {
  EXPECT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--yes"}).status, 2);
  EXPECT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--all"}).status, 2);  // nobody answers the question
  const Outcome no = holdfast({"dlq", "discard", "orders-dlq", "--all"}, "n\n");
  EXPECT_EQ(no.status, 1);
  EXPECT_THAT(no.err, HasSubstr("delete 3 dead letters of 'orders-dlq' for good?"));
  EXPECT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--all", "--dry-run"}).out,
            "would discard 3 dead letters of orders-dlq\n");
  EXPECT_EQ(holdfast({"dlq", "discard", "orders-dlq", "--category", "validation"}, "y\n").status, 0);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 1);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--history"}).objects().size(), 3);
}

TEST_F(DlqVerbs, EverythingIsTakenOnlyByWhoSaysSo) {
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--parking-queue", "parked", "--create-missing"}).status, 0);
  for (const char* verb : {"redrive", "park"}) {
    const Outcome unanswered = holdfast({"dlq", verb, "orders-dlq"});
    EXPECT_EQ(unanswered.status, 2);
    EXPECT_THAT(unanswered.err, HasSubstr(std::string(verb) + " all of 'orders-dlq': 3 dead letters?"));
    EXPECT_EQ(holdfast_json({"dlq", verb, "orders-dlq"}).status, 2);
    EXPECT_EQ(holdfast({"dlq", verb, "orders-dlq"}, "n\n").status, 1);
  }
  EXPECT_EQ(holdfast({"dlq", "abandon", "orders-dlq", "--category", "timeout"}).status, 2);
  EXPECT_EQ(holdfast({"dlq", "status", "orders-dlq", "--all", "--to", "abandoned"}).status, 2);
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq", "--status", "new"}).objects().size(), 3U);
  const Outcome abandoned = holdfast({"dlq", "abandon", "orders-dlq", "--category", "timeout"}, "y\n");
  EXPECT_EQ(abandoned.status, 0);
  EXPECT_THAT(abandoned.err, HasSubstr("abandon 1 dead letter of 'orders-dlq'"));
  // An abandoned dead letter stays.
  EXPECT_EQ(holdfast({"dlq", "redrive", "orders-dlq"}, "y\n").out,
            "redrove 2 messages from orders-dlq\nleft 1 in place: 1 abandoned\n");
}

TEST_F(DlqVerbs, WhatDidNotHappenIsNoSuccess) {
  EXPECT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "999"}).status, 7);
  EXPECT_EQ(holdfast({"dlq", "discard", "orders-dlq", "999", "--yes"}).status, 7);
  EXPECT_EQ(holdfast({"dlq", "assign", "orders-dlq", "999", "--to", "ann"}).status, 7);
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--parking-queue", "parked", "--create-missing"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "park", "orders-dlq", "999"}).status, 7);
  const Outcome some = holdfast({"dlq", "assign", "orders-dlq", "1", "999", "--to", "ann"});
  EXPECT_EQ(some.status, 7);
  EXPECT_THAT(some.out, HasSubstr("changed 1 dead letter"));
  EXPECT_THAT(some.err, HasSubstr("1 of the 2 dead letters that were named"));
  // The only body of the category is not JSON.
  const auto patch = dir_ / "patch.json";
  std::ofstream(patch) << R"([{"op":"add","path":"/fixed","value":true}])";
  const std::vector<std::string> edit{"dlq",     "redrive", "orders-dlq",  "--category",
                                      "timeout", "--patch", patch.string()};
  const Outcome left = holdfast(edit);
  EXPECT_EQ(left.status, 1);
  EXPECT_THAT(left.err, HasSubstr("nothing was moved: left 1 dead letter in orders-dlq"));
  EXPECT_EQ(holdfast_json(edit).error().at("error"), "undone");
  std::vector<std::string> planned = edit;
  planned.emplace_back("--dry-run");
  EXPECT_EQ(holdfast(planned).out,
            "would move 0 messages, park 0, leave 1 in place: 1 that the edit does not fit\n");
  ASSERT_EQ(holdfast({"dlq", "abandon", "orders-dlq", "--all", "--yes"}).status, 0);
  const Outcome refused = holdfast({"dlq", "status", "orders-dlq", "--all", "--to", "new"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.out, HasSubstr("left 3 as they are: their present status does not allow the new one"));
}

TEST_F(DlqVerbs, WhoDidItIsTheUserUnlessSaidOtherwise) {
  // NOLINTBEGIN(concurrency-mt-unsafe): one thread
  const char* before = std::getenv("USER");
  const std::string restored = before == nullptr ? "" : before;
  ::setenv("USER", "night-shift", 1);
  EXPECT_EQ(holdfast({"dlq", "redrive", "orders-dlq", "--category", "timeout"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "note", "orders-dlq", "--all", "--text", "x"}).status, 0);
  ::setenv("USER", restored.c_str(), 1);
  // NOLINTEND(concurrency-mt-unsafe)
  EXPECT_EQ(holdfast_json({"dlq", "tasks"}).objects().at(0).at("actor"), "night-shift");
  const auto noted = holdfast_json({"dlq", "list", "orders-dlq"}).objects().at(0);
  EXPECT_EQ(noted.at("triage").at("notes").at(0).at("actor"), "night-shift");
}

TEST_F(DlqVerbs, TimesAreAgesOrTimes) {
  const auto listed = [this](const std::string& option, const std::string& value) {
    return holdfast_json({"dlq", "list", "orders-dlq", option, value}).objects().size();
  };
  EXPECT_EQ(listed("--newer-than", "2020-01-01T03:00:00Z"), 3U);
  EXPECT_EQ(listed("--older-than", "2020-01-01T03:00:00Z"), 0U);
  EXPECT_EQ(listed("--newer-than", "1d"), 3U);
  EXPECT_EQ(holdfast({"dlq", "list", "orders-dlq", "--newer-than", "yesterday"}).status, 2);
}

TEST_F(DlqVerbs, AListThatStoppedSaysSoToPrograms) {
  const Outcome stopped = holdfast_json({"dlq", "list", "orders-dlq", "--max", "2"});
  EXPECT_EQ(stopped.error().at("more"), true);
  EXPECT_EQ(stopped.error().at("after"), stopped.objects().back().at("cursor"));
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).err, "");
}

TEST_F(DlqVerbs, AnEmptyValueIsNotTheArgumentThatFollows) {
  reject("x", "", "");
  const auto listed = holdfast_json({"dlq", "list", "orders-dlq", "--category=", "--bodies"}).objects();
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].at("body"), "x");
  ASSERT_EQ(holdfast({"send", "orders", "--", "--group="}).status, 0);
  EXPECT_EQ(holdfast({"receive", "orders", "--raw"}).out, "--group=\n");
}

TEST_F(DlqVerbs, ASearchThatStoppedSaysSoToPrograms) {
  const auto find = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"dlq", "find", "--code", "E1", "--queue", "orders-dlq"};
    words.insert(words.end(), more.begin(), more.end());
    return holdfast_json(words);
  };
  const Outcome stopped = find({"--max", "2"});
  EXPECT_EQ(stopped.objects().size(), 2U);
  EXPECT_EQ(stopped.error().at("more"), true);
  EXPECT_EQ(stopped.error().at("shown"), 2);
  const Outcome rest = find({"--after", stopped.error().at("after")});
  EXPECT_EQ(rest.objects().size(), 1U);
  EXPECT_EQ(rest.err, "");
}

TEST_F(DlqVerbs, ProgramsAreToldWhatATriageHasChanged) {
  const auto done = [&](std::vector<std::string> words) {
    return holdfast_json(std::move(words)).objects().at(0);
  };
  const auto triaged = [](int changed, int unchanged, int refused, bool dry_run) {
    return nlohmann::json{{"queue", "orders-dlq"},
                          {"changed", changed},
                          {"unchanged", unchanged},
                          {"refused", refused},
                          {"dry_run", dry_run}};
  };
  EXPECT_EQ(done({"dlq", "note", "orders-dlq", "1", "--text", "why"}), triaged(1, 0, 0, false));
  EXPECT_EQ(done({"dlq", "status", "orders-dlq", "1", "--to", "investigating"}), triaged(1, 0, 0, false));
  EXPECT_EQ(done({"dlq", "status", "orders-dlq", "1", "--to", "investigating"}), triaged(0, 1, 0, false));
  EXPECT_EQ(done({"dlq", "abandon", "orders-dlq", "--all", "--dry-run"}), triaged(3, 0, 0, true));
  EXPECT_EQ(done({"dlq", "abandon", "orders-dlq", "1", "--yes"}), triaged(1, 0, 0, false));
  EXPECT_EQ(done({"dlq", "discard", "orders-dlq", "--all", "--yes"}),
            (nlohmann::json{{"queue", "orders-dlq"}, {"discarded", 3}, {"refused", 0}, {"dry_run", false}}));
}

TEST_F(DlqVerbs, GroupsThatAreLeftOutAreNamedToPrograms) {
  const std::size_t all = holdfast_json({"dlq", "group", "orders-dlq", "--by", "source"}).objects().size();
  const Outcome grouped = holdfast_json({"dlq", "group", "orders-dlq", "--by", "category", "-n", "1"});
  EXPECT_EQ(grouped.error().at("more"), true);
  EXPECT_GE(grouped.error().at("left_out"), 1);
  EXPECT_EQ(grouped.objects().size(), 1U);
  EXPECT_EQ(holdfast_json({"dlq", "group", "orders-dlq", "--by", "category"}).err, "") << all;
}

TEST_F(DlqVerbs, ShowHasTheStackTraceOnItsOwnLines) {
  ASSERT_EQ(holdfast({"send", "orders", "x"}).status, 0);
  const auto receipt = holdfast_json({"receive", "orders", "--consumer", "c7", "--consumer-version", "2.1"})
                           .objects()
                           .at(0)
                           .at("receipt");
  ASSERT_EQ(holdfast({"reject", receipt, "--stack-trace", "main\nhandle\x1b\nprice"}).status, 0);
  const auto letter =
      holdfast_json({"dlq", "list", "orders-dlq", "--consumer-version", "2.1"}).objects().at(0);
  EXPECT_EQ(letter.at("consumer").at("instance"), "c7");
  const std::string shown = holdfast({"dlq", "show", "orders-dlq", letter.at("message_id")}).out;
  EXPECT_THAT(shown, HasSubstr("stack trace\n  main\n  handle\\x1b\n  price\n"));
  EXPECT_THAT(shown, HasSubstr("first failed      2"));
  EXPECT_THAT(shown, HasSubstr("last failed       2"));
  EXPECT_THAT(shown, HasSubstr("1 delivery, 0 replays, 1 visit\n"));
  EXPECT_THAT(holdfast({"dlq", "list", "orders-dlq", "--category", "timeout"}).out,
              HasSubstr("  holdfast  "));
}

TEST_F(DlqVerbs, ARejectionThatIsTooLongIsCutAndSaidToBe) {
  ASSERT_EQ(holdfast({"send", "orders", "x"}).status, 0);
  std::vector<std::string> reject{"reject", receive("orders"), "--category",
                                  "long",   "--code",          std::string(200, 'c')};
  for (int i = 0; i < 20; ++i)
    reject.insert(reject.end(),
                  {"--caused-by", "E" + std::to_string(i), std::string(i == 0 ? 2000 : 5, 'm')});
  const Outcome rejected = holdfast(reject);
  EXPECT_EQ(rejected.status, 0);
  EXPECT_THAT(rejected.err, AllOf(HasSubstr("--code was too long and is cut"),
                                  HasSubstr("--caused-by: of 20 the first 14 and the root are kept")));
  const auto causes =
      holdfast_json({"dlq", "list", "orders-dlq", "--category", "long"}).objects().at(0).at("causes");
  ASSERT_EQ(causes.size(), 16U);
  EXPECT_THAT(causes.at(0).at("message").get<std::string>(),
              ::testing::EndsWith("... [cut, it had 2000 bytes]"));
  EXPECT_EQ(causes.at(14).at("message"), "... [cut, nested errors: 5]");
  EXPECT_EQ(causes.at(15).at("code"), "E19");
}

// The parser takes a value in brackets for a list if its option may have more of them.
TEST_F(DlqVerbs, ANestedErrorIsKeptAsItWasTyped) {
  ASSERT_EQ(holdfast({"send", "orders", "x"}).status, 0);
  ASSERT_EQ(holdfast({"reject", "--category", "odd", "--caused-by", "E1", "[a, b]", "--caused-by", "[E2]",
                      "c", receive("orders")})
                .status,
            0);
  const auto causes =
      holdfast_json({"dlq", "list", "orders-dlq", "--category", "odd"}).objects().at(0).at("causes");
  EXPECT_EQ(causes, nlohmann::json::parse(R"([{"code": "E1", "message": "[a, b]"},
                                              {"code": "[E2]", "message": "c"}])"));
}

TEST_F(DlqVerbs, ShowsWhyEachDeliveryFailed) {
  ASSERT_EQ(holdfast({"queue", "alter", "orders", "--max-deliveries", "2"}).status, 0);
  ASSERT_EQ(holdfast({"send", "orders", "x"}).status, 0);
  ASSERT_EQ(holdfast({"release", receive("orders"), "--category", "timeout", "--code", "E1", "--reason",
                      "no answer", "--stack-trace", "main\nask", "--caused-by", "ETIMEDOUT", "connect",
                      "--caused-by", "", "no route", "--partial-output", "half"})
                .status,
            0);
  ASSERT_EQ(holdfast({"release", receive("orders"), "--reason", "no answer again", "--code", "E9",
                      "--stack-trace-file", "-"},
                     "main\nask again\n")
                .status,
            0);
  const auto letter = holdfast_json({"dlq", "list", "orders-dlq", "--code", "E9"}).objects().at(0);
  EXPECT_EQ(letter.at("cause"), "max_deliveries");
  EXPECT_EQ(letter.at("reason"), "no answer again");
  EXPECT_EQ(letter.at("stack_trace"), "main\nask again");
  const auto& first = letter.at("attempts").at(0);
  EXPECT_EQ(first.at("failure").at("category"), "timeout");
  EXPECT_EQ(first.at("failure").at("causes").at(1).at("message"), "no route");
  EXPECT_EQ(first.at("failure").at("partial_output"), "half");
  EXPECT_FALSE(letter.at("attempts").at(1).contains("failure"));
  const std::string shown = holdfast({"dlq", "show", "orders-dlq", letter.at("message_id")}).out;
  EXPECT_THAT(shown, HasSubstr("reason            no answer again\n"));
  EXPECT_THAT(shown, HasSubstr("  reason          no answer\n"));
  EXPECT_THAT(shown, HasSubstr("  caused by       ETIMEDOUT: connect\n"));
  EXPECT_THAT(holdfast({"release", "1.2.3", "--stack-trace-file", "/nowhere/at-all"}).err,
              HasSubstr("/nowhere"));
}

TEST_F(DlqVerbs, ExtendWithAReasonLetsTheLeaseRunOut) {
  ASSERT_EQ(holdfast({"send", "orders", "x"}).status, 0);
  const std::string receipt = receive("orders");
  ASSERT_EQ(holdfast({"extend", receipt, "--reason", "the warehouse is down"}).status, 0);
  ASSERT_EQ(holdfast({"release", receipt}).status, 0);  // the delivery counts as failed, with the reason
  ASSERT_EQ(holdfast({"reject", receive("orders"), "--category", "long", "--code", "E9"}).status, 0);
  const auto letter = holdfast_json({"dlq", "list", "orders-dlq", "--code", "E9"}).objects().at(0);
  EXPECT_EQ(letter.at("attempts").at(0).at("failure").at("reason"), "the warehouse is down");
}

TEST_F(DlqVerbs, WatchPrintsOnceWithoutATerminal) {
  const auto seen = holdfast_json({"dlq", "watch", "orders-dlq", "--once"}).objects();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].at("dead"), 3);
  EXPECT_EQ(seen[0].at("groups").at(0).at("count"), 2);
  EXPECT_EQ(seen[0].at("newest").size(), 3U);
  EXPECT_EQ(seen[0].at("alerts").at(0).at("rule"), "depth");
  const Outcome plain = holdfast({"dlq", "watch", "orders-dlq", "--category", "timeout"});
  EXPECT_THAT(plain.out, HasSubstr("orders-dlq  1 of 3 dead letters in 1 group, 0 leased\n"));
  EXPECT_THAT(plain.out, HasSubstr("ALERT  warning: depth is 3 since "));
  EXPECT_THAT(plain.out, HasSubstr("died in the last whole minute"));
  EXPECT_THAT(plain.out, ::testing::Not(HasSubstr("quantity")));
  EXPECT_THAT(plain.out, ::testing::Not(HasSubstr("\x1b")));
}

TEST_F(DlqVerbs, PoliciesAreSetAKeyAtATime) {
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--auto-redrive", "every=1m", "--auto-redrive",
                "category=timeout", "--alert", "depth=off", "--alert", "oldest=2h", "--brake", "deaths=5"})
          .status,
      0);
  ASSERT_EQ(holdfast({"queue", "alter", "orders-dlq", "--auto-redrive", "max=7"}).status, 0);
  const auto options = holdfast_json({"queue", "describe", "orders-dlq"}).objects().at(0).at("options");
  EXPECT_EQ(options.at("auto_redrive").at("every_ms"), 60000);
  EXPECT_EQ(options.at("auto_redrive").at("max"), 7);
  EXPECT_EQ(options.at("auto_redrive").at("categories").at(0), "timeout");
  EXPECT_TRUE(options.at("alerts").at("depth").is_null());
  EXPECT_EQ(options.at("alerts").at("oldest_ms"), 7200000);
  EXPECT_EQ(options.at("brake").at("deaths_per_minute"), 5);
  EXPECT_EQ(holdfast({"queue", "alter", "orders-dlq", "--alert", "dpth=1"}).status, 2);
  EXPECT_THAT(holdfast({"queue", "describe", "orders-dlq"}).out, HasSubstr("auto redrive     every 1m"));
}

TEST_F(DlqVerbs, HowARuleFiresAndClearsIsSetAKeyAtATime) {
  ASSERT_EQ(
      holdfast({"queue", "alter", "orders-dlq", "--alert", "depth=20", "--alert", "depth.severity=critical",
                "--alert", "depth.fire-after=5m", "--alert", "depth.clear-at=7", "--alert",
                "oldest.clear-at=1h", "--alert", "oldest.clear-after=0s"})
          .status,
      0);
  ASSERT_EQ(holdfast({"queue", "alter", "orders-dlq", "--alert", "depth.clear-after=10m"}).status, 0);
  const auto alerts =
      holdfast_json({"queue", "describe", "orders-dlq"}).objects().at(0).at("options").at("alerts");
  EXPECT_EQ(alerts.at("depth"), 20);
  EXPECT_EQ(alerts.at("depth_terms").dump(),
            R"({"clear_after_ms":600000,"clear_at":7,"fire_after_ms":300000,"severity":"critical"})");
  EXPECT_EQ(alerts.at("oldest_terms").at("clear_at_ms"), 3600000);
  const Outcome described = holdfast({"queue", "describe", "orders-dlq"});
  EXPECT_THAT(described.out, HasSubstr("depth above 20 (critical, fires after 5m, clears at 7 after 10m), "));
  EXPECT_THAT(described.out, HasSubstr("oldest above 1d (clears at 1h after 0s), "));
  ASSERT_EQ(holdfast({"queue", "alter", "orders-dlq", "--alert", "depth.clear-at=off"}).status, 0);
  EXPECT_THAT(holdfast({"queue", "describe", "orders-dlq"}).out, HasSubstr("clears after 10m), "));
  for (const char* wrong : {"depth.severity=bad", "depth.clear-at=21", "depth.for=1m"})
    EXPECT_EQ(holdfast({"queue", "alter", "orders-dlq", "--alert", wrong}).status, 2) << wrong;
  EXPECT_EQ(holdfast({"queue", "alter", "orders-dlq", "--alert", "oldest.fire-after=25h"}).status, 3);
}

TEST_F(DlqVerbs, RejectWithoutADeadLetterQueueIsRefused) {
  ASSERT_EQ(holdfast({"queue", "create", "plain"}).status, 0);
  ASSERT_EQ(holdfast({"send", "plain", "stray"}).status, 0);
  const auto messages = holdfast_json({"receive", "plain"}).objects();
  const Outcome outcome = holdfast({"reject", messages.back().at("receipt")});
  EXPECT_EQ(outcome.status, 9);
  EXPECT_THAT(outcome.err, HasSubstr("hint: 'holdfast queue alter QUEUE --dead-letter-queue NAME'"));
}

TEST_F(DlqVerbs, WhatIsSoAlreadyIsSaid) {
  ASSERT_EQ(holdfast({"dlq", "assign", "orders-dlq", "1", "--to", "ann"}).status, 0);
  const auto audited = [this] {
    const auto letter = holdfast_json({"dlq", "show", "orders-dlq", "1"}).objects().at(0);
    return letter.at("triage").at("audit").size();
  };
  EXPECT_EQ(holdfast({"dlq", "assign", "orders-dlq", "--all", "--to", "ann", "--dry-run"}).out,
            "would change 2 dead letters of orders-dlq\n1 already was so\n");
  EXPECT_EQ(holdfast({"dlq", "assign", "orders-dlq", "--all", "--to", "ann"}).out,
            "changed 2 dead letters of orders-dlq\n1 already was so\n");
  const Outcome again = holdfast({"dlq", "assign", "orders-dlq", "--all", "--to", "ann"});
  EXPECT_EQ(again.out, "changed 0 dead letters of orders-dlq\n3 already were so\n");
  EXPECT_EQ(again.status, 0);
  EXPECT_EQ(holdfast({"dlq", "assign", "orders-dlq", "1", "--to", "ann"}).status, 0);
  const auto counts = holdfast_json({"dlq", "assign", "orders-dlq", "--all", "--to", "ann"}).objects().at(0);
  EXPECT_EQ(counts.at("changed"), 0);
  EXPECT_EQ(counts.at("unchanged"), 3);
  EXPECT_EQ(audited(), 1U);
  // The command does not ask about dead letters that are abandoned already.
  ASSERT_EQ(holdfast({"dlq", "abandon", "orders-dlq", "--all", "--yes"}).status, 0);
  EXPECT_EQ(holdfast({"dlq", "abandon", "orders-dlq", "--all"}).status, 0);
}

TEST_F(DlqVerbs, AFilterThatExcludesNothingIsRefused) {
  for (const char* verb : {"list", "discard", "abandon", "redrive", "park", "group"}) {
    for (const char* option : {"--older-than", "--newer-than"}) {
      for (const char* none : {"0", "0s", "0d0ms", "2999-01-01T00:00:00Z"}) {
        const Outcome outcome = holdfast({"dlq", verb, "orders-dlq", option, none});
        EXPECT_EQ(outcome.status, 2) << verb << none;
        EXPECT_THAT(outcome.err, HasSubstr(option));
        EXPECT_THAT(outcome.err, ::testing::AnyOf(HasSubstr("above 0"), HasSubstr("in the future")));
      }
    }
  }
  EXPECT_EQ(holdfast_json({"dlq", "list", "orders-dlq"}).objects().size(), 3U);
}

TEST_F(DlqVerbs, WhatNeverFailedHasNoTimeOfIt) {
  import_expired();
  const Outcome listed = holdfast_json({"dlq", "list", "orders-dlq", "--cause", "expired"});
  ASSERT_EQ(listed.objects().size(), 1U) << listed.err;
  EXPECT_TRUE(listed.objects()[0].at("first_failed_at").is_null());
  EXPECT_TRUE(listed.objects()[0].at("last_failed_at").is_null());
  const std::string seq = listed.objects()[0].at("seq").get<std::string>();
  const std::string shown = holdfast({"dlq", "show", "orders-dlq", seq}).out;
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("failed")));
  EXPECT_THAT(shown, ::testing::Not(HasSubstr("1970")));
}

TEST_F(DlqVerbs, APipeGetsWholeCells) {
  const std::string reason = std::string(200, 'w') + " the end";
  reject("x", std::string(100, 'c'), reason);
  for (const char* verb : {"list", "group", "stats"}) {
    const std::string out = holdfast({"dlq", verb, "orders-dlq"}).out;
    EXPECT_THAT(out, HasSubstr("www the end"));
    EXPECT_THAT(out, ::testing::Not(HasSubstr("…")));
  }
  EXPECT_THAT(holdfast({"dlq", "watch", "orders-dlq", "--once"}).out, HasSubstr("www the end"));
}

}  // namespace
}  // namespace holdfast::command
