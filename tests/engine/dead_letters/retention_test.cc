// Retention: what is resolved stays for a time, is archived, and goes; and comes back by import.
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <fstream>

#include "engine/codec/dead_letters/archive_line.h"
#include "engine/codec/encoding/json.h"
#include "engine/codec/encoding/keys.h"
#include "engine/engine/inside.h"
#include "engine/storage/files/archive_file.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/answer.h"
#include "tests/support/archive.h"
#include "tests/support/damaged_store.h"
#include "tests/support/dead_letter_audit.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class Retention : public ::testing::Test {
 protected:
  Retention() {
    open(archive_.path());
    must(engine_->create_queue("dlq", {.keep_abandoned = 24h}));
    must(engine_->create_queue("orders", {.dead_letter_queue = "dlq"}, MissingQueues::kCreate));
  }

  void open(const std::filesystem::path& archive) {
    engine_.reset();
    engine_.emplace(
        must(EngineInside::open_over(std::make_unique<DamagedStore>(must(open_memory_store(disk_)), damage_),
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
  void investigate() {
    must(engine_->change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kInvestigating}));
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
  for (const auto& acked : must(engine_->ack_batch(held))) must(acked);
  pass(1h);
  EXPECT_EQ(archived().size(), 50U);
}

// From the ack on, as what was redriven.
TEST_F(Retention, WhatWasAcknowledgedGoesWithItsHistory) {
  must(engine_->alter_queue("dlq", {.keep_replayed = 48h}));
  kill("x");
  pass(24h);
  must(engine_->ack(must(engine_->receive("dlq")).at(0).receipt));
  pass(47h);
  EXPECT_EQ(all().size(), 1U);
  open(archive_.path());  // and the clock of it outlives the engine
  pass(1h);
  EXPECT_TRUE(all().empty());
  const auto lines = archived();
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].history);
  EXPECT_EQ(lines[0].triage.audit.back().action, "acknowledged");
}

TEST_F(Retention, WhatNobodyResolvedGoesOnlyIfThatIsWanted) {
  kill("old");
  investigate();
  pass(24h * 1000);
  EXPECT_EQ(all().size(), 1U);
  must(engine_->alter_queue("dlq", {.keep_unresolved = 24h * 1000 + 1h}));
  kill("young");
  investigate();
  pass(1h);
  ASSERT_EQ(all().size(), 1U);
  EXPECT_EQ(all().at(0).body, "young");
  ASSERT_EQ(archived().size(), 1U);
  EXPECT_EQ(archived().at(0).body, "old");
  // Of one that comes later without anybody looking at the options, too.
  pass(24h * 1000);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(archived().size(), 2U);
}

// So that nothing else that is due waits for all of it.
TEST_F(Retention, TakesABoundedNumberAtATime) {
  constexpr std::size_t kLetters = 2'000;
  for (const auto& sent : must(engine_->send_batch("orders", std::vector<Message>(kLetters, {.body = "x"}))))
    must(sent);
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : must(engine_->receive("orders", {.max = kLetters})))
    receipts.push_back(delivery.receipt);
  for (const auto& rejected : must(engine_->reject_batch(receipts, {.reason = "bad"}))) must(rejected);
  abandon();
  const auto dead = [&] { return must(engine_->describe_queue("dlq")).counts.dead; };
  ASSERT_EQ(dead(), kLetters);
  clock_.advance(24h);
  EXPECT_LE(engine_->run_due(), clock_.now());
  EXPECT_LT(dead(), kLetters);
  EXPECT_GT(dead(), kLetters / 2);
  run_due_until_quiet(*engine_, clock_);
  EXPECT_EQ(dead(), 0U);
  EXPECT_EQ(archived().size(), kLetters);
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

// Its death alone would have it archived at once, and its next import undone in the same way.
TEST_F(Retention, WhatWasImportedUnresolvedIsKeptFromItsImportOn) {
  must(engine_->alter_queue("dlq", {.keep_unresolved = 24h}));
  kill("a");
  pass(24h);
  ASSERT_TRUE(all().empty());
  must(engine_->import_dead_letters("dlq", archived()));
  kill("b");
  pass(23h);
  EXPECT_EQ(all(false).size(), 2U);
  open(archive_.path());
  pass(59min);
  EXPECT_EQ(all(false).size(), 2U);
  pass(1min);
  EXPECT_TRUE(all(false).empty());
}

TEST_F(Retention, WhatWasTakenUpIsKeptFromThenOn) {
  must(engine_->alter_queue("dlq", {.keep_unresolved = 24h}));
  kill("a");
  pass(23h);
  investigate();
  pass(23h);
  EXPECT_EQ(all(false).size(), 1U);
  pass(1h);
  EXPECT_TRUE(all(false).empty());
  must(engine_->import_dead_letters("dlq", archived()));
  pass(23h);
  EXPECT_EQ(all(false).size(), 1U);
  pass(1h);
  EXPECT_TRUE(all(false).empty());
}

// An import stands in nobody's way: what died after those letters goes when its own time is over.
TEST_F(Retention, WhatWasImportedHoldsUpNothingElse) {
  must(engine_->alter_queue("dlq", {.keep_unresolved = 24h}));
  kill("old");
  pass(20h);
  kill("young");
  pass(4h);
  must(engine_->import_dead_letters("dlq", archived()));
  pass(20h);
  ASSERT_EQ(all(false).size(), 1U);
  EXPECT_EQ(all(false).at(0).body, "old");
}

// More than a step looks at are in the way, of two statuses, and are read once for all that go behind them.
TEST_F(Retention, HoweverManyWereTakenUpLatelyWhatDiedAfterThemGoes) {
  constexpr std::size_t kInTheWay = 4500;
  must(engine_->alter_queue("dlq", {.keep_unresolved = 24h}));
  const auto kill_many = [&](std::size_t count, const std::string& reason) {
    must(engine_->send_batch("orders", std::vector<Message>(count, {.body = "x"})));
    for (;;) {
      std::vector<Receipt> receipts;
      for (const Delivery& delivery : must(engine_->receive("orders", {.max = 1000})))
        receipts.push_back(delivery.receipt);
      if (receipts.empty()) break;
      for (const auto& one : must(engine_->reject_batch(receipts, {.reason = reason}))) must(one);
    }
  };
  const auto change = [&](const std::string& reason, DeadLetterStatus status) {
    must(engine_->change_dead_letters("dlq", {.filter = {.reason = reason}}, {.status = status}));
  };
  kill_many(kInTheWay, "first");
  kill_many(kInTheWay, "second");
  pass(1h);
  kill_many(600, "third");
  kill_many(600, "fourth");
  change("fourth", DeadLetterStatus::kInvestigating);
  pass(22h);
  change("first", DeadLetterStatus::kInvestigating);
  change("second", DeadLetterStatus::kInvestigating);
  change("second", DeadLetterStatus::kFixed);
  pass(2h + 1min);
  const auto groups = must(engine_->group_dead_letters("dlq", {.by = DeadLetterGrouping::kStatus}));
  EXPECT_EQ(groups.total, 2 * kInTheWay);
}

DeadLetter letter_of(std::string_view body) {
  DeadLetter letter;
  letter.body = body;
  return letter;
}

TEST(ArchiveLine, RefusesWhatIsMalformed) {
  DeadLetter letter = letter_of("x");
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
  const auto torn = [](std::string_view bytes) { return must(ArchiveReader::open(bytes)).torn(); };
  EXPECT_EQ(lines_of(whole + next), "a\nb\nc\n");
  EXPECT_FALSE(torn(whole + next));
  for (std::size_t cut = 0; cut < next.size(); ++cut) {
    const std::string bytes = whole + next.substr(0, cut);
    EXPECT_EQ(lines_of(bytes), "a\nb\n");
    EXPECT_EQ(torn(bytes), cut > 0) << cut;
  }
  EXPECT_THAT(ArchiveReader::open(""), FailsWith(ErrorCode::kCorruption));
}

TEST(ArchiveFile, NothingIsTakenOfADamagedOne) {
  const std::string bytes = must(compress_lines({"a"})) + "no frame";
  EXPECT_THAT(ArchiveReader::open(bytes), FailsWith(ErrorCode::kCorruption));
}

TEST(ArchiveFile, AFlippedBitIsNamed) {
  const std::vector<std::string> texts{archive_line("dlq", letter_of("first")),
                                       archive_line("dlq", letter_of("second"))};
  std::string bytes = must(compress_lines({texts[0]})) + must(compress_lines({texts[1]}));
  const std::string lines = lines_of(bytes);
  const auto harms = [&] {
    const auto reader = ArchiveReader::open(bytes);
    if (!reader || reader->torn() || lines_of(bytes) == lines) return false;
    // What does not begin as a frame does is read as lines, and these are none.
    bool refused = false;
    must(reader->for_each_line([&](std::string_view line) {
      refused = refused || !parse_archive_line(line);
      return Result<void>();
    }));
    return !refused;
  };
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    char& byte = bytes[bit / 8];
    const char before = byte;
    byte = static_cast<char>(byte ^ (1 << (bit % 8)));
    EXPECT_FALSE(harms()) << "bit " << bit;
    byte = before;
  }
}

TEST(ArchiveFile, ALineMayGoOnInTheNextFrameAndNeedsNoEnd) {
  EXPECT_EQ(
      lines_of(repeating_frame('a', 1) + must(compress_lines({"b", "", "c"})) + repeating_frame('d', 2)),
      std::string(128 << 10, 'a') + "b\n\nc\n" + std::string(256 << 10, 'd') + "\n");
  EXPECT_EQ(lines_of("plain\n\nlines"), "plain\n\nlines\n");
}

// 32 KiB that stand for a GiB.
TEST(ArchiveFile, OfALineThatIsTooLongNoMoreIsKeptThanShowsIt) {
  const std::string bytes = repeating_frame('x', 8192) + must(compress_lines({"", "next"}));
  std::vector<std::size_t> sizes;
  must(must(ArchiveReader::open(bytes)).for_each_line([&sizes](std::string_view line) {
    if (sizes.empty()) {
      EXPECT_THAT(parse_archive_line(line), FailsWith(ErrorCode::kInvalidArgument));
    }
    sizes.push_back(line.size());
    return Result<void>();
  }));
  EXPECT_THAT(sizes, ::testing::ElementsAre(limits::kArchiveLineBytes + 1, 4U));
}

TEST(ArchiveFile, AnErrorEndsTheReading) {
  int taken = 0;
  const std::string bytes = must(compress_lines({"a", "b", "c"}));
  EXPECT_THAT(must(ArchiveReader::open(bytes)).for_each_line([&taken](std::string_view) -> Result<void> {
    if (++taken < 2) return {};
    return fail(ErrorCode::kDiskFull, "full");
  }),
              FailsWith(ErrorCode::kDiskFull));
  EXPECT_EQ(taken, 2);
}

// Each value takes far more memory than it has bytes in the line.
TEST(ArchiveLine, RefusesMoreValuesThanOneCanHave) {
  std::string line = R"({"format":1,"attributes_base64":["")";
  for (int i = 0; i < 200'000; ++i) line += R"(,"")";
  const auto refused = parse_archive_line(line + "]}");
  ASSERT_THAT(refused, FailsWith(ErrorCode::kInvalidArgument));
  EXPECT_THAT(refused.error().message, ::testing::HasSubstr("has more than 100000 values"));
}

// A letter with something of everything.
DeadLetter full_letter() {
  DeadLetter letter = letter_of(R"({"quantity": 0})");
  letter.attributes = {{.name = "customer", .value = "4711"},
                       {.name = "k", .value = std::string("\0\xff", 2)}};
  FailureRecord& record = letter.record;
  record.source_queue = "orders";
  record.category = "validation";
  record.reason = "quantity must be > 0";
  record.stack_trace = "main\nparse";
  record.causes = {{.code = "E1", .message = "zero"}};
  record.partial_output = "half";
  record.attempts.kept = {{.failed_at = kTestEpoch, .failure = {.reason = "no answer"}}};
  record.first_death.emplace().reason = "the first time";
  letter.triage.notes = {{.at = kTestEpoch, .actor = "ann", .text = "called them"}};
  letter.triage.audit = {{.at = kTestEpoch, .actor = "ann", .action = "assigned to ann"}};
  letter.original.emplace().body = "\xff";
  return letter;
}

TEST(ArchiveLine, SaysAllThatIsKnownInTheClear) {
  const DeadLetter letter = full_letter();
  const std::string line = archive_line("dlq", letter);
  const Json json = parse_json(line);
  EXPECT_EQ(json.at("body"), R"({"quantity": 0})");
  EXPECT_EQ(json.at("attributes").at(0).at("value"), "4711");
  EXPECT_EQ(json.at("attributes").at(1).at("value_base64"), "AP8=");
  EXPECT_EQ(json.at("reason"), "quantity must be > 0");
  EXPECT_EQ(json.at("stack_trace"), "main\nparse");
  EXPECT_EQ(json.at("causes").at(0).at("message"), "zero");
  EXPECT_EQ(json.at("partial_output"), "half");
  EXPECT_EQ(json.at("attempts").at(0).at("failure").at("reason"), "no answer");
  EXPECT_EQ(json.at("first_death").at("reason"), "the first time");
  EXPECT_EQ(json.at("triage").at("notes").at(0).at("text"), "called them");
  EXPECT_EQ(json.at("triage").at("audit").at(0).at("action"), "assigned to ann");
  EXPECT_EQ(json.at("original_body_base64"), "/w==");
  EXPECT_EQ(must(parse_archive_line(line)), letter);
}

// What says the same in base64 is read too: lines that were written before, and those that would be too long.
TEST(ArchiveLine, MayHaveEverythingInBase64) {
  const DeadLetter letter = full_letter();
  Json json = parse_json(archive_line("dlq", letter));
  json.erase("body");
  json["body_base64"] = "eyJxdWFudGl0eSI6IDB9";
  json.erase("attributes");
  json["attributes_base64"] = {"Y3VzdG9tZXI=", "NDcxMQ==", "aw==", "AP8="};
  EXPECT_EQ(must(parse_archive_line(dump_json(json))), letter);
}

TEST(ArchiveLine, ATextIsReadWhateverItsCharacters) {
  for (const std::string& body : {std::string("\0\x01\x7f\"\\/", 6), std::string("größe, [{\n\t"),
                                  std::string(), std::string(1000, '"'), std::string(100'001, ',')}) {
    const DeadLetter letter = letter_of(body);
    EXPECT_EQ(must(parse_archive_line(archive_line("dlq", letter))).body, body);
  }
}

// Its reason is all commas, and its other texts are six times as long as text.
TEST(ArchiveLine, OfTheLargestLetterIsRead) {
  DeadLetter letter;
  letter.body.assign(limits::kBodyBytesMax, '\xff');
  letter.original.emplace().body = letter.body;
  letter.attributes = letter.original->attributes = Attributes(
      limits::kAttributes,
      {.name = "n", .value = std::string(limits::kAttributesTotalBytes / limits::kAttributes - 1, 'v')});
  FailureRecord& record = letter.record;
  record.reason.assign(limits::kReasonBytes, ',');
  record.stack_trace.assign(limits::kStackTraceBytes, '\x01');
  record.partial_output.assign(limits::kPartialOutputBytes, '\x01');
  record.causes.assign(limits::kNestedErrors, {.message = std::string(limits::kNestedErrorBytes, '\x01')});
  record.attempts.kept.assign(limits::kFirstAttempts + limits::kLastAttempts, {});
  letter.triage.notes.assign(limits::kTriageNotes, {.text = std::string(limits::kNoteBytes, '\x01')});
  letter.triage.audit.assign(limits::kAuditEntries, {.action = std::string(limits::kNoteBytes, '\x01')});
  const std::string line = archive_line("dlq", letter);
  EXPECT_LE(line.size(), limits::kArchiveLineBytes);
  EXPECT_GT(line.size(), limits::kArchiveLineBytes - (1 << 20));
  const DeadLetter again = must(parse_archive_line(line));
  EXPECT_TRUE(again.body == letter.body);
  EXPECT_TRUE(again.record == record);
}

// What must be read for it is read after the change, so that a failure to read may not undo that.
TEST(RetentionReads, ThatFailLeaveTheChangeBeforeThemAsItIs) {
  std::uint64_t tried = 0;
  for (std::uint64_t nth = 1; nth < 60; ++nth) {
    SCOPED_TRACE("read " + std::to_string(nth));
    ManualClock clock;
    const TempDir archive;
    const auto disk = std::make_shared<MemoryDisk>(1);
    Engine engine = must(
        EngineInside::open_over(must(open_memory_store(disk)),
                                {.clock = &clock, .background = false, .archive_directory = archive.path()}));
    must(engine.create_queue("dlq"));
    must(engine.create_queue("orders", {.dead_letter_queue = "dlq"}, MissingQueues::kCreate));
    for (int i = 0; i < 10; ++i) {
      must(engine.send("orders", {.body = "x"}));
      must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
    }
    must(engine.redrive("dlq", {.max = 2, .wait = false}));
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

// Stands still until it is let go: from then on each look at it takes a day, so that its engine's own thread
// has no reason to rest.
class HurryingClock final : public Clock {
 public:
  Timestamp now() const override {
    if (!going_) return kTestEpoch;
    const int looks = ++looks_;
    looks_.notify_all();
    return kTestEpoch + looks * 24h;
  }
  Duration steady() const override { return looks_.load() * 24h; }
  void let_go() { going_ = true; }
  void wait_for_looks(int looks) const {
    for (int seen = looks_; seen < looks; seen = looks_) looks_.wait(seen);
  }

 private:
  std::atomic<bool> going_ = false;
  mutable std::atomic<int> looks_ = 0;
};

TEST(RetentionInTheBackground, ArchivesNothingAgainAfterAFailedWrite) {
  HurryingClock clock;
  const TempDir archive;
  const auto disk = std::make_shared<MemoryDisk>(1);
  Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)),
                                               {.clock = &clock, .archive_directory = archive.path()}));
  must(engine.create_queue("dlq", {.keep_abandoned = 1us}));
  must(engine.create_queue("orders", {.dead_letter_queue = "dlq"}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "x"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  must(engine.discard_dead_letters("dlq", {.all = true}));
  disk->fail_commit(1, CommitOutcome::kFailed);
  clock.let_go();
  clock.wait_for_looks(300);
  EXPECT_THAT(engine.health().writes, FailsWith(ErrorCode::kStorageFailed));
  (void)engine.close();
  EXPECT_LE(read_archive(archive.path()).size(), 1U);
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

// While it lives, no file of this process grows beyond so many bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    (void)::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  sighandler_t handler_;
  rlimit before_{};
};

TEST_F(Retention, LeavesNoFileOfTriesThatFail) {
  kill("a");
  abandon();
  {
    const FileSizeLimit full(16);
    pass(24h);
    for (int minute = 0; minute < 3; ++minute) pass(1min);
  }
  EXPECT_TRUE(std::filesystem::is_empty(archive_.path()));
  EXPECT_EQ(all().size(), 1U);
  pass(1min);
  EXPECT_TRUE(all().empty());
  EXPECT_EQ(archived().size(), 1U);
}

TEST_F(Retention, KeepsTheFileInWhichOnlyTheLastTryFails) {
  ArchiveWriter archive(archive_.path());
  must(archive.append("dlq", {"{}"}, clock_.now()));
  {
    const FileSizeLimit full(16);
    EXPECT_THAT(archive.append("dlq", {std::string(100, ' ') + "{}"}, clock_.now()),
                FailsWith(ErrorCode::kStorageFailed));
  }
  const std::filesystem::directory_iterator files(archive_.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(RetentionDirectory, IsThatOfTheDataWhereALinkLeadsElsewhere) {
  const TempDir temp;
  std::filesystem::create_directories(temp / "a" / "deep");
  std::filesystem::create_directory_symlink(temp / "a" / "deep", temp / "link");
  ManualClock clock;
  Engine engine = must(Engine::open(temp / "link" / ".." / "data", {.clock = &clock, .background = false}));
  must(engine.create_queue("dlq", {.keep_abandoned = 24h}));
  must(engine.create_queue("orders", {.dead_letter_queue = "dlq"}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "x"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  must(engine.change_dead_letters("dlq", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  advance(engine, clock, 24h);
  EXPECT_EQ(read_archive(temp / "a" / "data" / "archive").size(), 1U);
  EXPECT_FALSE(std::filesystem::exists(temp / "data"));
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
