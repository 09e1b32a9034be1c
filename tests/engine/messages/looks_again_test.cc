// What a call found under a lock may be gone, or belong to others, when the call locks again. What other
// calls have done meanwhile is not told before it is committed.
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/answer.h"
#include "tests/support/archive.h"
#include "tests/support/damaged_store.h"
#include "tests/support/engine_time.h"
#include "tests/support/held_store.h"
#include "tests/support/paused_store.h"
#include "tests/support/result_matchers.h"
#include "tests/support/temp_dir.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

// An engine whose next look into a family can be held up.
class PausedEngine : public ::testing::Test {
 protected:
  explicit PausedEngine(Family family) : pause_(std::make_shared<Pause>(family)) {}
  ~PausedEngine() override { pause_->go_on(); }

  // Puts one dead letter into "dead".
  void die() {
    must(engine_.send("orders", {.body = "x"}));
    must(engine_.reject(must(engine_.receive("orders")).at(0).receipt, {.reason = "bad"}));
  }
  // Does what is due. `meanwhile` runs when that has looked into the family.
  void run_due_and(const std::function<void()>& meanwhile) {
    pause_->arm();
    std::thread due([&] { run_due_until_quiet(engine_, clock_); });
    pause_->wait_until_held();
    meanwhile();
    pause_->go_on();
    due.join();
  }

  ManualClock clock_;
  TempDir archive_;
  std::shared_ptr<Pause> pause_;
  Engine engine_ = must(EngineInside::open_over(
      std::make_unique<PausedStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))), open_gate(),
                                    pause_),
      {.clock = &clock_,
       .background = false,
       .message_cache_bytes = 1,
       .archive_directory = archive_.path()}));
};

class WhileChunksAreRead : public PausedEngine {
 protected:
  WhileChunksAreRead() : PausedEngine(Family::kMessages) {}
};

// The second queue is deleted after its message was released, and before the messages that died of the
// release are moved.
TEST_F(WhileChunksAreRead, AReleaseThatHappenedIsToldThoughItsQueueGoes) {
  std::vector<Receipt> receipts;
  must(engine_.create_queue("large"));
  for (const char* queue : {"first", "second"}) {
    must(engine_.create_queue(queue, {.retry = {.max_deliveries = 1}, .dead_letters = {.queue = "dead"}},
                              MissingQueues::kCreate));
    must(engine_.send(queue, {.body = "x"}));
    receipts.push_back(must(engine_.receive(queue)).at(0).receipt);
  }
  must(engine_.send("large", {.body = "takes all of the cache"}));
  pause_->arm();
  auto released = std::async(std::launch::async, [&] { return must(engine_.release_batch(receipts)); });
  pause_->wait_until_held();
  must(engine_.delete_queue("second"));
  pause_->go_on();
  EXPECT_THAT(released.get(), ::testing::Each(Succeeds()));
}

class WhileHistoryIsRead : public PausedEngine {
 protected:
  WhileHistoryIsRead() : PausedEngine(Family::kHistory) {}
};

TEST_F(WhileHistoryIsRead, RetentionKeepsWhatIsToBeKeptLongerNow) {
  must(engine_.create_queue("dead", {.retention = {.replayed = 1h}}));
  must(engine_.create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  die();
  must(engine_.redrive("dead"));
  must(engine_.ack(must(engine_.receive("orders")).at(0).receipt));
  const auto history = [&] {
    return must(engine_.list_dead_letters("dead", {.filter = {.history = true}})).items.size();
  };
  run_due_until_quiet(engine_, clock_);
  clock_.advance(2h);
  run_due_and([&] { must(engine_.alter_queue("dead", {.retention = {.replayed = 24h}})); });
  EXPECT_EQ(history(), 1U);
  advance(engine_, clock_, 24h);
  EXPECT_EQ(history(), 0U);
}

class WhileDeadLettersAreRead : public PausedEngine {
 protected:
  WhileDeadLettersAreRead() : PausedEngine(Family::kDeadLetters) {}
};

TEST_F(WhileDeadLettersAreRead, AnAutomaticRedriveThatWasTurnedOffMovesNothing) {
  must(engine_.create_queue("dead",
                            {.dead_letters = {.auto_redrive = AutoRedrive{.every = 10s, .backoff = 0s}}}));
  must(engine_.create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  die();
  run_due_until_quiet(engine_, clock_);
  clock_.advance(10s);
  run_due_and([&] { must(engine_.alter_queue("dead", {.dead_letters = {.auto_redrive = AutoRedrive{}}})); });
  EXPECT_EQ(must(engine_.describe_queue("dead")).counts.dead, 1U);
}

TEST_F(WhileDeadLettersAreRead, AQueueThatGoesGivesNothingUpForTheArchive) {
  must(engine_.create_queue(
      "dead",
      {.dead_letters = {
           .auto_redrive = AutoRedrive{
               .every = 10s, .backoff = 1h, .give_up_after = 1s, .on_give_up = OnGiveUp::kArchive}}}));
  must(engine_.create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  die();
  run_due_until_quiet(engine_, clock_);
  must(engine_.delete_queue("orders"));
  clock_.advance(10s);
  run_due_and([&] { must(engine_.delete_queue("dead")); });
  EXPECT_TRUE(must(engine_.list_queues()).empty());
}

// Dead letters in chunks of three. All but the middle ones are settled after their records were read, and the
// chunks are made smaller before they are read.
class WhileChunksAreMadeSmaller : public WhileDeadLettersAreRead {
 protected:
  static constexpr std::size_t kInChunk = 3;
  static constexpr std::size_t kChunks = 200;  // so many that a queue minds what is done in them
  static constexpr std::size_t kBytes = 100;

  WhileChunksAreMadeSmaller() {
    must(engine_.create_queue("dead", {.retention = {.abandoned = 1h}}));
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dead"}}));
    const std::vector<Message> messages(kInChunk, {.body = std::string(kBytes, 'x')});
    for (std::size_t i = 0; i < kChunks; ++i) {
      must(engine_.send_batch("orders", messages));
      std::vector<Receipt> receipts;
      for (const auto& delivery : must(engine_.receive("orders", {.max = kInChunk})))
        receipts.push_back(delivery.receipt);
      for (const auto& rejected : must(engine_.reject_batch(receipts, {}))) must(rejected);
    }
  }

  void settle_all_but_the_middle_ones() {
    const Deliveries deliveries = must(engine_.receive("dead", {.max = kInChunk * kChunks, .lease = 12h}));
    ASSERT_EQ(deliveries.size(), kInChunk * kChunks);
    std::vector<Receipt> done;
    std::vector<Receipt> kept;
    for (std::size_t i = 0; i < deliveries.size(); ++i)
      (i % kInChunk == 1 ? kept : done).push_back(deliveries[i].receipt);
    for (const auto& acked : must(engine_.ack_batch(done))) must(acked);
    for (const auto& released : must(engine_.release_batch(kept, {.charge = false}))) must(released);
    advance(engine_, clock_, 10s);
  }
};

TEST_F(WhileChunksAreMadeSmaller, RetentionArchivesNothingOfWhatWasSettled) {
  must(engine_.change_dead_letters("dead", {.all = true}, {.status = DeadLetterStatus::kAbandoned}));
  run_due_until_quiet(engine_, clock_);
  clock_.advance(2h);
  run_due_and([&] { settle_all_but_the_middle_ones(); });
  const std::vector<DeadLetter> archived = read_archive(archive_.path());
  EXPECT_EQ(archived.size(), kChunks);
  for (const DeadLetter& letter : archived) EXPECT_EQ(letter.body.size(), kBytes);
}

// The first call of the function is for the first letter. By then all records are read, and one chunk.
TEST_F(WhileChunksAreMadeSmaller, ARedriveGivesItsFunctionNothingOfWhatWasSettled) {
  std::size_t calls = 0;
  const auto function = [&](const DeadLetter& letter) -> Result<Message> {
    if (calls++ == 0) std::async(std::launch::async, [&] { settle_all_but_the_middle_ones(); }).get();
    EXPECT_EQ(letter.body.size(), kBytes);
    return Message{.body = letter.body};
  };
  EXPECT_EQ(must(engine_.redrive("dead", {}, function)).moved, kChunks);
  EXPECT_LT(calls, kInChunk * kChunks);
}

class WhileScheduledMessagesAreRead : public PausedEngine {
 protected:
  WhileScheduledMessagesAreRead() : PausedEngine(Family::kScheduled) {}
};

// The look takes longer than the lease.
TEST_F(WhileScheduledMessagesAreRead, TheLeaseOfAReceiveThatWaitsBeginsAfterwards) {
  must(engine_.create_queue("orders"));
  must(engine_.send("orders", {.body = "later", .delay = 1min}));
  Answer<Result<Deliveries>> received;
  engine_.async_receive("orders", {.lease = 1s, .wait = 1h}, received.callback());
  clock_.advance(1min);
  run_due_and([&] { clock_.advance(2s); });
  const Deliveries deliveries = must(received.get());
  ASSERT_EQ(deliveries.size(), 1U);
  EXPECT_EQ(deliveries[0].lease_expires_at, clock_.now() + 1s);
}

TEST_F(WhileScheduledMessagesAreRead, AMessageThatExpiresMeanwhileIsNotHandedOut) {
  must(engine_.create_queue("orders", {.expiry = {.policy = ExpiryPolicy::kDrop}}));
  must(engine_.send("orders", {.body = "later", .delay = 1min, .time_to_live = 1s}));
  Answer<Result<Deliveries>> received;
  const auto token = engine_.async_receive("orders", {.wait = 1h}, received.callback());
  clock_.advance(1min);
  run_due_and([&] { clock_.advance(2s); });
  engine_.cancel_receive(token);
  EXPECT_TRUE(must(received.get()).empty());
}

// An engine whose next commit can be held up.
class HeldEngine : public ::testing::Test {
 protected:
  ~HeldEngine() override { hold_->go_on(); }

  // Returns when the engine's thread has done everything that was left to it before, as far as it can without
  // a commit.
  void wait_for_background() {
    Answer<BatchResult<void>> stale;
    engine_.async_release_batch(std::vector<Receipt>{Receipt{}}, {}, stale.callback());
    EXPECT_THAT(must(stale.get()).at(0), FailsWith(ErrorCode::kMessageNotFound));
  }

  ManualClock clock_;
  std::shared_ptr<Hold> hold_ = std::make_shared<Hold>();
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>(1);
  Engine engine_ =
      must(EngineInside::open_over(std::make_unique<HeldStore>(must(open_memory_store(disk_)), hold_),
                                   {.clock = &clock_, .background = false}));
};

TEST_F(HeldEngine, ADeletionIsNotToldBeforeItIsCommitted) {
  must(engine_.create_queue("orders"));
  must(engine_.send("orders", {.body = "x"}));
  const std::vector<Receipt> receipts{must(engine_.receive("orders")).at(0).receipt};
  Answer<Result<Deliveries>> waits;
  engine_.async_receive("orders", {.wait = 1h}, waits.callback());
  hold_->arm();
  auto deleted = std::async(std::launch::async, [&] { return engine_.delete_queue("orders"); });
  hold_->wait_until_held();

  Answer<BatchResult<Sent>> sent;
  Answer<Result<Deliveries>> received;
  std::array<Answer<BatchResult<void>>, 3> settled;
  Answer<Result<Committed>> committed;
  engine_.async_send_batch("orders", {{.body = "y"}}, {}, sent.callback());
  engine_.async_receive("orders", {}, received.callback());
  engine_.async_ack_batch(receipts, {}, settled[0].callback());
  engine_.async_reject_batch(receipts, {}, {}, settled[1].callback());
  engine_.async_release_batch(receipts, {}, settled[2].callback());
  engine_.async_commit(Transaction().send("orders", {.body = "z"}), {}, committed.callback());
  wait_for_background();
  EXPECT_FALSE(sent.here());
  EXPECT_FALSE(received.here());
  EXPECT_FALSE(waits.here());
  for (auto& answer : settled) EXPECT_FALSE(answer.here());
  EXPECT_FALSE(committed.here());
  auto listed = std::async(std::launch::async, [&] { return must(engine_.list_queues()).size(); });
  auto described = std::async(std::launch::async, [&] { return engine_.describe_queue("orders"); });
  auto purged = std::async(std::launch::async, [&] { return engine_.purge_queue("orders"); });
  auto blocked = std::async(std::launch::async, [&] { return engine_.receive("orders", {.wait = 1h}); });
  hold_->go_on();

  EXPECT_THAT(deleted.get(), Succeeds());
  EXPECT_THAT(sent.get(), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(received.get(), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(waits.get(), FailsWith(ErrorCode::kQueueNotFound));
  for (auto& answer : settled) EXPECT_THAT(must(answer.get()).at(0), FailsWith(ErrorCode::kMessageNotFound));
  EXPECT_THAT(committed.get(), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_EQ(listed.get(), 0U);
  EXPECT_THAT(described.get(), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(purged.get(), FailsWith(ErrorCode::kQueueNotFound));
  EXPECT_THAT(blocked.get(), FailsWith(ErrorCode::kQueueNotFound));
}

TEST_F(HeldEngine, ADeletionThatCannotBeWrittenIsNotTold) {
  must(engine_.create_queue("orders"));
  Answer<Result<Deliveries>> waits;
  engine_.async_receive("orders", {.wait = 1h}, waits.callback());
  disk_->fail_commit(1, CommitOutcome::kFailed);
  hold_->arm();
  auto deleted = std::async(std::launch::async, [&] { return engine_.delete_queue("orders"); });
  hold_->wait_until_held();
  Answer<Result<Deliveries>> received;
  engine_.async_receive("orders", {}, received.callback());
  hold_->go_on();
  EXPECT_THAT(deleted.get(), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_THAT(waits.get(), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_THAT(received.get(), FailsWith(ErrorCode::kStorageFailed));
  EXPECT_THAT(engine_.close(), FailsWith(ErrorCode::kStorageFailed));
  Engine reopened =
      must(EngineInside::open_over(must(open_memory_store(disk_)), {.clock = &clock_, .background = false}));
  EXPECT_THAT(reopened.describe_queue("orders"), Succeeds());
}

TEST_F(HeldEngine, TheDroppingOfAFamilyIsNotToldBeforeItIsCommitted) {
  const ApplicationFamily family = must(engine_.open_family("state"));
  must(engine_.commit(Transaction().put(family, "key", "value")));
  hold_->arm();
  auto dropped = std::async(std::launch::async, [&] { return engine_.drop_family("state"); });
  hold_->wait_until_held();
  Answer<Result<Committed>> committed;
  engine_.async_commit(Transaction().put(family, "key", "later"), {}, committed.callback());
  wait_for_background();
  EXPECT_FALSE(committed.here());
  EXPECT_EQ(must(engine_.get(family, "key")), "value");
  EXPECT_EQ(must(engine_.list_families()).size(), 1U);
  hold_->go_on();
  EXPECT_THAT(dropped.get(), Succeeds());
  EXPECT_THAT(committed.get(), FailsWith(ErrorCode::kFamilyNotFound));
  EXPECT_THAT(engine_.get(family, "key"), FailsWith(ErrorCode::kFamilyNotFound));
}

// Two callers start the last task that may run. The one that is refused is answered while the task of the
// other is being written.
TEST_F(HeldEngine, NoMoreTasksStartThanMayRun) {
  must(engine_.create_queue("dead"));
  for (std::size_t i = 1; i < limits::kRunningTasks; ++i) must(engine_.redrive("dead", {.wait = false}));
  hold_->arm();
  Answer<Result<Redriven>> refused;
  std::array<std::future<void>, 2> callers;
  std::atomic<int> started = 0;
  for (auto& caller : callers) {
    caller = std::async(std::launch::async, [&, tell = refused.callback()] {
      auto task = engine_.redrive("dead", {.wait = false});
      task ? void(++started) : tell(std::move(task));
    });
  }
  hold_->wait_until_held();
  EXPECT_NO_THROW(EXPECT_THAT(refused.get(), FailsWith(ErrorCode::kLimitExceeded)));
  hold_->go_on();
  for (auto& caller : callers) caller.get();
  EXPECT_EQ(started, 1);
  EXPECT_THAT(engine_.redrive("dead", {.wait = false}), FailsWith(ErrorCode::kLimitExceeded));
}

// The engine is closed while a receive commits. The receive gives back, uncharged, a message that cannot be
// read, and that is written too.
TEST(LooksAgain, ClosingWritesWhatAReceiveGaveBack) {
  for (int round = 0; round < 20; ++round) {
    ManualClock clock;
    const auto disk = std::make_shared<MemoryDisk>(1);
    const auto hold = std::make_shared<Hold>();
    const auto damage = std::make_shared<DamagedRows>();
    const auto open = [&] {
      auto store = std::make_unique<DamagedStore>(must(open_memory_store(disk)), damage);
      return must(EngineInside::open_over(std::make_unique<HeldStore>(std::move(store), hold),
                                          {.clock = &clock, .background = false, .message_cache_bytes = 1}));
    };
    {
      Engine engine = open();
      must(engine.create_queue("orders"));
      for (const char* body : {"a", "b"}) must(engine.send("orders", {.body = body}));
      // The queue's state knows both messages, so that the receive reads nothing before its commit.
      std::vector<Receipt> receipts;
      for (const auto& delivery : must(engine.receive("orders", {.max = 2})))
        receipts.push_back(delivery.receipt);
      for (const auto& released : must(engine.release_batch(receipts, {.charge = false}))) must(released);
      damage->add(Family::kMessages, keys::queue_seq(receipts[0].queue, receipts[0].seq));
      hold->arm();
      Answer<Result<Deliveries>> received;
      engine.async_receive("orders", {.max = 2, .lease = 12h}, received.callback());
      hold->wait_until_held();
      auto closed = std::async(std::launch::async, [&] { return engine.close(); });
      while (engine.list_queues()) std::this_thread::yield();
      hold->go_on();
      EXPECT_EQ(must(received.get()).size(), 1U);
      EXPECT_THAT(closed.get(), Succeeds());
    }
    damage->repair();
    Engine engine = open();
    const QueueCounts counts = must(engine.describe_queue("orders")).counts;
    ASSERT_EQ(counts.leased, 1U) << "round " << round;
  }
}

}  // namespace
}  // namespace holdfast::testing
