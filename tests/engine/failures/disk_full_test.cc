// A disk fills up. Sends stop before the disk is full, what frees space goes on, and a disk that is really
// full loses nothing.
#include <rocksdb/env.h>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "engine/storage/rocksdb/rocksdb_store.h"
#include "holdfast/engine.h"
#include "tests/storage/faulty_file_system.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::uint64_t kMebibyte = 1 << 20;

class DiskFullTest : public ::testing::Test {
 protected:
  DiskFullTest() {
    open();
    must(engine_->create_queue("orders", {.lease = 10s, .dead_letters = {.queue = "dlq"}},
                               MissingQueues::kCreate));
  }

  void open() {
    engine_.reset();
    engine_.emplace(must(EngineInside::open_over(
        must(open_rocksdb_store(dir_.path(), {.env = env_.get()})),
        {.clock = &clock_, .background = false, .free_space_reserve = 100 * kMebibyte})));
  }
  Result<Sent> send(std::string body = "x") { return engine_->send("orders", {.body = std::move(body)}); }
  // Makes this much space free. The engine looks at the free space once in each second of its own time.
  void leave_free(std::uint64_t bytes) {
    disk_->set_free_space(bytes);
    advance(*engine_, clock_, 1s);
  }
  Receipt receive() { return must(engine_->receive("orders")).at(0).receipt; }
  QueueCounts counts(std::string_view queue) { return must(engine_->describe_queue(queue)).counts; }

  TempDir dir_;
  std::shared_ptr<FaultyFileSystem> disk_ = std::make_shared<FaultyFileSystem>();
  std::unique_ptr<rocksdb::Env> env_ = rocksdb::NewCompositeEnv(disk_);
  ManualClock clock_;
  std::optional<Engine> engine_;
};

TEST_F(DiskFullTest, RefusesSendsBelowTheReserveAndNamesTheNumbers) {
  leave_free(100 * kMebibyte + 10);
  must(send("0123456789"));
  leave_free(100 * kMebibyte - 1);
  EXPECT_THAT(send(), AllOf(FailsNaming(ErrorCode::kDiskFull, "99.9 MiB"),
                            FailsNaming(ErrorCode::kDiskFull, "100 MiB")));
  EXPECT_EQ(counts("orders").ready, 1U);
}

TEST_F(DiskFullTest, CountsWhatIsAboutToBeSent) {
  disk_->set_free_space(101 * kMebibyte);
  EXPECT_THAT(engine_->send_batch("orders", std::vector<Message>(3, {.body = std::string(1 << 19, 'x')})),
              FailsWith(ErrorCode::kDiskFull));
  must(send(std::string(1 << 19, 'x')));
}

TEST_F(DiskFullTest, WhatFreesSpaceGoesOn) {
  for (int i = 0; i < 6; ++i) must(send());
  const Receipt acked = receive();
  const Receipt rejected = receive();
  const Receipt released = receive();
  leave_free(0);
  EXPECT_THAT(send(), FailsWith(ErrorCode::kDiskFull));
  must(engine_->ack(acked));
  must(engine_->reject(rejected, {.reason = "bad"}));
  must(engine_->release(released));
  must(engine_->extend(receive(), 1min));
  must(engine_->alter_queue("orders", {.retry = {.max_deliveries = 3}}));
  EXPECT_THAT(engine_->redrive("dlq"), FailsWith(ErrorCode::kDiskFull));
  must(engine_->purge_queue("dlq"));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 3, .leased = 1}));
}

TEST_F(DiskFullTest, ARedriveTaskWaitsForSpace) {
  for (int i = 0; i < 3; ++i) {
    must(send());
    must(engine_->reject(receive(), {.reason = "bad"}));
  }
  const TaskId task = must(engine_->redrive("dlq", {.rate = 1, .wait = false})).task;
  const auto moved = [&] { return must(engine_->redrive_status(task)).moved; };
  advance(*engine_, clock_, 1s);
  EXPECT_EQ(moved(), 1U);
  for (int i = 0; i < 3; ++i) leave_free(0);
  EXPECT_EQ(moved(), 1U);
  EXPECT_EQ(must(engine_->redrive_status(task)).state, TaskState::kRunning);
  for (int i = 0; i < 2; ++i) leave_free(200 * kMebibyte);
  EXPECT_EQ(moved(), 3U);
}

TEST_F(DiskFullTest, ARedriveTaskThatWaitsForSpaceRestsMeanwhile) {
  for (int i = 0; i < 2; ++i) {
    must(send());
    must(engine_->reject(receive(), {.reason = "bad"}));
  }
  int planned = 0;
  const auto transform = [&](const DeadLetter& letter) -> Result<Message> {
    ++planned;
    return Message{.body = letter.body};
  };
  const TaskId task = must(engine_->redrive("dlq", {.rate = 1, .wait = false}, transform)).task;
  advance(*engine_, clock_, 1s);
  leave_free(0);
  const int before = planned;
  for (int i = 0; i < 10; ++i) engine_->run_due();
  EXPECT_EQ(planned, before);
  for (int i = 0; i < 2; ++i) leave_free(200 * kMebibyte);
  EXPECT_EQ(must(engine_->redrive_status(task)).moved, 2U);
}

// A task that has nothing left to move needs no space to end.
TEST_F(DiskFullTest, ARedriveTaskEndsWithoutSpace) {
  must(send());
  must(engine_->reject(receive(), {.reason = "bad"}));
  const TaskId task = must(engine_->redrive("dlq", {.rate = 1, .wait = false})).task;
  must(engine_->purge_queue("dlq"));
  leave_free(0);
  EXPECT_EQ(must(engine_->redrive_status(task)).state, TaskState::kDone);
}

// The task's first step has four messages, for which there is space. The second step has the two larger ones.
TEST_F(DiskFullTest, ARedriveThatRunsOutOfSpaceGoesOnWhenItReturns) {
  must(engine_->alter_queue("orders", {.limits = {.max_body_bytes = 4U << 20}}));
  for (const std::size_t mebibytes : {1U, 1U, 1U, 1U, 3U, 3U}) {
    must(send(std::string(mebibytes * kMebibyte, 'x')));
    must(engine_->reject(receive(), {.reason = "bad"}));
  }
  leave_free(105 * kMebibyte);
  EXPECT_THAT(engine_->redrive("dlq"), FailsNaming(ErrorCode::kOutcomeUnknown,
                                                   "task 1 was started, and continues when there is space"));
  TaskStatus task = must(engine_->list_redrives()).at(0);
  EXPECT_EQ(task.state, TaskState::kRunning);
  EXPECT_EQ(task.moved, 4U);
  leave_free(200 * kMebibyte);
  task = must(engine_->list_redrives()).at(0);
  EXPECT_EQ(task.state, TaskState::kDone);
  EXPECT_EQ(task.moved, 6U);
  EXPECT_EQ(counts("orders").ready, 6U);
}

TEST_F(DiskFullTest, AnAutomaticRedriveWaitsForSpace) {
  must(engine_->alter_queue("dlq",
                            {.dead_letters = {.auto_redrive = AutoRedrive{.every = 1s, .backoff = 0s}}}));
  must(send(std::string(kMebibyte, 'x')));
  must(engine_->reject(receive(), {.reason = "bad"}));
  leave_free(100 * kMebibyte + 10);
  EXPECT_EQ(counts("dlq").dead, 1U);
  leave_free(200 * kMebibyte);
  EXPECT_EQ(counts("dlq").dead, 0U);
}

// A consumer that keeps its state in the engine frees space too. So half of the reserve is for such
// transactions.
TEST_F(DiskFullTest, ATransactionThatAddsIsRefusedAndOneThatSettlesGoesOn) {
  const ApplicationFamily family = must(engine_->open_family("state"));
  for (int i = 0; i < 3; ++i) must(send());
  leave_free(60 * kMebibyte);
  must(engine_->commit(Transaction().ack(receive()).send("orders", {.body = "next"})));
  must(engine_->commit(Transaction().ack(receive()).put(family, "done", "0")));
  EXPECT_THAT(engine_->commit(Transaction().put(family, "done", "1")), FailsWith(ErrorCode::kDiskFull));
  const Receipt receipt = receive();
  EXPECT_THAT(
      engine_->commit(Transaction().ack(receipt).send("orders", {.body = "1"}).send("orders", {.body = "2"})),
      FailsWith(ErrorCode::kDiskFull));
  must(engine_->ack(receive()));
  leave_free(49 * kMebibyte);
  EXPECT_THAT(engine_->commit(Transaction().ack(receipt).send("orders", {.body = "next"})),
              FailsWith(ErrorCode::kDiskFull));
  EXPECT_THAT(engine_->commit(Transaction().ack(receipt).put(family, "done", "1")),
              FailsWith(ErrorCode::kDiskFull));
  EXPECT_EQ(counts("orders"), (QueueCounts{.leased = 1}));
  must(engine_->commit(Transaction().ack(receipt).remove(family, "done")));
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

// What was sent was sent, so the answer does not depend on the space that is left now.
TEST_F(DiskFullTest, ARepeatedRequestIsAnsweredAsTheFirstTime) {
  const SendOptions again{.request_id = "r1"};
  const MessageId id = must(engine_->send("orders", {.body = "x"}, again)).id;
  leave_free(0);
  EXPECT_EQ(must(engine_->send("orders", {.body = "x"}, again)).id, id);
  EXPECT_EQ(counts("orders").ready, 1U);
}

TEST_F(DiskFullTest, RecoversByItselfWhenSpaceReturns) {
  disk_->set_free_space(0);
  EXPECT_THAT(send(), FailsWith(ErrorCode::kDiskFull));
  EXPECT_FALSE(engine_->health().has_space);
  EXPECT_EQ(engine_->health().free_bytes, 0U);
  disk_->set_free_space(std::nullopt);
  must(send());
  EXPECT_TRUE(engine_->health().has_space);
  EXPECT_THAT(engine_->health().writes, Succeeds());
}

TEST_F(DiskFullTest, AReserveOfZeroIsNotWatched) {
  engine_.reset();
  const auto disk = std::make_shared<MemoryDisk>(1);
  Engine engine = must(
      EngineInside::open_over(must(open_memory_store(disk)), {.background = false, .free_space_reserve = 0}));
  must(engine.create_queue("orders"));
  disk->set_capacity(100);
  EXPECT_THAT(engine.send("orders", {.body = std::string(1000, 'x')}), FailsWith(ErrorCode::kStorageFailed));
}

// Each write of an engine's life finds the disk full, in turn. Nothing that was acknowledged is lost.
TEST_F(DiskFullTest, TheRealEndStopsTheEngineAndLosesNothing) {
  std::uint64_t sent = 0;
  std::uint64_t settled = 0;
  for (std::uint64_t nth = 1; nth <= 20; ++nth) {
    disk_->logs().append.fail_from(nth, rocksdb::IOStatus::NoSpace("injected"));
    std::optional<Error> stopped;
    while (!stopped) {
      const auto result = send(std::string(100, 'x'));
      if (!result) {
        stopped = result.error();
        break;
      }
      ++sent;
      const auto delivery = engine_->receive("orders");
      if (!delivery) {
        stopped = delivery.error();
        break;
      }
      const auto acked = engine_->ack(delivery->at(0).receipt);
      if (!acked) stopped = acked.error();
      settled += acked ? 1U : 0U;
    }
    EXPECT_EQ(stopped->code, ErrorCode::kStorageFailed);
    EXPECT_THAT(stopped->message, HasSubstr("no space is left"));
    EXPECT_THAT(engine_->health().writes, FailsWith(ErrorCode::kStorageFailed));
    disk_->logs().append.fail_from(0, rocksdb::IOStatus::OK());
    open();
    const QueueTotals totals = must(engine_->describe_queue("orders")).totals;
    EXPECT_GE(totals.sent, sent);
    EXPECT_GE(totals.acked, settled);
    // The effect of the failing write may be there or not, so the test counts from what it finds.
    sent = totals.sent;
    settled = totals.acked;
    const QueueCounts left = counts("orders");
    EXPECT_EQ(left.ready + left.leased, sent - settled);
  }
}

}  // namespace
}  // namespace holdfast::testing
