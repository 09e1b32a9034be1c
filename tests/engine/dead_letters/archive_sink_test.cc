// Retention archives into a place of the application's own. Whatever that place does, and whatever happens
// meanwhile, a dead letter is in its queue or in the archive.
#include <gtest/gtest.h>

#include <latch>
#include <optional>
#include <set>
#include <thread>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/archive_box.h"
#include "tests/support/engine_time.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using Fate = ArchiveBox::Fate;

class ArchiveSinkTest : public ::testing::Test {
 protected:
  ArchiveSinkTest() {
    open();
    must(engine_->create_queue("dlq", {.retention = {.abandoned = 1h, .unresolved = 240h}}));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  }

  void open() {
    engine_.reset();
    power_ = power_on();
    engine_.emplace(
        must(EngineInside::open_over(std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_),
                                     {.clock = &clock_, .background = false, .archive = box_})));
  }
  void kill(const std::string& body) {
    must(engine_->send("orders", {.body = body}));
    must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {.reason = "bad"}));
  }
  void abandon() {
    must(engine_->change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  }
  void pass(Duration time) { advance(*engine_, clock_, time); }
  std::multiset<std::string> here() {
    std::multiset<std::string> bodies;
    for (const DeadLetter& letter :
         must(engine_->list_dead_letters("dlq", {.filter = {.history = false}, .max = 1000, .bodies = true}))
             .items)
      bodies.insert(letter.body);
    return bodies;
  }
  std::multiset<std::string> archived() const {
    std::multiset<std::string> bodies;
    for (const DeadLetter& letter : box_->letters()) bodies.insert(letter.body);
    return bodies;
  }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  std::shared_ptr<ArchiveBox> box_ = std::make_shared<ArchiveBox>();
  PowerSwitch power_;
  std::optional<Engine> engine_;
};

using Bodies = std::multiset<std::string>;

TEST_F(ArchiveSinkTest, WhatIsTakenGoes) {
  kill("a");
  kill("b");
  abandon();
  pass(1h);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(archived(), (Bodies{"a", "b"}));
  ASSERT_EQ(box_->names().size(), 1U);
  EXPECT_TRUE(box_->names()[0].starts_with("dlq/20")) << box_->names()[0];
  const ArchiveHealth health = engine_->archive_health();
  EXPECT_TRUE(health.last);
  EXPECT_EQ(health.written, 2U);
  EXPECT_EQ(health.failures, 0U);
}

TEST_F(ArchiveSinkTest, WhatIsRefusedStaysAndComesAgainAfterAMinute) {
  kill("a");
  abandon();
  const Timestamp since = clock_.now() + 1h;
  for (const Fate fate : {Fate::kRefused, Fate::kThrown}) {
    box_->decide([fate](const auto&, const auto&) { return fate; });
    pass(1h);
    EXPECT_EQ(here(), Bodies{"a"});
    EXPECT_EQ(archived(), Bodies());
  }
  const ArchiveHealth health = engine_->archive_health();
  EXPECT_THAT(health.last, FailsWith(ErrorCode::kUnavailable));
  EXPECT_EQ(health.failing_since, since);
  EXPECT_GE(health.failures, 2U);
  EXPECT_EQ(must(engine_->statistics()).archive_failure, to_string(health.last.error()));
  EXPECT_EQ(must(engine_->statistics()).archive_failing_since, since);
  box_->decide({});
  pass(59s);
  EXPECT_EQ(archived(), Bodies());
  pass(1s);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(archived(), Bodies{"a"});
  EXPECT_TRUE(engine_->archive_health().last);
  EXPECT_EQ(must(engine_->statistics()).archive_failure, "");
}

// A place that stores batches by their names then stores a repeated batch once.
TEST_F(ArchiveSinkTest, ARepetitionHasItsNameAndAnotherBatchHasAnother) {
  bool answers = false;
  box_->decide([&](const auto&, const auto&) { return answers ? Fate::kTaken : Fate::kTakenUnknown; });
  kill("a");
  abandon();
  pass(1h);
  open();  // opens the engine as after a crash
  pass(1min);
  EXPECT_EQ(here(), Bodies{"a"});
  EXPECT_GE(box_->writes(), 2U);
  EXPECT_EQ(box_->names().size(), 1U);
  must(engine_->change_dead_letters("dlq", {.all = true}, {.note = "looked at"}));
  answers = true;
  pass(1min);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(box_->names().size(), 2U);
}

// No call of the engine waits for the archive, so anything may happen to a dead letter while it is written.
TEST_F(ArchiveSinkTest, WhatIsChangedMeanwhileStays) {
  for (const char* body : {"noted", "taken up", "redriven", "discarded", "left alone"}) kill(body);
  abandon();
  std::map<std::string, Seq> seqs;
  for (const DeadLetter& letter : must(engine_->list_dead_letters("dlq", {.bodies = true})).items)
    seqs[letter.body] = letter.seq;
  const auto only = [&](const char* body) { return DeadLetterFilter{.seqs = {seqs.at(body)}}; };
  box_->decide([&](const auto&, const auto&) {
    must(engine_->change_dead_letters("dlq", {.filter = only("noted")}, {.note = "wait"}));
    must(engine_->change_dead_letters("dlq", {.filter = only("taken up")},
                                      {.status = DeadLetterStatus::kInvestigating}));
    must(engine_->redrive("dlq", {.filter = only("redriven")}));
    must(engine_->discard_dead_letters("dlq", {.filter = only("discarded")}));
    return Fate::kTaken;
  });
  clock_.advance(1h);
  engine_->run_due();
  box_->decide({});
  EXPECT_EQ(here(), (Bodies{"noted", "taken up"}));
  EXPECT_EQ(must(engine_->receive("orders")).at(0).body, "redriven");
  pass(1h);
  EXPECT_EQ(here(), Bodies{"taken up"});
}

TEST_F(ArchiveSinkTest, WhatNobodyResolvedGoesThereTooIfThatIsWanted) {
  kill("a");
  pass(239h);
  EXPECT_EQ(here(), Bodies{"a"});
  pass(1h);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(archived(), Bodies{"a"});
}

// A policy whose redrives end after a day, and that gives up what failed for so long to the archive.
class OnGiveUpTest : public ArchiveSinkTest {
 protected:
  OnGiveUpTest() {
    must(engine_->create_queue("parked"));
    must(engine_->alter_queue("dlq", {.dead_letters = {.parking_queue = "parked", .auto_redrive = policy_}},
                              MissingQueues::kCreate));
  }
  std::uint64_t parked() { return must(engine_->describe_queue("parked")).counts.dead; }
  void to(DeadLetterStatus status) {
    must(engine_->change_dead_letters("dlq", {.all = true}, {.status = status}));
  }

  AutoRedrive policy_{.every = 10s,
                      .backoff = 720h,
                      .backoff_max = 720h,
                      .give_up_after = 24h,
                      .on_give_up = OnGiveUp::kArchive};
};

TEST_F(OnGiveUpTest, WhatFailedForTooLongIsArchived) {
  kill("old");
  pass(12h);
  kill("young");
  pass(12h - 1s);
  EXPECT_EQ(here(), (Bodies{"old", "young"}));
  pass(11s);
  EXPECT_EQ(here(), Bodies{"young"});
  EXPECT_EQ(archived(), Bodies{"old"});
  EXPECT_EQ(parked(), 0U);
  EXPECT_EQ(must(engine_->list_dead_letters("dlq", {.filter = {.history = true}})).items.size(), 1U);
}

TEST_F(OnGiveUpTest, WhatIsRefusedComesAgainWithTheNextRound) {
  kill("a");
  box_->decide([](const auto&, const auto&) { return Fate::kRefused; });
  pass(24h);
  for (int round = 0; round < 3; ++round) pass(10s);
  EXPECT_EQ(here(), Bodies{"a"});
  EXPECT_GE(box_->writes(), 2U);
  box_->decide({});
  pass(10s);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(archived(), Bodies{"a"});
}

TEST_F(OnGiveUpTest, WhatPeopleLookIntoStays) {
  kill("a");
  to(DeadLetterStatus::kInvestigating);
  pass(48h);
  EXPECT_EQ(here(), Bodies{"a"});
  to(DeadLetterStatus::kFixed);
  pass(24h - 10s);
  EXPECT_EQ(here(), Bodies{"a"});  // it does not vanish right after somebody has mended it
  pass(20s);
  EXPECT_EQ(archived(), Bodies{"a"});
}

// The letter failed long ago. If that counted, the next round would archive it, and undo the import.
TEST_F(OnGiveUpTest, WhatWasImportedIsKeptFromItsImportOn) {
  kill("a");
  pass(24h);
  pass(10s);
  ASSERT_EQ(here(), Bodies());
  must(engine_->import_dead_letters("dlq", box_->letters()));
  pass(24h - 10s);
  open();
  pass(1s);
  EXPECT_EQ(here(), Bodies{"a"});
  pass(20s);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(archived(), (Bodies{"a", "a"}));
}

// The dead letter is archived once, when the shorter of the two times is over.
TEST_F(OnGiveUpTest, WhatWasImportedGoesByTheShorterOfBothTimes) {
  must(engine_->alter_queue("dlq", {.retention = {.unresolved = 12h}}));
  kill("a");
  pass(12h);
  ASSERT_EQ(here(), Bodies());
  must(engine_->import_dead_letters("dlq", box_->letters()));
  pass(12h - 1s);
  EXPECT_EQ(here(), Bodies{"a"});
  pass(1s);
  EXPECT_EQ(here(), Bodies());
  must(engine_->alter_queue("dlq", {.retention = {.unresolved = 240h}}));
  must(engine_->import_dead_letters("dlq", {box_->letters().front()}));
  pass(24h - 10s);
  EXPECT_EQ(here(), Bodies{"a"});
  pass(20s);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(archived(), (Bodies{"a", "a", "a"}));
}

// A letter that died by a clock that was ahead is also kept from its import on, by this clock.
TEST_F(OnGiveUpTest, WhatWasImportedFromTheFutureGoesToo) {
  kill("a");
  DeadLetter letter = must(engine_->get_dead_letter("dlq", Seq{1}));
  must(engine_->discard_dead_letters("dlq", {.all = true}));
  letter.record.first_failed_at += 24h * 365;
  letter.record.last_failed_at += 24h * 365;
  letter.record.died_at += 24h * 365;
  must(engine_->import_dead_letters("dlq", {letter}));
  pass(24h + 10s);
  EXPECT_EQ(here(), Bodies());
}

TEST_F(OnGiveUpTest, NothingGoesByAPolicyThatWasAlteredMeanwhile) {
  kill("a");
  box_->decide([&](const auto&, const auto&) {
    policy_.on_give_up = OnGiveUp::kPark;
    must(engine_->alter_queue("dlq", {.dead_letters = {.auto_redrive = policy_}}));
    return Fate::kTaken;
  });
  pass(24h);
  pass(10s);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(parked(), 1U);
  EXPECT_EQ(archived(), Bodies{"a"});  // has a line more than it should
}

TEST_F(OnGiveUpTest, NothingGoesByAPolicyThatIsOff) {
  kill("a");
  box_->decide([](const auto&, const auto&) { return Fate::kRefused; });
  pass(24h);
  pass(10s);
  EXPECT_GE(box_->writes(), 1U);
  policy_.every = 0s;
  must(engine_->alter_queue("dlq", {.dead_letters = {.auto_redrive = policy_}}));
  box_->decide({});
  pass(2min);
  EXPECT_EQ(here(), Bodies{"a"});
  EXPECT_EQ(archived(), Bodies());
}

TEST_F(OnGiveUpTest, WhatAConsumerHasWaits) {
  kill("a");
  pass(24h - 10s);
  const Delivery delivery = must(engine_->receive("dlq", {.lease = 1h})).at(0);
  pass(30min);
  EXPECT_EQ(archived(), Bodies());
  must(engine_->release(delivery.receipt, {.charge = false}));
  pass(10s);
  EXPECT_EQ(here(), Bodies());
  EXPECT_EQ(archived(), Bodies{"a"});
}

TEST_F(ArchiveSinkTest, ItIsOneOrTheOther) {
  EXPECT_THAT(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(2))),
                                      {.clock = &clock_, .archive_directory = "d", .archive = box_}),
              FailsNaming(ErrorCode::kInvalidArgument, "archive_directory"));
}

// The sink refuses, throws, and keeps batches without saying so. The process dies while the sink writes,
// after that and in between. Messages die, and people change them, all the while.
TEST_F(ArchiveSinkTest, EachLetterIsInTheQueueOrInTheArchiveWhateverHappens) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    disk_ = std::make_shared<MemoryDisk>(seed);
    box_ = std::make_shared<ArchiveBox>([&](const auto&, const auto&) {
      if (random.one_in(5)) *power_ = false;  // then what is archived cannot be deleted
      if (random.one_in(4)) return Fate::kRefused;
      if (random.one_in(6)) return Fate::kThrown;
      return random.one_in(4) ? Fate::kTakenUnknown : Fate::kTaken;
    });
    open();
    must(engine_->create_queue("dlq", {.retention = {.abandoned = 1h, .unresolved = 5h}}));
    must(engine_->create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    std::set<std::string> all;
    const auto check = [&] {
      if (!*power_) open();
      const Bodies in_queue = here();
      const Bodies in_archive = archived();
      for (const std::string& body : all) {
        EXPECT_LE(in_queue.count(body), 1U) << body;
        EXPECT_TRUE(in_queue.contains(body) || in_archive.contains(body)) << body << " is lost";
      }
    };
    for (int step = 0; step < 40; ++step) {
      const std::string body = std::to_string(step);
      kill(body);
      all.insert(body);
      if (random.one_in(3)) abandon();
      clock_.advance(std::chrono::minutes(random.between(0, 90)));
      engine_->run_due();
      check();
    }
    box_->decide({});
    pass(10h);
    EXPECT_EQ(here(), Bodies());
    check();
  }
}

// This sink hangs until it is told to stop.
class HangingArchive final : public ArchiveSink {
 public:
  Result<void> write(const ArchiveBatch& /*batch*/, const std::stop_token& stop) override {
    writing.count_down();
    std::latch stopped(1);
    const std::stop_callback told(stop, [&] { stopped.count_down(); });
    stopped.wait();
    return fail(ErrorCode::kClosed, "told to stop");
  }
  std::latch writing{1};
};

TEST(ArchiveInTheBackground, ThatHangsHoldsUpNothingElseAndEndsWithTheEngine) {
  ManualClock clock;
  const auto disk = std::make_shared<MemoryDisk>(1);
  const auto hanging = std::make_shared<HangingArchive>();
  Engine engine =
      must(EngineInside::open_over(must(open_memory_store(disk)), {.clock = &clock, .archive = hanging}));
  must(engine.create_queue("dlq", {.retention = {.abandoned = 1h}}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  for (const char* body : {"a", "b"}) {
    must(engine.send("orders", {.body = body}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  }
  must(engine.change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  clock.advance(1h);
  engine.run_due();
  hanging->writing.wait();
  // The engine does what is due, also in the queue whose letters are being archived, and people may change
  // the letters.
  const Delivery delivery = must(engine.receive("dlq", {.lease = 1s})).at(0);
  clock.advance(2s);
  // The engine's own thread may be about to end the lease.
  while (must(engine.describe_queue("dlq")).counts.leased != 0) engine.run_due();
  EXPECT_EQ(must(engine.discard_dead_letters("dlq", {.all = true})).changed, 2U);
  must(engine.close());
}

}  // namespace
}  // namespace holdfast::testing
