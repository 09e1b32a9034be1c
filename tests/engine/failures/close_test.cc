// The engine is closed while a verb works through many messages. The verb is broken off. backup_test.cc has
// the tests of backups.
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "holdfast/limits.h"
#include "tests/support/answer.h"
#include "tests/support/held_store.h"
#include "tests/support/hold.h"
#include "tests/support/paused_store.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

std::unique_ptr<Store> memory_store() { return must(open_memory_store(std::make_shared<MemoryDisk>(1))); }

// Begins to close. Returns once the engine refuses calls. close() still waits for the calls that are under
// way.
std::future<Result<void>> begin_close(Engine& engine) {
  auto closed = std::async(std::launch::async, [&engine] { return engine.close(); });
  while (engine.health().writes) std::this_thread::yield();
  return closed;
}

// Watches and holds up the scans of a store's snapshots.
struct Watch {
  Pause scans{Family::kMessages};
  std::atomic<std::uint64_t> steps = 0;  // how many steps all scans have made
};

class WatchedScan final : public Scan {
 public:
  WatchedScan(std::unique_ptr<Scan> scan, Watch& watch) : scan_(std::move(scan)), watch_(watch) {}

  bool valid() const override { return scan_->valid(); }
  void next() override {
    ++watch_.steps;
    scan_->next();
  }
  std::string_view key() const override { return scan_->key(); }
  std::string_view value() const override { return scan_->value(); }
  Result<void> status() const override { return scan_->status(); }

 private:
  std::unique_ptr<Scan> scan_;
  Watch& watch_;
};

class WatchedReader final : public Reader {
 public:
  WatchedReader(std::unique_ptr<Reader> reader, Watch& watch) : reader_(std::move(reader)), watch_(watch) {}

  Result<std::optional<std::string>> get(Family family, std::string_view key) const override {
    return reader_->get(family, key);
  }
  std::unique_ptr<Scan> scan(Family family, std::string_view begin, std::string_view end) const override {
    watch_.scans.looked_into(family);
    return std::make_unique<WatchedScan>(reader_->scan(family, begin, end), watch_);
  }
  std::vector<Family> application_families() const override { return reader_->application_families(); }

 private:
  std::unique_ptr<Reader> reader_;
  Watch& watch_;
};

class WatchedStore final : public SwitchedStore {
 public:
  WatchedStore(std::unique_ptr<Store> store, std::shared_ptr<Watch> watch)
      : SwitchedStore(std::move(store), power_on()), watch_(std::move(watch)) {}

  std::unique_ptr<Reader> snapshot() const override {
    return std::make_unique<WatchedReader>(SwitchedStore::snapshot(), *watch_);
  }

 private:
  std::shared_ptr<Watch> watch_;
};

TEST(Close, BreaksOffVerifyWithoutAFinding) {
  const auto watch = std::make_shared<Watch>();
  Engine engine = must(
      EngineInside::open_over(std::make_unique<WatchedStore>(memory_store(), watch), {.background = false}));
  must(engine.create_queue("orders"));
  for (int i = 0; i < 3; ++i) must(engine.send("orders", {.body = "x"}));
  watch->scans.arm();
  auto report = std::async(std::launch::async, [&] { return engine.verify(); });
  watch->scans.wait_until_held();
  const std::uint64_t steps = watch->steps;
  auto closed = begin_close(engine);
  watch->scans.go_on();
  EXPECT_THAT(report.get(), FailsWith(ErrorCode::kClosed));
  EXPECT_EQ(watch->steps, steps);
  must(closed.get());
}

// The compactions of this store end only when they are cancelled.
class EndlessStore final : public SwitchedStore {
 public:
  using Started = std::shared_ptr<std::atomic<bool>>;
  EndlessStore(std::unique_ptr<Store> store, Started started)
      : SwitchedStore(std::move(store), power_on()), started_(std::move(started)) {}

  Result<void> compact(Family /*family*/, std::string_view /*begin*/, std::string_view /*end*/,
                       std::atomic<bool>* cancel) override {
    *started_ = true;
    started_->notify_all();
    while (cancel != nullptr && !*cancel) std::this_thread::yield();
    return {};
  }

 private:
  Started started_;
};

TEST(Close, BreaksOffACompaction) {
  const auto started = std::make_shared<std::atomic<bool>>(false);
  Engine engine = must(EngineInside::open_over(std::make_unique<EndlessStore>(memory_store(), started),
                                               {.background = false}));
  auto compacted = std::async(std::launch::async, [&] { return engine.compact(); });
  started->wait(false);
  must(engine.close());
  EXPECT_THAT(compacted.get(), FailsWith(ErrorCode::kClosed));
}

// Puts more dead letters into "dlq" than one step of a redrive, or of its dry run, looks at.
void kill_large_ones(Engine& engine) {
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  for (int i = 0; i < 6; ++i) {
    must(engine.send("orders", {.body = std::string(limits::kBodyBytes, 'x')}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {}));
  }
}

TEST(Close, BreaksOffADryRun) {
  const auto pause = std::make_shared<Pause>(Family::kDeadLetters);
  Engine engine = must(EngineInside::open_over(
      std::make_unique<PausedStore>(memory_store(), open_gate(), pause), {.background = false}));
  kill_large_ones(engine);
  pause->arm();
  auto dry_run = std::async(std::launch::async, [&] { return engine.redrive("dlq", {.dry_run = true}); });
  pause->wait_until_held();
  auto closed = begin_close(engine);
  pause->go_on();
  EXPECT_THAT(dry_run.get(), FailsWith(ErrorCode::kClosed));
  must(closed.get());
}

// Closes an engine while `send` sends to a queue whose bound was lowered far below its length, and which gets
// there in parts. `send` begins on a thread of its own, and returns when it is answered.
void expect_to_break_off_the_making_of_room(const std::function<Result<void>(Engine&)>& send) {
  constexpr std::uint64_t kParts = 4;
  const auto disk = std::make_shared<MemoryDisk>(1);
  const auto hold = std::make_shared<Hold>();
  {
    Engine engine = must(EngineInside::open_over(
        std::make_unique<HeldStore>(must(open_memory_store(disk)), hold), {.background = false}));
    must(engine.create_queue("log"));
    for (std::uint64_t i = 0; i < kParts; ++i)
      must(engine.send_batch("log", std::vector<Message>(limits::kBatchEntries, Message{.body = "a"})));
    must(engine.alter_queue("log", {.limits = {.max_length = 1, .on_overflow = OverflowPolicy::kDropHead}}));
    hold->arm();
    auto sent = std::async(std::launch::async, [&] { return send(engine); });
    hold->wait_until_held();
    auto closed = begin_close(engine);
    hold->go_on();
    must(sent.get());
    must(closed.get());
  }
  Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
  EXPECT_GT(must(engine.describe_queue("log")).counts.ready, (kParts - 2) * limits::kBatchEntries);
  must(engine.send("log", {.body = "c"}));
  EXPECT_EQ(must(engine.describe_queue("log")).counts.ready, 1U);
}

TEST(Close, BreaksOffTheMakingOfRoom) {
  expect_to_break_off_the_making_of_room([](Engine& engine) -> Result<void> {
    const auto sent = engine.send("log", {.body = "b"});
    return sent ? Result<void>() : tl::unexpected(sent.error());
  });
}

TEST(Close, BreaksOffTheMakingOfRoomOfACallWithACallback) {
  expect_to_break_off_the_making_of_room([](Engine& engine) -> Result<void> {
    Answer<BatchResult<Sent>> answer;
    engine.async_send_batch("log", {{.body = "b"}}, {}, answer.callback());
    const auto sent = answer.get();
    return sent ? Result<void>() : tl::unexpected(sent.error());
  });
}

// An engine that is opened later does not have the function. So a repetition would find an interrupted task.
TEST(Close, EndsARedriveWithAFunction) {
  Engine engine = must(EngineInside::open_over(memory_store(), {.background = false}));
  kill_large_ones(engine);
  std::future<Result<void>> closed;
  const auto redriven =
      engine.redrive("dlq", {.request_id = "one"}, [&](const DeadLetter&) -> Result<Message> {
        if (!closed.valid()) closed = begin_close(engine);
        return Message{.body = "made anew"};
      });
  EXPECT_THAT(redriven, FailsNaming(ErrorCode::kOutcomeUnknown, "ends with it"));
  must(closed.get());
}

}  // namespace
}  // namespace holdfast::testing
