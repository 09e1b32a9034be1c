// Opens the second directory of format version 1, reads its archive and restores its backups.
#include <gmock/gmock.h>

#include <algorithm>

#include "tests/golden/golden_directory.h"
#include "tests/golden/version_1b.h"
#include "tests/support/archive.h"
#include "tests/support/result_matchers.h"

namespace holdfast::golden {
namespace {

using ::testing::ElementsAre;
using testing::must;
using testing::Succeeds;

class Golden1b : public GoldenDirectory {
 protected:
  Golden1b() : GoldenDirectory("HOLDFAST_GOLDEN_1B", HOLDFAST_GOLDEN_1B, kWrittenAt1b) {}

  static OriginalMessage as_sent(const std::string& name) {
    return {.body = R"({"n":1})", .attributes = {{std::string(kCorrelationIdAttribute), "c-" + name}}};
  }
  ReplayOutcome outcome(const std::string& name) {
    return dead_letter("dead", name, true).replay.value().outcome;
  }
};

TEST_F(Golden1b, HasWhatWasLeft) {
  open_engine();
  EXPECT_EQ(counts("jobs"), (QueueCounts{.leased = 1}));
  EXPECT_EQ(counts("dead"), (QueueCounts{.ready = 1, .dead = 1}));
  EXPECT_EQ(counts("elsewhere"), (QueueCounts{.ready = 1, .dead = 1}));
  EXPECT_EQ(counts("brief"), QueueCounts{});
  EXPECT_EQ(counts("brief-dead"), QueueCounts{});
  EXPECT_EQ(counts("kept"), (QueueCounts{.ready = 2, .leased = 1}));
}

TEST_F(Golden1b, KeepsHowMessagesWereBeforeTheyWereEdited) {
  open_engine();
  EXPECT_EQ(dead_letter("dead", "e1", true).original, as_sent("e1"));
  EXPECT_EQ(dead_letter("dead", "e3", true).original, as_sent("e3"));
  EXPECT_EQ(dead_letter("dead", "e4", true).original, std::nullopt);
  const DeadLetter again = dead_letter("dead", "e2");
  EXPECT_EQ(again.original, as_sent("e2"));
  EXPECT_EQ(again.body, R"({"n":2})");
  EXPECT_EQ(again.attributes,
            (Attributes{{std::string(kCorrelationIdAttribute), "c-e2"}, {"mended", "yes"}}));
  EXPECT_EQ(again.record.category, "validation");
  EXPECT_EQ(again.record.replays, 1U);
  EXPECT_EQ(again.record.first_death->category, "timeout");
}

TEST_F(Golden1b, KeepsWhatBecameOfRedrivenMessages) {
  open_engine();
  EXPECT_EQ(outcome("e1"), ReplayOutcome::kAcked);
  EXPECT_EQ(outcome("e3"), ReplayOutcome::kPending);
  EXPECT_EQ(outcome("e4"), ReplayOutcome::kAcked);
  EXPECT_EQ(outcome("e5"), ReplayOutcome::kDiedElsewhere);
  EXPECT_EQ(dead_letter("elsewhere", "e5").record.first_death->category, "timeout");
  EXPECT_THAT(engine_->ack(receipt("e3")), Succeeds());
  EXPECT_EQ(outcome("e3"), ReplayOutcome::kAcked);
}

TEST_F(Golden1b, ItsArchiveIsReadAndImported) {
  const auto letters = testing::read_archive(copy_ / "data/archive");
  ASSERT_EQ(letters.size(), 2);
  const auto archived = [&](const std::string& name) {
    return *std::ranges::find_if(
        letters, [&](const DeadLetter& letter) { return letter.record.message_id == id(name); });
  };
  EXPECT_EQ(archived("g1").body, "anew");
  EXPECT_EQ(archived("g1").original, as_sent("g1"));
  EXPECT_EQ(archived("g2").body, std::string("\0\xff", 2));
  open_engine();
  EXPECT_EQ(must(engine_->import_dead_letters("brief-dead", letters)), (DeadLettersImported{.imported = 2}));
  for (const char* name : {"g1", "g2"}) {
    SCOPED_TRACE(name);
    const DeadLetter back = dead_letter("brief-dead", name);
    EXPECT_EQ(back.record, archived(name).record);
    EXPECT_EQ(back.body, archived(name).body);
    EXPECT_EQ(back.attributes, archived(name).attributes);
    EXPECT_EQ(back.original, archived(name).original);
    EXPECT_EQ(back.record.source_queue, "brief");
    EXPECT_EQ(back.record.reason, "took 31 s");
    EXPECT_EQ(back.record.code, "E42");
    EXPECT_EQ(back.record.stack_trace, "main\ncheck");
    EXPECT_THAT(back.record.causes, ElementsAre(NestedError{"E1", "not found"}));
    EXPECT_EQ(back.record.partial_output, "half");
    EXPECT_EQ(back.record.consumer, (Consumer{"worker-1", "2.1"}));
    EXPECT_EQ(back.triage.status, DeadLetterStatus::kAbandoned);
    EXPECT_EQ(back.triage.assignee, "bob");
    ASSERT_EQ(back.triage.notes.size(), 1);
    EXPECT_EQ(back.triage.notes[0].actor, "ann");
    EXPECT_EQ(back.triage.notes[0].text, "nobody needs it");
  }
}

TEST_F(Golden1b, ItsBackupsAreRestored) {
  const auto backups = must(Engine::list_backups(copy_ / "backups"));
  ASSERT_EQ(backups.size(), 2);
  for (std::size_t i = 0; i < backups.size(); ++i) {
    SCOPED_TRACE(i);
    const std::filesystem::path restored = copy_ / ("restored-" + std::to_string(i));
    must(Engine::restore(copy_ / "backups", restored, {.number = backups[i].number}));
    Engine engine = must(Engine::open(restored, {.clock = &clock_, .background = false}));
    EXPECT_TRUE(must(engine.verify()).sound());
    EXPECT_EQ(must(engine.describe_queue("kept")).counts, (QueueCounts{.ready = 1 + i, .leased = 1}));
    EXPECT_THAT(engine.ack(receipt("b1")), Succeeds());
    EXPECT_EQ(must(engine.receive("kept")).at(0).body, "b2");
  }
}

}  // namespace
}  // namespace holdfast::golden
