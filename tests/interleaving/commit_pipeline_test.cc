// These tests are about the commit pipeline under every interleaving of a few callers, blocking and with
// callbacks. Its store lets others go first before and after it writes. Each answer is checked where it
// leaves: what it answers is in the store, and as durable as was asked.
#include "engine/commit/commit_pipeline.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/storage/memory/memory_store.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/thread.h"
#include "tests/interleaving/turns.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast {
namespace {

using testing::Chooser;
using testing::environment_number;
using testing::Exhaustive;
using testing::must;
using testing::RandomTurns;
using testing::Turns;

constexpr auto kFsync = Durability::kFsync;
constexpr auto kBuffered = Durability::kBuffered;
constexpr Family kRows = Family::kCatalog;

// This store knows which rows are there, and which of them a power loss would leave.
class WitnessStore final : public testing::SwitchedStore {
 public:
  WitnessStore(std::unique_ptr<Store> store, std::optional<int> fails_at)
      : SwitchedStore(std::move(store), testing::power_on()), fails_at_(fails_at) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    sync::pause();
    EXPECT_FALSE(failed_) << "nothing is written after a failed write";
    if (fails_at_ == commits_++) {
      failed_ = true;
      return {*fails_at_ % 2 == 0 ? CommitOutcome::kFailed : CommitOutcome::kUnknown, "of a test"};
    }
    CommitResult result = SwitchedStore::commit(batch, durability);
    for (const auto all = scan(kRows, "", "\xff"); all->valid(); all->next()) applied.emplace(all->key());
    if (durability == kFsync) synced = applied;
    sync::pause();
    return result;
  }

  std::set<std::string, std::less<>> applied;
  std::set<std::string, std::less<>> synced;

 private:
  const std::optional<int> fails_at_;
  int commits_ = 0;
  bool failed_ = false;
};

// A queue as the pipeline sees it: changes wait under its lock for the group that takes them.
class Rows final : public Contributor {
 public:
  Rows() : Contributor(mutex) {}

  Result<void> contribute(GroupWrites& writes) override {
    for (const std::string& key : std::exchange(waiting_, {})) writes.rows.put(kRows, key, "contributed");
    return {};
  }
  Result<void> contribute_early(GroupWrites&) override { return {}; }

  sync::Mutex mutex;
  void add(std::string key) { waiting_.push_back(std::move(key)); }

 private:
  std::vector<std::string> waiting_;
};

// One run: a pipeline, and what its callers were told.
class PipelineRun {
 public:
  explicit PipelineRun(std::optional<int> fails_at)
      : store_(std::make_unique<WitnessStore>(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                              fails_at)),
        pipeline_(std::in_place, *store_) {
    pipeline_->on_failure([this](const Error&) {
      EXPECT_FALSE(told_of_failure_);
      EXPECT_FALSE(pipeline_->healthy());
      told_of_failure_ = true;
    });
    EXPECT_TRUE(pipeline_->start());
  }

  // Writes a row, and blocks until it is answered.
  void write(const std::string& key, Durability durability) {
    const GroupNumber group = join(key, durability);
    answer(key, durability, group, pipeline_->wait(group));
  }
  // Writes a row that a callback answers.
  void post(const std::string& key, Durability durability) {
    const GroupNumber group = join(key, durability);
    // A callback that comes after its group has ended is only promised to be called.
    const auto in_time = std::make_shared<bool>(false);
    pipeline_->on_commit(group, [this, key, durability, group, in_time](const Result<void>& outcome) {
      if (outcome && *in_time) {
        EXPECT_GE(group, last_called_) << "callbacks come in the order of their groups";
        last_called_ = group;
      }
      answer(key, durability, group, outcome);
    });
    *in_time = !pipeline_->committed(group);
  }
  // Writes a row that a callback answers, and waits for the callback.
  void post_and_await(const std::string& key, Durability durability) {
    post(key, durability);
    sync::Lock lock(mutex_);
    while (!answers_.contains(key)) answered_.wait(lock);
  }
  // Writes a row that a callback answers. The callback writes another row, as a callback of the engine's may.
  void post_then_post(const std::string& key, Durability durability) {
    const GroupNumber group = join(key, durability);
    pipeline_->on_commit(group, [this, key, durability, group](const Result<void>& outcome) {
      answer(key, durability, group, outcome);
      if (outcome) post(key + "+", durability);
    });
  }
  // Writes a row that a callback answers. The callback leaves something to be written.
  void post_then_leave(const std::string& key, Durability durability) {
    const GroupNumber group = join(key, durability);
    pipeline_->on_commit(group, [this, key, durability, group](const Result<void>& outcome) {
      answer(key, durability, group, outcome);
      if (outcome) leave(key + "-");
    });
  }
  // Joins a row and waits for nobody: the thread that stops the pipeline has the row written.
  void leave(const std::string& key) {
    const Gate::Pass pass(pipeline_->gate());
    pipeline_->join_row(kRows, key, "left", kBuffered);
    left_.insert(key);
  }
  void stop() { stopped_ = pipeline_->stop(); }

  // Checks the answers. Called after stop().
  void check(bool may_fail) const {
    for (const auto& [key, count] : answers_) EXPECT_EQ(count, 1) << key << " is answered once";
    EXPECT_EQ(answers_.size(), asked_);
    if (pipeline_->healthy()) {
      for (const std::string& key : left_) EXPECT_TRUE(store_->applied.contains(key)) << key;
      EXPECT_TRUE(stopped_);
    } else {
      EXPECT_TRUE(may_fail);
      EXPECT_TRUE(told_of_failure_);
    }
  }

 private:
  GroupNumber join(const std::string& key, Durability durability) {
    ++asked_;
    const Gate::Pass pass(pipeline_->gate());
    // Half of the rows come from one contributor, so that groups meet it once and more than once.
    if (key.back() % 2 == 0) return pipeline_->join_row(kRows, key, "row", durability);
    const std::scoped_lock lock(rows_->mutex);
    rows_->add(key);
    return pipeline_->join(rows_, durability);
  }

  void answer(const std::string& key, Durability asked, GroupNumber group, const Result<void>& outcome) {
    {
      const std::scoped_lock lock(mutex_);
      ++answers_[key];
      answered_.notify_all();
    }
    if (!outcome) return;
    EXPECT_TRUE(store_->applied.contains(key)) << key << " is answered before it is written";
    if (asked == kFsync) {
      EXPECT_TRUE(store_->synced.contains(key)) << key << " is answered before it is on disk";
      EXPECT_EQ(pipeline_->durability_of(group), kFsync) << key << " is said to be less durable than it is";
    }
  }

  const std::unique_ptr<WitnessStore> store_;
  std::optional<CommitPipeline> pipeline_;
  const std::shared_ptr<Rows> rows_ = std::make_shared<Rows>();
  sync::Mutex mutex_;
  sync::ConditionVariable answered_;
  std::map<std::string, int> answers_;
  std::set<std::string> left_;
  std::size_t asked_ = 0;
  GroupNumber last_called_{};
  bool told_of_failure_ = false;
  Result<void> stopped_;
};

using Caller = std::function<void(PipelineRun&)>;

// Plays the callers on threads, and then the end of the pipeline, with the turns that the chooser gives.
void play(Chooser& chooser, const std::string& label, const std::vector<Caller>& callers,
          std::optional<int> fails_at) {
  SCOPED_TRACE(label);
  Turns turns(chooser, label);
  turns.run({[&] {
    PipelineRun run(fails_at);
    {
      std::vector<sync::Thread> threads;
      for (const Caller& caller : callers) threads.emplace_back([&run, &caller] { caller(run); });
      for (sync::Thread& thread : threads) thread.join();
    }
    run.stop();
    run.check(fails_at.has_value());
  }});
}

std::size_t walk_through(std::size_t preemptions, const std::vector<Caller>& callers,
                         std::optional<int> fails_at = std::nullopt) {
  Exhaustive walk(preemptions);
  do play(walk, walk.label(), callers, fails_at);
  while (!::testing::Test::HasFailure() && walk.next());
  return walk.runs();
}

void blocks(PipelineRun& run) { run.write("a1", kFsync); }
void blocks_too(PipelineRun& run) { run.write("g2", kBuffered); }
void blocks_again(PipelineRun& run) { run.write("j1", kFsync); }
void blocks_twice(PipelineRun& run) {
  run.write("b1", kBuffered);
  run.write("b2", kFsync);
}
void calls_back(PipelineRun& run) { run.post("c1", kFsync); }
void awaits_a_callback(PipelineRun& run) { run.post_and_await("i1", kFsync); }
void calls_back_twice(PipelineRun& run) {
  run.post("d2", kBuffered);
  run.post("d3", kFsync);
}
void calls_back_and_on(PipelineRun& run) { run.post_then_post("e1", kFsync); }
void calls_back_and_leaves(PipelineRun& run) { run.post_then_leave("h1", kFsync); }
void leaves(PipelineRun& run) { run.leave("f1"); }

// Returns how many preemptions there may be. A campaign may allow more.
std::size_t preemptions(std::size_t otherwise) {
  return environment_number("HOLDFAST_INTERLEAVING_PREEMPTIONS", otherwise);
}

TEST(CommitPipelineInterleavings, TwoCallers) {
  std::size_t runs = walk_through(preemptions(2), {blocks, calls_back});
  for (const Caller& first : {Caller(blocks), Caller(blocks_twice), Caller(calls_back_twice)}) {
    for (const Caller& second : {Caller(awaits_a_callback), Caller(calls_back_and_on),
                                 Caller(calls_back_and_leaves), Caller(leaves)}) {
      runs += walk_through(preemptions(1), {first, second});
    }
  }
  std::printf("%zu interleavings\n", runs);
}

TEST(CommitPipelineInterleavings, ThreeCallers) {
  const std::size_t runs = walk_through(preemptions(1), {blocks, blocks_too, calls_back});
  std::printf("%zu interleavings\n", runs);
}

TEST(CommitPipelineInterleavings, AWriteThatFails) {
  std::size_t runs = 0;
  for (const int fails_at : {0, 1}) {
    runs += walk_through(preemptions(1), {blocks_twice, calls_back_twice}, fails_at);
    runs += walk_through(preemptions(1), {blocks, calls_back_and_on}, fails_at);
  }
  runs += walk_through(preemptions(1), {blocks, blocks_too, blocks_again}, 0);
  std::printf("%zu interleavings\n", runs);
}

// There are more callers and preemptions than can be walked through. HOLDFAST_INTERLEAVING_FIRST_SEED repeats
// a run.
// A contributor that two threads joined at once could be missing from its group.
TEST(CommitPipelineLocks, AContributorThatIsNotLockedStopsTheProcess) {
  const auto join = [] {
    WitnessStore store(must(open_memory_store(std::make_shared<MemoryDisk>(1))), std::nullopt);
    CommitPipeline pipeline(store);
    const Gate::Pass pass(pipeline.gate());
    pipeline.join(std::make_shared<Rows>(), Durability::kFsync);
  };
  EXPECT_DEATH(join(), "the calling thread holds the mutex");
}

TEST(CommitPipelineInterleavings, AtRandom) {
  const std::uint64_t first = environment_number("HOLDFAST_INTERLEAVING_FIRST_SEED", 1);
  const std::uint64_t count = environment_number("HOLDFAST_INTERLEAVING_SEEDS", 1000);
  const auto some = [](std::string name, int writes, Durability durability) -> Caller {
    return [name = std::move(name), writes, durability](PipelineRun& run) {
      for (int i = 0; i < writes; ++i) {
        const std::string key = name + std::to_string(i);
        i % 2 == 0 ? run.write(key, durability) : run.post(key, durability);
      }
    };
  };
  for (std::uint64_t seed = first; seed < first + count && !HasFailure(); ++seed) {
    RandomTurns random(seed);
    const std::optional<int> fails_at =
        seed % 4 == 0 ? std::optional<int>(static_cast<int>(seed / 4 % 10)) : std::nullopt;
    play(random, random.label(),
         {some("a", 6, kFsync), some("b", 6, kBuffered), some("c", 4, kFsync), calls_back_twice,
          calls_back_and_on, leaves},
         fails_at);
  }
}

}  // namespace
}  // namespace holdfast
