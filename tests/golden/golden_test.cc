// Opens what format version 1 wrote, and finds everything in it.
#include <gmock/gmock.h>

#include "engine/codec/rows/catalog_rows.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "tests/golden/golden_directory.h"
#include "tests/golden/version_1.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::golden {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::FailsNaming;
using ::testing::IsEmpty;
using testing::must;
using testing::Succeeds;
using ::testing::UnorderedElementsAre;

class Golden : public GoldenDirectory {
 protected:
  Golden() : GoldenDirectory("HOLDFAST_GOLDEN_1", HOLDFAST_GOLDEN_1, kWrittenAt) {}
};

TEST_F(Golden, HasEveryQueueWithItsOptionsAndCounts) {
  open_engine();
  const auto infos = must(engine_->list_queues());
  const auto queues = queues_of_version_1();
  ASSERT_EQ(infos.size(), queues.size());
  for (const QueueInfo& info : infos) {
    SCOPED_TRACE(info.name);
    EXPECT_EQ(info.options, queues.at(info.name));
    EXPECT_EQ(info.created_at, testing::kTestEpoch);
  }
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 4, .waiting = 1, .leased = 1}));
  EXPECT_EQ(counts("dead"), (QueueCounts{.ready = 4, .dead = 4}));
  EXPECT_EQ(counts("graveyard"), (QueueCounts{.ready = 1, .dead = 1}));
  EXPECT_EQ(counts("rejects"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(counts("ordered"), (QueueCounts{.ready = 2, .leased = 1}));
  EXPECT_EQ(counts("later"), (QueueCounts{.waiting = 1}));
  EXPECT_EQ(counts("levels"), (QueueCounts{.ready = 3}));
  const QueueTotals orders = must(engine_->describe_queue("orders")).totals;
  EXPECT_EQ(orders, (QueueTotals{.sent = 8, .delivered = 5, .acked = 1, .dead_lettered = 1}));
  EXPECT_TRUE(must(engine_->verify()).sound());
}

TEST_F(Golden, HandsOutEveryMessage) {
  open_engine();
  const Deliveries given = receive("orders");
  ASSERT_EQ(given.size(), 4);
  EXPECT_EQ(given[0].body, "o2");
  EXPECT_EQ(given[0].id, id("o2"));
  EXPECT_EQ(given[0].deliveries, 2);
  EXPECT_EQ(given[0].attributes, (Attributes{{"correlation-id", "c-o2"}, {"empty", ""}}));
  EXPECT_EQ(given[0].sent_at, testing::kTestEpoch + 1ms);
  EXPECT_EQ(given[3].body, "o8");
  EXPECT_EQ(given[3].deliveries, 1);

  EXPECT_THAT(engine_->ack(receipt("o3")), Succeeds());
  testing::advance(*engine_, clock_, 10min);
  EXPECT_THAT(bodies("orders"), ::testing::Contains("o5"));
  EXPECT_THAT(bodies("levels"), ElementsAre("p2", "p1", "p0"));
  const Deliveries fair = receive("fair");
  ASSERT_EQ(fair.size(), 4);
  EXPECT_EQ(fair[1].body, "y1");
  EXPECT_EQ(fair[1].group, "y");
}

TEST_F(Golden, KeepsLeasesGroupsWindowsAndSchedules) {
  open_engine();
  EXPECT_THAT(bodies("ordered"), ElementsAre("b1"));
  EXPECT_THAT(engine_->ack(receipt("a1")), Succeeds());
  EXPECT_THAT(bodies("ordered"), ElementsAre("a2"));

  const Sent again = must(engine_->send("once", {.body = "d1 again", .deduplication_id = "d1"}));
  EXPECT_TRUE(again.duplicate);
  EXPECT_EQ(again.id.to_string(), manifest_.at("id-once"));

  EXPECT_THAT(bodies("later"), IsEmpty());
  testing::advance(*engine_, clock_, 2h);
  EXPECT_THAT(bodies("later"), ElementsAre("l1"));
  EXPECT_FALSE(must(engine_->send("once", {.body = "d1 anew", .deduplication_id = "d1"})).duplicate);
}

TEST_F(Golden, KeepsFailureRecordsAndTriage) {
  open_engine();
  const DeadLetter twice = dead_letter("graveyard", "o4");
  EXPECT_EQ(twice.body, "o4");
  EXPECT_EQ(twice.record.source_queue, "orders");
  EXPECT_EQ(twice.record.category, "hopeless");
  EXPECT_EQ(twice.record.visits, 2);
  EXPECT_EQ(twice.record.first_death->category, "validation");
  EXPECT_EQ(twice.record.first_death->reason, "no such customer");
  EXPECT_EQ(twice.record.correlation_id, "c-o4");
  EXPECT_EQ(twice.record.consumer, (Consumer{"worker-1", "2.1"}));

  const DeadLetter worn = dead_letter("dead", "f1");
  EXPECT_EQ(worn.record.cause, DeathCause::kMaxDeliveries);
  EXPECT_EQ(worn.record.deliveries, 1);
  ASSERT_EQ(worn.record.attempts.kept.size(), 1);
  EXPECT_EQ(worn.record.attempts.kept[0].end, AttemptEnd::kReleased);

  const DeadLetter looked_at = dead_letter("dead", "r1");
  EXPECT_EQ(looked_at.triage.status, DeadLetterStatus::kInvestigating);
  EXPECT_EQ(looked_at.triage.assignee, "ann");
  ASSERT_EQ(looked_at.triage.notes.size(), 1);
  EXPECT_EQ(looked_at.triage.notes[0].text, "looking");
  EXPECT_EQ(looked_at.triage.audit.size(), 2);

  const DeadLetter discarded = dead_letter("dead", "r2", true);
  EXPECT_EQ(discarded.triage.status, DeadLetterStatus::kAbandoned);
  EXPECT_EQ(discarded.triage.audit.back().actor, "bob");

  const DeadLetter back = dead_letter("dead", "r4");
  EXPECT_EQ(back.record.replays, 1);
  EXPECT_EQ(back.record.visits, 2);
  const auto groups = must(engine_->group_dead_letters("dead", {.by = DeadLetterGrouping::kCategory}));
  EXPECT_EQ(groups.total, 4);
}

TEST_F(Golden, GoesOnWithItsRedrives) {
  open_engine();
  const Deliveries redriven = receive("rejects");
  ASSERT_EQ(redriven.size(), 1);
  EXPECT_EQ(redriven[0].body, "r3");
  EXPECT_EQ(redriven[0].replays, 1);

  const auto tasks = must(engine_->list_redrives());
  const auto running = std::ranges::find(tasks, TaskState::kRunning, &TaskStatus::state);
  ASSERT_NE(running, tasks.end());
  EXPECT_EQ(running->queue, "slow-dead");
  EXPECT_EQ(running->actor, "dee");
  EXPECT_EQ(running->total, 3);
  for (int i = 0; i < 10; ++i) testing::advance(*engine_, clock_, 1s);
  EXPECT_EQ(must(engine_->redrive_status(running->id)).state, TaskState::kDone);
  EXPECT_THAT(bodies("slow"), UnorderedElementsAre("s1", "s2", "s3"));
}

TEST_F(Golden, KeepsBoundsPausesJournalsAndRowsOfTheApplication) {
  open_engine();
  EXPECT_EQ(counts("traced"), (QueueCounts{.ready = 2, .leased = 1}));
  EXPECT_EQ(must(engine_->message_history(id("t1"))).steps.back().kind, StepKind::kOverflowed);
  EXPECT_THAT(engine_->start(receipt("t2")), Succeeds());
  EXPECT_THAT(bodies("traced"), ElementsAre("t3"));  // max_leased allows no more
  testing::advance(*engine_, clock_, 3h);
  EXPECT_EQ(counts("traced"), QueueCounts{});

  EXPECT_THAT(bodies("held"), IsEmpty());
  must(engine_->resume_queue("held", {.deliveries = true}));
  EXPECT_THAT(bodies("held"), ElementsAre("h1"));
  EXPECT_EQ(must(engine_->get(must(engine_->open_family("application")), "key")), "value");
}

TEST_F(Golden, KnowsARequestAgain) {
  open_engine();
  const auto again = must(engine_->send_batch("held", {{.body = "h1"}}, {.request_id = "call-1"}));
  EXPECT_EQ(must(again[0]).id, id("h1"));
  EXPECT_EQ(counts("held").ready, 1U);
}

TEST_F(Golden, ADirectoryOfALaterFormatIsRefusedAndLeftAlone) {
  {
    const auto store = must(open_rocksdb_store(copy_ / "data"));
    const auto batch = store->new_batch();
    batch->put(Family::kCatalog, keys::kFormatRow, encode_format_row(kFormatVersion + 1));
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
    must(store->close());
  }
  EXPECT_THAT(open(), FailsNaming(ErrorCode::kFormatTooNew, "format " + std::to_string(kFormatVersion + 1)));
  {
    const auto store = must(open_rocksdb_store(copy_ / "data"));
    const auto batch = store->new_batch();
    batch->put(Family::kCatalog, keys::kFormatRow, encode_format_row(1));
    ASSERT_EQ(store->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
    must(store->close());
  }
  EXPECT_THAT(open(), Succeeds());
}

}  // namespace
}  // namespace holdfast::golden
