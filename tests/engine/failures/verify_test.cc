// Every defect that verify knows, planted in a sound store.
#include "engine/verify/verify.h"
#include "engine/engine/engine_inside.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/codec/rows/chunk.h"
#include "engine/codec/rows/dedup_row.h"
#include "engine/codec/rows/delivery_row.h"
#include "engine/codec/rows/journal_row.h"
#include "engine/codec/rows/redrive_task.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/codec/rows/request_row.h"
#include "engine/core/seq_math.h"
#include "engine/storage/memory/memory_store.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr QueueId kDlq{1};
constexpr QueueId kOrders{2};

// A queue with messages in every state, whose dead letter queue has two.
class VerifyTest : public ::testing::Test {
 protected:
  VerifyTest() {
    {
      Engine engine = must(
          EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false}));
      must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
      must(engine.send_batch("orders", std::vector<Message>(10, {.body = "x"})));
      must(engine.send_batch("orders", std::vector<Message>(5, {.body = "y"})));
      const Deliveries handed = must(engine.receive("orders", {.max = 5}));
      must(engine.reject(handed[0].receipt, {.reason = "bad"}));
      must(engine.reject(handed[1].receipt, {.reason = "bad"}));
      must(engine.ack(handed[2].receipt));
      must(engine.release(handed[3].receipt));
      must(engine.close());
    }
    store_ = must(open_memory_store(disk_));
  }

  void put(Family family, std::string_view key, std::string_view value) {
    const auto batch = store_->new_batch();
    batch->put(family, key, value);
    ASSERT_EQ(store_->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
  }
  void remove(Family family, std::string_view key) {
    const auto batch = store_->new_batch();
    batch->remove(family, key);
    ASSERT_EQ(store_->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
  }
  void remove_once(Family family, std::string_view key) {
    const auto batch = store_->new_batch();
    batch->remove_once(family, key);
    ASSERT_EQ(store_->commit(*batch, Durability::kFsync).outcome, CommitOutcome::kCommitted);
  }
  std::string row(Family family, std::string_view key) { return must(store_->get(family, key)).value(); }
  std::string first_chunk(QueueId queue) { return keys::queue_seq(queue, Seq{1}); }

  void change_checkpoint(QueueId queue, const std::function<void(QueueCheckpoint&)>& change) {
    QueueCheckpoint checkpoint =
        must(decode_queue_checkpoint(row(Family::kCatalog, keys::queue_checkpoint(queue))));
    change(checkpoint);
    std::string changed;
    encode_queue_checkpoint(checkpoint, changed);
    put(Family::kCatalog, keys::queue_checkpoint(queue), changed);
  }

  // Checks that verify has findings, and that one of them is of this kind and names `where`.
  void expect(const std::string& kind, const std::string& where) {
    const VerifyReport report = verify_store(*store_);
    EXPECT_GT(report.found, 0U);
    EXPECT_EQ(report.found, report.findings.size());
    EXPECT_THAT(report.findings, Contains(::testing::AllOf(Field(&Finding::kind, kind),
                                                           Field(&Finding::where, HasSubstr(where)))));
  }

  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  std::unique_ptr<Store> store_;
};

TEST_F(VerifyTest, FindsNothingInASoundStore) {
  const VerifyReport report = verify_store(*store_);
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.queues, 2U);
  EXPECT_EQ(report.messages, 14U);
}

TEST_F(VerifyTest, FormatRow) {
  remove(Family::kCatalog, keys::kFormatRow);
  expect("format_missing", "catalog");
  put(Family::kCatalog, keys::kFormatRow, encode_format_row(kFormatVersion + 1));
  expect("format_unknown", "catalog");
}

TEST_F(VerifyTest, AllocationRow) {
  remove(Family::kCatalog, keys::kAllocationRow);
  expect("allocation_missing", "catalog");
  put(Family::kCatalog, keys::kAllocationRow, encode_allocation_row({.next_queue_id = 2}));
  expect("id_not_allocated", "'orders'");
}

TEST_F(VerifyTest, CatalogRows) {
  remove(Family::kCatalog, keys::queue_checkpoint(kOrders));
  expect("checkpoint_missing", "'orders'");
  put(Family::kCatalog, keys::queue_checkpoint(kOrders), "\xff");
  expect("undecodable", "'orders'");
  remove(Family::kCatalog, keys::queue_definition(kDlq));
  expect("definition_missing", "id 1");
  expect("dead_letter_queue_missing", "'orders'");
}

TEST_F(VerifyTest, DeadLetterCycle) {
  QueueDefinition definition =
      must(decode_queue_definition(row(Family::kCatalog, keys::queue_definition(kDlq))));
  definition.options.dead_letters.queue = "orders";
  put(Family::kCatalog, keys::queue_definition(kDlq), encode_queue_definition(definition));
  expect("dead_letter_cycle", "'orders'");
}

TEST_F(VerifyTest, Journals) {
  MessageId message;
  message.bytes[0] = 1;
  const std::string step = encode_journal_row({.at = clock_.now()});
  put(Family::kJournal, keys::journal(kOrders, 3, message, 1), step);
  expect("stray_rows", "journal: queue 'orders'");
  change_checkpoint(kOrders,
                    [](QueueCheckpoint& checkpoint) { checkpoint.journal = {{.number = 3, .entries = 1}}; });
  EXPECT_THAT(verify_store(*store_).findings, IsEmpty());
  put(Family::kJournal, keys::journal(kOrders, 3, message, 2), step);
  expect("count_wrong", "journal: queue 'orders'");
  put(Family::kJournal, keys::journal(kOrders, 3, message, 2), "\xff");
  expect("undecodable", "journal: queue 'orders'");
  put(Family::kJournal, keys::journal(QueueId{77}, 3, message, 1), step);
  expect("stray_rows", "id 77");
}

TEST_F(VerifyTest, AMissingChunk) {
  remove_once(Family::kMessages, first_chunk(kOrders));
  expect("chunk_missing", "deliveries: queue 'orders' (id 2), seq 1");
}

TEST_F(VerifyTest, AChunkThatDoesNotDecode) {
  remove_once(Family::kMessages, first_chunk(kOrders));
  put(Family::kMessages, keys::queue_seq(kOrders, Seq{5}), "rubbish");
  expect("undecodable", "messages: queue 'orders' (id 2), seq 5");
}

TEST_F(VerifyTest, ChunksThatOverlapOrEndPastTheLog) {
  put(Family::kMessages, keys::queue_seq(kOrders, Seq{12}), row(Family::kMessages, first_chunk(kOrders)));
  expect("chunk_overlap", "seq 12");
  expect("chunk_past_end", "seq 12");
}

TEST_F(VerifyTest, AMissingOrWrongState) {
  const std::string state = row(Family::kDeliveries, first_chunk(kOrders));
  remove(Family::kDeliveries, first_chunk(kOrders));
  expect("state_missing", "'orders' (id 2), seq 1");
  ChunkState other = must(decode_delivery_row(state));
  other.entries.resize(3);
  other.dead_letters = true;
  std::string changed;
  encode_delivery_row(other, changed);
  put(Family::kDeliveries, first_chunk(kOrders), changed);
  expect("state_mismatch", "'orders' (id 2), seq 1");
  other = must(decode_delivery_row(state));
  for (Entry& entry : other.entries) entry.state = EntryState::kDone;
  changed.clear();
  encode_delivery_row(other, changed);
  put(Family::kDeliveries, first_chunk(kOrders), changed);
  expect("chunk_finished", "'orders' (id 2), seq 1");
}

TEST_F(VerifyTest, WrongCounts) {
  change_checkpoint(kOrders, [](QueueCheckpoint& checkpoint) { ++checkpoint.fresh; });
  expect("count_wrong", "'orders'");
  change_checkpoint(kDlq, [](QueueCheckpoint& checkpoint) { --checkpoint.dead; });
  expect("count_wrong", "'dlq'");
}

// What a lane lacks, another one may have too many of.
TEST_F(VerifyTest, CountsAndCursorsOfEachLane) {
  const LaneCheckpoint empty{.next_seq = lane_begin(1), .cursor = lane_begin(1)};
  change_checkpoint(kOrders, [&](QueueCheckpoint& checkpoint) { checkpoint.lanes = {empty}; });
  EXPECT_THAT(verify_store(*store_).findings, IsEmpty());
  for (std::uint64_t LaneCheckpoint::*count : {&LaneCheckpoint::fresh, &LaneCheckpoint::bytes}) {
    change_checkpoint(kOrders, [&](QueueCheckpoint& checkpoint) {
      --(count == &LaneCheckpoint::fresh ? checkpoint.fresh : checkpoint.bytes);
      ++(checkpoint.lanes[0].*count);
    });
    expect("count_wrong", "'orders'");
    change_checkpoint(kOrders, [&](QueueCheckpoint& checkpoint) {
      ++(count == &LaneCheckpoint::fresh ? checkpoint.fresh : checkpoint.bytes);
      checkpoint.lanes = {empty};
    });
  }
  change_checkpoint(kOrders, [](QueueCheckpoint& checkpoint) {
    checkpoint.lanes[0].cursor = checkpoint.lanes[0].cursor + 1;
  });
  expect("cursor_past_end", "'orders'");
}

TEST_F(VerifyTest, FailureRecords) {
  const std::string key = keys::queue_seq(kDlq, Seq{2});
  const std::string record = row(Family::kDeadLetters, key);
  remove(Family::kDeadLetters, key);
  expect("record_missing", "'dlq' (id 1), seq 2");
  put(Family::kDeadLetters, key, row(Family::kDeadLetters, keys::queue_seq(kDlq, Seq{1})));
  expect("record_mismatch", "'dlq' (id 1), seq 2");
  put(Family::kDeadLetters, keys::queue_seq(kDlq, Seq{9}), record);
  expect("record_stray", "'dlq' (id 1), seq 9");
}

TEST_F(VerifyTest, HistoryOfDeadLetters) {
  const std::string key = keys::dead_letter(kDlq, {.history = true, .seq = Seq{1}});
  put(Family::kHistory, key, row(Family::kDeadLetters, keys::queue_seq(kDlq, Seq{1})));
  expect("index_missing", "'dlq' (id 1)");
  put(Family::kHistory, key, "\x01\xff");
  expect("undecodable", "'dlq' (id 1), history of seq 1");
}

TEST_F(VerifyTest, WhatLiesBesideHistory) {
  for (const std::string& key :
       {keys::outcome(kDlq, Seq{1}), keys::original(kDlq, Seq{1}), keys::outcome(kDlq, Seq{1}) + "x"}) {
    put(Family::kHistory, key, "x");
    expect("undecodable", "dead_letter_history: queue 'dlq' (id 1)");
    remove(Family::kHistory, key);
  }
  put(Family::kHistory, keys::queue_seq(kDlq, Seq{1}),
      row(Family::kDeadLetters, keys::queue_seq(kDlq, Seq{1})));
  expect("undecodable", "dead_letters: queue 'dlq' (id 1)");
}

TEST_F(VerifyTest, OriginalsOfEditedMessages) {
  const std::string key = keys::queue_seq(kDlq, Seq{1});
  DeadLetterRow record = must(decode_dead_letter_row(row(Family::kDeadLetters, key)));
  record.has_original = true;
  put(Family::kDeadLetters, key, encode_dead_letter_row(record));
  expect("original_missing", "'dlq' (id 1), seq 1");
  const auto chunk = must(Chunk::decode(row(Family::kMessages, first_chunk(kDlq))));
  put(Family::kHistory, keys::original(kDlq, Seq{1}), encode_original(chunk->message(0)));
  EXPECT_THAT(verify_store(*store_).findings, IsEmpty());
}

TEST_F(VerifyTest, IndexOfDeadLetters) {
  const DeadLetterRow record =
      must(decode_dead_letter_row(row(Family::kDeadLetters, keys::queue_seq(kDlq, Seq{1}))));
  const IndexEntry entry = index_entries(kDlq, {.seq = Seq{1}}, record).front();
  remove(Family::kDeadLetterIndex, entry.posting);
  expect("index_missing", "'dlq' (id 1)");
  expect("index_count_wrong", "'dlq' (id 1)");
  put(Family::kDeadLetterIndex, entry.posting, {});
  EXPECT_THAT(verify_store(*store_).findings, IsEmpty());
  put(Family::kDeadLetterIndex,
      keys::posting(kDlq, IndexKind::kCategory, "other", {.died_at = Timestamp{}, .seq = Seq{1}}), {});
  expect("index_stray", "'dlq' (id 1)");
  expect("index_count_wrong", "'dlq' (id 1)");
}

TEST_F(VerifyTest, CountsOfDeadLetters) {
  put(Family::kDeadLetterIndex, keys::count(kDlq, IndexKind::kCategory, "other"), encode_index_count({}));
  expect("index_count_wrong", "'dlq' (id 1)");
}

TEST_F(VerifyTest, DeadLettersByMinute) {
  const auto rows = store_->scan(Family::kDeadLetterIndex, keys::counts_begin(kDlq, IndexKind::kAll),
                                 keys::counts_end(kDlq, IndexKind::kAll));
  ASSERT_TRUE(rows->valid());
  const IndexCount right = must(decode_index_count(rows->value()));
  for (const IndexCount wrong :
       {IndexCount{right.here + 1, right.history}, IndexCount{right.here, right.history + 1}}) {
    put(Family::kDeadLetterIndex, rows->key(), encode_index_count(wrong));
    expect("index_count_wrong", "'dlq' (id 1)");
  }
}

TEST_F(VerifyTest, Arrivals) {
  put(Family::kCatalog, keys::arrivals(kDlq, 7), "\xff");
  expect("undecodable", "'dlq' (id 1)");
  remove(Family::kCatalog, keys::arrivals(kDlq, 7));
  put(Family::kCatalog, keys::arrivals(QueueId{9}, 7), encode_arrivals_row({}));
  expect("stray_rows", "(id 9)");
}

TEST_F(VerifyTest, IndexOfMessagesThatExpire) {
  store_.reset();
  {
    Engine engine = must(
        EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false}));
    must(engine.send("orders", {.body = "z", .time_to_live = std::chrono::hours(1)}));
    must(engine.close());
  }
  store_ = must(open_memory_store(disk_));
  const Timestamp expires_at = clock_.now() + std::chrono::hours(1);
  const std::string key = keys::expiry(kOrders, expires_at, Seq{16});
  remove(Family::kScheduled, key);
  expect("expiry_missing", "'orders' (id 2), seq 16");
  put(Family::kScheduled, key, {});
  // A stale row, as a chunk leaves it.
  put(Family::kScheduled, keys::expiry(kOrders, expires_at, Seq{3}), {});
  EXPECT_THAT(verify_store(*store_).findings, IsEmpty());
  change_checkpoint(kOrders, [](QueueCheckpoint& checkpoint) { checkpoint.next_expiry += Duration{1}; });
  expect("expiry_missing", "'orders' (id 2)");
  put(Family::kScheduled, key + "x", {});
  expect("undecodable", "'orders' (id 2)");
}

TEST_F(VerifyTest, DescriptionsOfFailures) {
  store_.reset();
  {
    Engine engine = must(
        EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false}));
    const Deliveries handed = must(engine.receive("orders", {.max = 3}));
    must(engine.release(handed[0].receipt, {.failure = {.reason = "told"}}));
    must(engine.release(handed[1].receipt, {.delay = std::chrono::hours(1), .failure = {.reason = "told"}}));
    must(engine.extend(handed[2].receipt, std::chrono::hours(1), {.lets_run_out = {.reason = "told"}}));
    advance(engine, clock_, Duration{0});
    must(engine.close());
  }
  store_ = must(open_memory_store(disk_));
  EXPECT_THAT(verify_store(*store_).findings, IsEmpty());
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto scan =
           store_->scan(Family::kScheduled, keys::expiry_end(kOrders), keys::queue_end(kOrders));
       scan->valid(); scan->next())
    rows.emplace_back(scan->key(), scan->value());
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& [key, value] : rows) {
    remove(Family::kScheduled, key);
    expect("failure_missing", "'orders' (id 2)");
    put(Family::kScheduled, key, value + "x");
    expect("undecodable", "'orders' (id 2)");
    put(Family::kScheduled, key, value);
  }
  put(Family::kScheduled, keys::failure(kOrders, {Seq{9}, 5}), rows[0].second);
  expect("failure_stray", "'orders' (id 2), seq 9");
}

TEST_F(VerifyTest, StrayRows) {
  put(Family::kMessages, keys::queue_seq(QueueId{9}, Seq{1}), "x");
  put(Family::kDedup, keys::queue_seq(QueueId{9}, Seq{1}), "x");
  expect("stray_rows", "messages: queue '?' (id 9)");
  expect("stray_rows", "dedup: queue '?' (id 9)");
}

TEST_F(VerifyTest, RowsOfDeduplication) {
  const std::string key = keys::dedup(kOrders, clock_.now(), std::string(16, 'i'));
  put(Family::kDedup, key, encode_dedup_row({.message_id = {}, .sent_at = clock_.now()}));
  EXPECT_THAT(verify_store(*store_).findings, IsEmpty());
  put(Family::kDedup, key, "x");
  expect("undecodable", "dedup: queue 'orders' (id 2)");
  remove(Family::kDedup, key);
  put(Family::kDedup, keys::dedup(kOrders, Timestamp(Duration(-1)), "i"), {});
  expect("undecodable", "dedup: queue 'orders' (id 2)");
}

TEST_F(VerifyTest, RedriveTasks) {
  RedriveTask task;
  task.queue = kDlq;
  task.cursor = Seq{5};
  task.end = Seq{2};
  put(Family::kRedriveTasks, keys::task(TaskId{7}), encode_redrive_task(task));
  expect("cursor_past_end", "task 7");
  expect("id_not_allocated", "task 7");
}

TEST_F(VerifyTest, AnswersToRequestsAndFamiliesOfTheApplication) {
  put(Family::kDedup, keys::request(1, 0, "id"), "x");
  expect("undecodable", "dedup: an answer to a request");
  remove(Family::kDedup, keys::request(1, 0, "id"));
  const std::string late = keys::request(keys::kLastRequestBucket + 1, 0, "id");
  put(Family::kDedup, late, encode_request_row({}));
  expect("undecodable", "dedup: an answer to a request");
  remove(Family::kDedup, late);
  put(Family::kCatalog, keys::kRequestTimeRow, "x");
  expect("undecodable", "catalog: lived time");
  put(Family::kCatalog, keys::family_definition(FamilyId{7}), "state");
  expect("id_not_allocated", "family 'state'");
}

TEST_F(VerifyTest, FamiliesOfTheApplicationThatAreNotThere) {
  AllocationRow allocation = must(decode_allocation_row(row(Family::kCatalog, keys::kAllocationRow)));
  allocation.next_family_id = 8;
  put(Family::kCatalog, keys::kAllocationRow, encode_allocation_row(allocation));
  put(Family::kCatalog, keys::family_definition(FamilyId{7}), "state");
  expect("family_missing", "family 'state'");
  must(store_->create_family(application_family(7)));
  EXPECT_TRUE(verify_store(*store_).sound());
}

TEST_F(VerifyTest, RowsThatCannotBeRead) {
  for (std::uint64_t nth = 1; nth <= 8; ++nth) {
    disk_->fail_read(nth, ErrorCode::kCorruption);
    EXPECT_GT(verify_store(*store_).found, 0U) << "read " << nth;
  }
}

TEST_F(VerifyTest, NamesWhatCannotBeReadBeforeWhatIsMissedForIt) {
  for (std::uint32_t row = 0; row < VerifyReport::kFindingsListed; ++row)
    put(Family::kDedup, keys::request(1, row, "id"), "x");
  std::uint64_t unreadable = 0;
  for (std::uint64_t nth = 1; nth <= 100; ++nth) {
    disk_->fail_read(nth, ErrorCode::kCorruption);
    const VerifyReport report = verify_store(*store_);
    if (report.found == VerifyReport::kFindingsListed) break;  // verify has fewer reads than this
    EXPECT_EQ(report.findings.front().kind, "unreadable") << "read " << nth;
    ++unreadable;
  }
  EXPECT_GT(unreadable, 10U);
}

TEST_F(VerifyTest, RowsOfTheApplicationThatCannotBeRead) {
  constexpr std::uint64_t kState = 1;
  put(Family::kCatalog, keys::family_definition(FamilyId{kState}), "state");
  must(store_->create_family(application_family(kState)));
  put(application_family(kState), "key", "value");
  bool found = false;
  for (std::uint64_t nth = 1; nth <= 100 && !found; ++nth) {
    disk_->fail_read(nth, ErrorCode::kCorruption);
    const VerifyReport report = verify_store(*store_);
    found = std::ranges::any_of(report.findings, [](const Finding& finding) {
      return finding.kind == "unreadable" && finding.where == "family 'state'";
    });
  }
  EXPECT_TRUE(found);
}

TEST(VerifyDirectory, FindsThatAFamilyOfTheApplicationIsNotThere) {
  const TempDir temp;
  ApplicationFamily state;
  {
    Engine engine = must(Engine::open(temp / "data", {.background = false}));
    state = must(engine.open_family("state"));
    EXPECT_TRUE(must(engine.verify()).sound());
    must(engine.close());
  }
  EXPECT_TRUE(must(Engine::verify(temp / "data")).sound());
  const auto store = must(open_rocksdb_store(temp / "data"));
  must(store->drop_family(application_family(static_cast<std::uint64_t>(state.id))));
  must(store->close());
  EXPECT_THAT(must(Engine::verify(temp / "data")).findings,
              ElementsAre(Field(&Finding::kind, "family_missing")));
}

TEST(VerifyDirectory, LooksWithoutChangingAnything) {
  const TempDir temp;
  EXPECT_THAT(Engine::verify(temp / "none"), FailsWith(ErrorCode::kInvalidArgument));
  std::optional<Engine> engine(must(Engine::open(temp / "data", {.background = false})));
  must(engine->create_queue("orders"));
  must(engine->send("orders", {.body = "x"}));
  EXPECT_TRUE(must(engine->verify()).sound());
  EXPECT_THAT(Engine::verify(temp / "data"), FailsWith(ErrorCode::kLocked));
  engine.reset();
  std::set<std::filesystem::path> before;
  for (const auto& entry : std::filesystem::directory_iterator(temp / "data")) before.insert(entry.path());
  const VerifyReport report = must(Engine::verify(temp / "data"));
  EXPECT_THAT(report.findings, IsEmpty());
  EXPECT_EQ(report.messages, 1U);
  std::set<std::filesystem::path> after;
  for (const auto& entry : std::filesystem::directory_iterator(temp / "data")) {
    if (entry.path().filename().string().find("LOG") == std::string::npos) after.insert(entry.path());
  }
  std::erase_if(before,
                [](const auto& path) { return path.filename().string().find("LOG") != std::string::npos; });
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace holdfast::testing
