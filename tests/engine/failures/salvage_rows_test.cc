// Directories that lack rows, or have rows that do not decode or fit together. Salvage brings over what fits.
#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/codec/rows/request_row.h"
#include "tests/engine/failures/salvage_fixture.h"

namespace holdfast::testing {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST_F(SalvageTest, AFamilyWhoseRowIsLostComesBackUnderAnotherName) {
  {
    Engine engine = must(open("data"));
    for (const char* name : {"state", "salvaged-family-1", "empty"}) must(engine.open_family(name));
    const ApplicationFamily state = must(engine.open_family("state"));
    must(engine.commit(Transaction().put(state, "a", "1")));
    must(engine.close());
  }
  change([](Store& store, Batch& batch) {
    std::vector<std::string> rows;
    for (auto scan = store.scan(Family::kCatalog, keys::kFamiliesBegin, keys::kFamiliesEnd); scan->valid();
         scan->next()) {
      if (scan->value() != "salvaged-family-1") rows.emplace_back(scan->key());
    }
    ASSERT_EQ(rows.size(), 2U);
    for (const std::string& row : rows) batch.remove(Family::kCatalog, row);
  });
  EXPECT_EQ(salvage().found, 1U);
  Engine engine = must(open("salvaged1"));
  std::size_t found = 0;
  for (const ApplicationFamily& family : must(engine.list_families()))
    found += must(engine.get(family, "a")) == "1" ? 1 : 0;
  EXPECT_EQ(found, 1U);
  EXPECT_EQ(must(engine.list_families()).size(), 2U);
  must(engine.open_family("new"));
  EXPECT_EQ(must(engine.list_families()).size(), 3U);
}

// The row of the first family is there again, as if its removal had been lost.
TEST_F(SalvageTest, OfTwoFamiliesWithOneNameTheNewerOneHasIt) {
  ApplicationFamily dropped;
  {
    Engine engine = must(open("data"));
    dropped = must(engine.open_family("state"));
    must(engine.drop_family("state"));
    must(engine.commit(Transaction().put(must(engine.open_family("state")), "a", "1")));
    must(engine.close());
  }
  change([&](Store&, Batch& batch) {
    batch.put(Family::kCatalog, keys::family_definition(dropped.id), "state");
  });
  EXPECT_GT(salvage().found, 0U);
  Engine engine = must(open("salvaged1"));
  EXPECT_EQ(must(engine.list_families()).size(), 2U);
  EXPECT_EQ(must(engine.get(must(engine.open_family("state")), "a")), "1");
}

TEST_F(SalvageTest, AQueueWhoseDefinitionIsLostGetsANameThatNoOtherHas) {
  QueueId orders{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders"));
    orders = must(engine.describe_queue("orders")).id;
    const std::string taken = "salvaged-" + std::to_string(static_cast<std::uint64_t>(orders));
    must(engine.create_queue(taken));
    for (const std::string& queue : {std::string("orders"), taken})
      must(engine.send(queue, {.body = "last:"}));
    must(engine.close());
  }
  change([&](Store&, Batch& batch) { batch.remove(Family::kCatalog, keys::queue_definition(orders)); });
  EXPECT_EQ(salvage().messages, 2U);
  Engine engine = must(open("salvaged1"));
  EXPECT_EQ(must(engine.list_queues()).size(), 2U);
}

TEST_F(SalvageTest, RowsThatOpeningWouldRefuseAreLeftOut) {
  fill(true);
  change([](Store&, Batch& batch) {
    batch.put(Family::kCatalog, keys::arrivals(QueueId{1}, 7), "\xff");
    batch.put(Family::kCatalog, keys::kFamiliesBegin, "state");
    batch.put(Family::kDedup, keys::dedup(QueueId{1}, Timestamp{}, "id"), "x");
    batch.put(Family::kDedup, keys::request(1, 0, "id"), "x");
    batch.put(Family::kDedup, keys::request(UINT64_MAX, 0, "id"), encode_request_row({}));
    batch.put(Family::kRedriveTasks, "task", {});
    batch.put(Family::kRedriveTasks, keys::task(TaskId{1}), "x");
    batch.put(Family::kRedriveTasks, keys::task_outcomes(TaskId{2}), "\xff");
  });
  const SalvageReport report = salvage();
  EXPECT_EQ(report.found, 8U);
  EXPECT_THAT(report.losses, ::testing::Each(Field(&Finding::kind, "rows_lost")));
  EXPECT_EQ(report.messages, kLeft);
}

// Otherwise the next death would be written over an old record.
TEST_F(SalvageTest, WithoutACheckpointHistoryKeepsItsNumbers) {
  const auto die_and_replay = [](Engine& engine) {
    must(engine.send("orders", {.body = "last:"}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
    must(engine.redrive("dlq"));
    must(engine.ack(must(engine.receive("orders")).at(0).receipt));
  };
  QueueId dlq{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("dlq"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (int i = 0; i < 3; ++i) die_and_replay(engine);
    dlq = must(engine.describe_queue("dlq")).id;
    must(engine.close());
  }
  change([&](Store&, Batch& batch) { batch.put(Family::kCatalog, keys::queue_checkpoint(dlq), "damaged"); });
  EXPECT_GT(salvage().found, 0U);
  Engine engine = must(open("salvaged1"));
  die_and_replay(engine);
  EXPECT_TRUE(must(engine.verify()).sound());
  EXPECT_EQ(must(engine.list_dead_letters("dlq", {.filter = {.history = true}})).items.size(), 4U);
}

// What a newer version wrote may mean something else than it seems to.
TEST_F(SalvageTest, OfANewerFormatIsRefused) {
  fill(true);
  change([](Store&, Batch& batch) {
    batch.put(Family::kCatalog, keys::kFormatRow, encode_format_row(kFormatVersion + 1));
  });
  EXPECT_THAT(Engine::salvage(temp_ / "data", temp_ / "salvaged"), FailsWith(ErrorCode::kFormatTooNew));
  EXPECT_FALSE(fs::exists(temp_ / "salvaged"));
}

// The state of the chunk in which they all were is lost, so only history knows which of them left.
TEST_F(SalvageTest, DeadLettersThatBecameHistoryStayAway) {
  QueueId dlq{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    dlq = must(engine.describe_queue("dlq")).id;
    must(engine.send_batch("orders", std::vector<Message>(10, {.body = "last:"})));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : must(engine.receive("orders", {.max = 10})))
      receipts.push_back(delivery.receipt);
    must(engine.reject_batch(receipts, {.reason = "bad"}));
    must(engine.redrive("dlq", {.max = 5}));
    EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, 5U);
    must(engine.close());
  }
  change([&](Store& store, Batch& batch) {
    const auto rows = store.scan(Family::kDeliveries, keys::queue_begin(dlq), keys::queue_end(dlq));
    ASSERT_TRUE(rows->valid());
    batch.remove(Family::kDeliveries, rows->key());
    rows->next();
    ASSERT_FALSE(rows->valid());
  });
  const SalvageReport report = salvage();
  EXPECT_EQ(report.messages, 10U);
  EXPECT_EQ(report.dead_letters, 5U);
}

TEST_F(SalvageTest, WhatLiesBesideHistoryIsBroughtIfItDecodes) {
  QueueId dlq{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    dlq = must(engine.describe_queue("dlq")).id;
    for (int i = 0; i < 2; ++i) {
      must(engine.send("orders", {.body = "first"}));
      must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
      must(engine.redrive("dlq", {.edit = {.body = "last:"}}));
      must(engine.ack(must(engine.receive("orders")).at(0).receipt));
    }
    must(engine.close());
  }
  change([&](Store&, Batch& batch) {
    batch.put(Family::kHistory, keys::outcome(dlq, Seq{1}), "x");
    batch.put(Family::kHistory, keys::original(dlq, Seq{1}), "x");
  });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, UnorderedElementsAre(Field(&Finding::kind, "rows_lost"),
                                                  Field(&Finding::kind, "original_lost")));
  Engine engine = must(open("salvaged1"));
  const auto letters =
      must(engine.list_dead_letters("dlq", {.filter = {.history = true}, .bodies = true})).items;
  ASSERT_EQ(letters.size(), 2U);
  EXPECT_EQ(letters[0].replay.value().outcome, ReplayOutcome::kPending);
  EXPECT_FALSE(letters[0].original);
  EXPECT_EQ(letters[1].replay.value().outcome, ReplayOutcome::kAcked);
  EXPECT_EQ(letters[1].original.value().body, "first");
}

// A message of which a consumer described a failure, and which waits outside the log.
class SalvageOfWaiting : public SalvageTest {
 protected:
  SalvageOfWaiting() {
    Engine engine = must(open("data"));
    must(engine.create_queue("orders"));
    orders_ = must(engine.describe_queue("orders")).id;
    must(engine.send("orders", {.body = "last:"}));
    must(engine.release(must(engine.receive("orders")).at(0).receipt,
                        {.delay = 1h, .failure = {.reason = "told"}}));
    advance(engine, clock_, Duration{0});
    must(engine.close());
    change([&](Store& store, Batch&) {
      const auto rows =
          store.scan(Family::kScheduled, keys::queue_begin(orders_), keys::scheduled_end(orders_));
      ASSERT_TRUE(rows->valid());
      key_ = rows->key();
      value_ = rows->value();
    });
  }

  QueueId orders_{};
  std::string key_;  // the row of the message
  std::string value_;
};

TEST_F(SalvageOfWaiting, ADescriptionThatIsLostIsNamedNoMore) {
  change([&](Store& store, Batch& batch) {
    const auto rows = store.scan(Family::kScheduled, keys::expiry_end(orders_), keys::queue_end(orders_));
    ASSERT_TRUE(rows->valid());
    batch.remove(Family::kScheduled, rows->key());
  });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, ElementsAre(Field(&Finding::kind, "failure_lost")));
  EXPECT_EQ(report.messages, 1U);
}

// The removal of its row is lost.
TEST_F(SalvageOfWaiting, AMessageThatHasEnteredTheLogSinceIsNamedIfItComesBack) {
  {
    Engine engine = must(open("data"));
    advance(engine, clock_, 2h);
    EXPECT_EQ(must(engine.describe_queue("orders")).counts.ready, 1U);
    must(engine.close());
  }
  change([&](Store&, Batch& batch) { batch.put(Family::kScheduled, key_, value_); });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, ElementsAre(AllOf(Field(&Finding::kind, "messages_returned"),
                                               Field(&Finding::where, HasSubstr("scheduled")))));
  EXPECT_EQ(report.messages, 2U);
}

TEST_F(SalvageOfWaiting, ARowThatDoesNotDecodeIsNamed) {
  change([&](Store&, Batch& batch) { batch.put(Family::kScheduled, key_, "x"); });
  const SalvageReport report = salvage();
  EXPECT_THAT(report.losses, Contains(AllOf(Field(&Finding::kind, "chunk_lost"),
                                            Field(&Finding::where, HasSubstr("scheduled")))));
  EXPECT_EQ(report.messages_lost, 1U);
}

TEST_F(SalvageTest, MessagesOfAChunkThatDoesNotDecodeAreCounted) {
  fill(false);
  QueueId orders{};
  {
    Engine engine = must(open("data"));
    orders = must(engine.describe_queue("orders")).id;
    must(engine.close());
  }
  change([&](Store& store, Batch& batch) {
    const auto rows = store.scan(Family::kDeliveries, keys::queue_begin(orders), keys::queue_end(orders));
    ASSERT_TRUE(rows->valid());
    batch.put(Family::kMessages, rows->key(), "x");
  });
  const SalvageReport report = salvage();
  EXPECT_GT(report.messages_lost, 0U);
  EXPECT_EQ(report.messages + report.messages_lost, kLeft);
}

TEST_F(SalvageTest, WithoutItsCatalogAQueueWhoseMessagesAllWaitIsFound) {
  QueueId later{};
  {
    Engine engine = must(open("data"));
    must(engine.create_queue("later", {.deduplication = {.mode = Deduplication::kById}}));
    must(engine.send("later", {.body = "last:", .delay = 1h, .deduplication_id = "d"}));
    later = must(engine.describe_queue("later")).id;
    must(engine.close());
  }
  change([&](Store&, Batch& batch) {
    batch.remove(Family::kCatalog, keys::queue_checkpoint(later));
    batch.remove(Family::kCatalog, keys::queue_definition(later));
  });
  const SalvageReport report = salvage();
  EXPECT_EQ(report.messages, 1U);
  EXPECT_GT(report.found, 0U);
}

}  // namespace
}  // namespace holdfast::testing
