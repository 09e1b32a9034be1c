// Retention: what is resolved stays for a time, is archived, and goes; and comes back by import.
#include <fstream>

#include "codec/archive_line.h"
#include "codec/keys.h"
#include "holdfast/engine.h"
#include "storage/archive_file.h"
#include "storage/memory_store.h"
#include "support/answer.h"
#include "support/archive.h"
#include "support/damaged_store.h"
#include "support/dead_letter_audit.h"
#include "support/engine_time.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Retention : public ::testing::Test {
 protected:
  Retention() {
    open(archive_.path());
    must(engine_->create_queue("dlq", {.keep_abandoned = 24h}));
    must(engine_->create_queue("orders", {.dead_letter_queue = "dlq"}));
  }

  void open(const std::filesystem::path& archive) {
    engine_.reset();
    engine_.emplace(
        must(Engine::open(std::make_unique<DamagedStore>(must(open_memory_store(disk_)), damage_),
                          {.clock = &clock_, .background = false, .archive_directory = archive})));
    run_due_until_quiet(*engine_, clock_);
  }

  void kill(const std::string& body) {
    must(engine_->send("orders", {.body = body, .attributes = {{"k", std::string("\0\xff", 2)}}}));
    must(engine_->reject(must(engine_->receive("orders")).at(0).receipt, {.reason = "bad \xff bytes"}));
  }
  void abandon(const std::string& reason = "bad") {
    must(engine_->change_dead_letters("dlq", {.filter = {.reason = reason}},
                                      {.status = DeadLetterStatus::kAbandoned}));
  }
  void pass(Duration time) {
    clock_.advance(time);
    run_due_until_quiet(*engine_, clock_);
  }
  std::vector<DeadLetter> all(bool history = true) {
    return must(engine_->list_dead_letters("dlq", {.filter = {.history = history}, .bodies = true})).items;
  }

  std::vector<DeadLetter> archived() {
    for (const auto& entry : std::filesystem::directory_iterator(archive_.path()))
      EXPECT_TRUE(entry.path().filename().string().starts_with("dlq-20")) << entry.path();
    return read_archive(archive_.path());
  }

  ManualClock clock_;
  TempDir archive_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  std::shared_ptr<Damage> damage_ = std::make_shared<Damage>();
  std::optional<Engine> engine_;
};

// Neither archived while it is held, again and again, nor in the way of what may go.
TEST_F(Retention, WaitsForWhatIsHeldAndTakesTheRest) {
  constexpr std::size_t kHeld = 300;
  must(engine_->alter_queue("dlq", {.keep_abandoned = 1h}));
  for (std::size_t i = 0; i < kHeld + 50; ++i) kill("x");
  abandon();
  std::vector<Receipt> held;
  for (const Delivery& delivery : must(engine_->receive("dlq", {.max = kHeld, .lease = 12h})))
    held.push_back(delivery.receipt);
  ASSERT_EQ(held.size(), kHeld);
  pass(1h);
  for (int minute = 0; minute < 10; ++minute) pass(1min);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, kHeld);
  EXPECT_EQ(archived().size(), 50U);
  for (const auto& acked : engine_->ack_batch(held)) must(acked);
  pass(1h);
  EXPECT_EQ(archived().size(), 50U);
}

TEST_F(Retention, ArchivesWhatWasAbandonedForLongEnoughAndDeletesIt) {
  kill("a");
  kill("b");
  must(engine_->change_dead_letters("dlq", {.filter = {.seqs = {all()[0].seq}}},
                                    {.status = DeadLetterStatus::kAbandoned}));
  const DeadLetter expected = all()[0];
  pass(24h - 1us);
  EXPECT_EQ(all().size(), 2U);
  pass(1us);
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all()[0].body, "b");
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 1U);
  const auto letters = archived();
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].record, expected.record);
  EXPECT_EQ(letters[0].triage, expected.triage);
  EXPECT_EQ(letters[0].body, "a");
  EXPECT_EQ(letters[0].attributes, expected.attributes);
}

TEST_F(Retention, KeepsWhatNobodyResolved) {
  kill("a");
  pass(24h * 365 * 10);
  EXPECT_EQ(all().size(), 1U);
  EXPECT_TRUE(archived().empty());
}

TEST_F(Retention, TakesHistoryToo) {
  kill("a");
  must(engine_->discard_dead_letters("dlq", {.all = true}));
  EXPECT_EQ(all().size(), 1U);
  pass(24h);
  EXPECT_TRUE(all().empty());
  ASSERT_EQ(archived().size(), 1U);
  EXPECT_TRUE(archived()[0].history);
}

TEST_F(Retention, TakesRecordsOfReplayedOnesWithTheirOutcomeAndOriginal) {
  must(engine_->alter_queue("dlq", {.keep_replayed = 48h}));
  kill("a");
  must(engine_->redrive("dlq", {.edit = {.body = "b"}}));
  must(engine_->ack(must(engine_->receive("orders")).at(0).receipt));
  pass(48h - 1us);
  EXPECT_EQ(all().size(), 1U);
  pass(1us);
  EXPECT_TRUE(all().empty());
  const auto letters = archived();
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].original->body, "a");
  EXPECT_EQ(letters[0].triage.status, DeadLetterStatus::kReplayed);
  must(engine_->close());
  engine_.reset();
  const auto store = must(open_memory_store(disk_));
  EXPECT_FALSE(store->scan(Family::kDeadLetters, {}, std::string(32, '\xff'))->valid());
  EXPECT_FALSE(store->scan(Family::kHistory, {}, std::string(32, '\xff'))->valid());
  EXPECT_FALSE(store->scan(Family::kDeadLetterIndex, {}, std::string(32, '\xff'))->valid());
  EXPECT_FALSE(store->scan(Family::kDeadLetterIds, {}, std::string(32, '\xff'))->valid());
}

TEST_F(Retention, GoesOnAfterAnOpening) {
  kill("a");
  abandon();
  open(archive_.path());
  pass(24h);
  EXPECT_TRUE(all().empty());
}

TEST_F(Retention, LeavesWhatAConsumerHas) {
  kill("a");
  abandon();
  const Delivery leased = must(engine_->receive("dlq", {.lease = 12h})).at(0);
  clock_.advance(6h);
  must(engine_->extend(leased.receipt, 12h));
  clock_.advance(11h);
  must(engine_->extend(leased.receipt, 12h));
  pass(11h);
  EXPECT_EQ(all().size(), 1U);
  pass(1h + 1min);
  EXPECT_TRUE(all().empty());
}

TEST_F(Retention, WithoutAnArchiveDeletesNothing) {
  kill("a");
  abandon();
  open({});
  pass(24h * 400);
  EXPECT_EQ(all().size(), 1U);
}

TEST_F(Retention, AnArchiveComesBackWithTheSameIds) {
  for (int i = 0; i < 3; ++i) kill(std::to_string(i));
  abandon();
  const auto before = all();
  pass(24h);
  auto letters = archived();
  ASSERT_EQ(letters.size(), 3U);
  EXPECT_EQ(must(engine_->import_dead_letters("dlq", letters)), (DeadLettersImported{.imported = 3}));
  EXPECT_EQ(must(engine_->import_dead_letters("dlq", letters)), (DeadLettersImported{.duplicates = 3}));
  const auto after = all();
  ASSERT_EQ(after.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after[i].id, before[i].id);
    EXPECT_EQ(after[i].record, before[i].record);
    EXPECT_EQ(after[i].body, before[i].body);
  }
  EXPECT_EQ(must(engine_->redrive("dlq", {.filter = {.status = DeadLetterStatus::kAbandoned}})).moved, 3U);
  EXPECT_EQ(must(engine_->receive("orders")).at(0).id, before[0].record.message_id);
}

TEST_F(Retention, WhatWasImportedStaysForAsLongAsWhatIsNew) {
  kill("a");
  abandon();
  pass(24h);
  must(engine_->import_dead_letters("dlq", archived()));
  pass(23h);
  EXPECT_EQ(all(false).size(), 1U);
  pass(1h);
  EXPECT_EQ(all(false).size(), 0U);
}

TEST(ArchiveLine, RefusesWhatIsMalformed) {
  DeadLetter letter;
  letter.body = "x";
  const std::string line = archive_line("dlq", letter);
  EXPECT_EQ(must(parse_archive_line(line)).body, "x");
  letter.redacted = {"body"};
  for (const std::string& text :
       {archive_line("dlq", letter), std::string(), std::string("{}"), std::string("[]"),
        line.substr(0, line.size() / 2), std::string(R"({"format":1,"record_base64":"!!!!"})"),
        std::string(R"({"format":2})")}) {
    EXPECT_THAT(parse_archive_line(text), FailsWith(ErrorCode::kInvalidArgument)) << text;
  }
}

TEST(ArchiveFile, ATornFrameIsLeftOut) {
  const std::string whole = must(compress_lines({"a", "b"}));
  const std::string next = must(compress_lines({"c"}));
  EXPECT_EQ(must(decompress(whole + next)).lines, "a\nb\nc\n");
  EXPECT_FALSE(must(decompress(whole + next)).torn);
  for (std::size_t cut = 0; cut < next.size(); ++cut) {
    const ArchiveText text = must(decompress(whole + next.substr(0, cut)));
    EXPECT_EQ(text.lines, "a\nb\n");
    EXPECT_EQ(text.torn, cut > 0) << cut;
  }
  EXPECT_THAT(decompress(""), FailsWith(ErrorCode::kCorruption));
}

// What must be read for it is read after the change, so that a failure to read may not undo that.
TEST(RetentionReads, ThatFailLeaveTheChangeBeforeThemAsItIs) {
  std::uint64_t tried = 0;
  for (std::uint64_t nth = 1; nth < 60; ++nth) {
    SCOPED_TRACE("read " + std::to_string(nth));
    ManualClock clock;
    const TempDir archive;
    const auto disk = std::make_shared<MemoryDisk>(1);
    Engine engine =
        must(Engine::open(must(open_memory_store(disk)),
                          {.clock = &clock, .background = false, .archive_directory = archive.path()}));
    must(engine.create_queue("dlq"));
    must(engine.create_queue("orders", {.dead_letter_queue = "dlq"}));
    for (int i = 0; i < 10; ++i) {
      must(engine.send("orders", {.body = "x"}));
      must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
    }
    must(engine.start_redrive("dlq", {.max = 2}));
    disk->fail_read(nth, ErrorCode::kStorageFailed);
    for (int i = 0; i < 10; ++i) advance(engine, clock, 1s);
    if (!engine.health().writes) continue;  // what a commit needs is read as part of it
    const std::uint64_t redriven = must(engine.describe_queue("dlq")).totals.redriven;
    EXPECT_LE(redriven, 2U);
    EXPECT_EQ(must(engine.list_redrives()).at(0).moved, redriven);
    ++tried;
  }
  EXPECT_GT(tried, 30U);
}

TEST_F(Retention, FreesAGroupForAReceiveThatWaits) {
  must(engine_->alter_queue("dlq", {.grouping = Grouping::kOrdered, .keep_abandoned = 30min}));
  kill("first");
  kill("second");
  const Delivery first = must(engine_->receive("dlq")).at(0);
  EXPECT_TRUE(must(engine_->receive("dlq")).empty());  // its group is held
  must(engine_->release(first.receipt, {.delay = 12h, .count = false}));
  must(engine_->change_dead_letters("dlq", {.filter = {.ids = {first.id}}},
                                    {.status = DeadLetterStatus::kAbandoned}));
  Answer<Result<Deliveries>> waited;
  engine_->async_receive("dlq", {.wait = 1h}, waited.callback());
  for (int half_hour = 0; half_hour < 2; ++half_hour) {
    clock_.advance(30min);
    engine_->run_due();
  }
  const auto deliveries = must(waited.get());
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].body, "second");
}

// One process may have many queues that come and go.
TEST_F(Retention, KeepsFewFilesOpen) {
  const auto open_files = [] {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
  };
  ArchiveWriter archive(archive_.path());
  must(archive.append("first", {"{}"}, clock_.now()));
  const auto before = open_files();
  for (int i = 0; i < 200; ++i) {
    clock_.advance(1s);
    must(archive.append("queue" + std::to_string(i), {"{}"}, clock_.now()));
  }
  EXPECT_LT(open_files(), before + 100);
}

TEST_F(Retention, ARelativeDirectoryStaysWhereItWas) {
  const TempDir home;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(home.path());
  ArchiveWriter archive("archive");
  std::filesystem::current_path(before);
  must(archive.append("queue", {"{}"}, clock_.now()));
  EXPECT_TRUE(std::filesystem::is_directory(home / "archive"));
}

TEST_F(Retention, WhatCannotBeReadStaysAndHoldsUpNoOthers) {
  kill("damaged");
  kill("whole");
  abandon();
  const Seq damaged = all()[0].seq;
  open(archive_.path());  // with an empty cache
  damage_->add(Family::kMessages, keys::queue_seq(must(engine_->describe_queue("dlq")).id, damaged));
  pass(24h);
  EXPECT_EQ(must(engine_->describe_queue("dlq")).counts.dead, 1U);
  ASSERT_EQ(archived().size(), 1U);
  EXPECT_EQ(archived()[0].body, "whole");
  damage_->repair();
  pass(1min);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(archived().size(), 2U);
}

TEST_F(Retention, WhatCannotBeArchivedStays) {
  const auto blocked = archive_.path() / "file";
  std::ofstream(blocked) << "in the way";
  open(blocked / "archive");
  kill("a");
  abandon();
  pass(24h);
  EXPECT_EQ(all(false).size(), 1U);
  std::filesystem::remove(blocked);
  for (int minute = 0; minute < 3; ++minute) pass(1min);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(read_archive(blocked / "archive").size(), 1U);
}

}  // namespace
}  // namespace holdfast::testing
