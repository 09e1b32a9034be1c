// A commit stores chunks anew with nothing but their stragglers. If the commit fails or is lost, no straggler
// is lost.
#include <algorithm>
#include <iterator>
#include <map>

#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kInChunk = 3;  // one message of each chunk stays
constexpr std::size_t kReplayedChunks = 20;
constexpr std::size_t kChunks = 400;  // so many that a queue minds, and that three steps are needed

// A queue of chunks that are garbage except for one message each, which is leased, given back or waiting.
class Stragglers : public CrashableEngine {
 public:
  explicit Stragglers(std::uint64_t seed) : CrashableEngine(seed) {
    must(engine_->create_queue(
        "orders", {.lease = 12h, .durability = Durability::kBuffered, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
    must(engine_->create_queue("probe"));
    for (std::size_t i = 0; i < kReplayedChunks; ++i) {
      send_chunk();
      reject_all();
    }
    for (std::size_t i = 0; i < kReplayedChunks; ++i) must(engine_->redrive("dlq", {.max = kInChunk}));
    for (std::size_t i = kReplayedChunks; i < kChunks; ++i) send_chunk();
    settle();
    probe(Durability::kFsync);
  }

  void fail_commit(std::uint64_t nth, CommitOutcome outcome) { disk_->fail_commit(nth, outcome); }
  void crash(Crash how) { CrashableEngine::crash(how); }

  // Does what is due, with a commit behind each step. Returns how many steps were committed.
  std::uint64_t compact_chunks() {
    clock_.advance(10s);
    for (std::uint64_t steps = 0;; ++steps) {
      const Timestamp next = engine_->run_due();
      if (!engine_->send("probe", {.body = "x"}, {.durability = Durability::kBuffered})) return steps;
      if (next > clock_.now()) return steps + 1;
    }
  }

  // Returns the bytes of all messages, as a process finds them after the one before was killed.
  std::size_t stored_bytes() {
    end(Crash::kProcess);
    std::size_t bytes = 0;
    {
      const auto store = must(open_memory_store(disk_));
      const auto scan = store->scan(Family::kMessages, {}, std::string(32, '\xff'));
      for (; scan->valid(); scan->next()) bytes += scan->value().size();
    }
    open();
    return bytes;
  }

  // Checks that each straggler is there once and unchanged, also after more chunks were compacted in this
  // life.
  void expect_all() {
    EXPECT_TRUE(must(engine_->verify()).sound());
    advance(*engine_, clock_, 12h);
    for (int i = 0; i < 5; ++i) advance(*engine_, clock_, 10s);
    probe(Durability::kFsync);
    crash(Crash::kMachine);
    run_due_until_quiet(*engine_, clock_);
    EXPECT_TRUE(must(engine_->verify()).sound());
    EXPECT_EQ(must(engine_->describe_queue("orders")).counts, (QueueCounts{.ready = kept_.size()}));
    std::map<MessageId, Kept> missing = kept_;
    for (const Delivery& delivery : receive_all()) {
      const auto kept = missing.find(delivery.id);
      ASSERT_NE(kept, missing.end()) << delivery.id.to_string() << " is done, or there twice";
      EXPECT_EQ(delivery.body, kept->second.body);
      EXPECT_EQ(delivery.deliveries, kept->second.deliveries);
      EXPECT_EQ(delivery.replays, kept->second.replays);
      missing.erase(kept);
    }
    EXPECT_TRUE(missing.empty()) << missing.size() << " are gone";
  }

 private:
  struct Kept {
    std::string body;
    std::uint32_t deliveries = 0;  // what the count is when the message is handed out again
    std::uint32_t replays = 0;
  };

  // Sends a chunk, which is what one commit makes.
  void send_chunk() {
    std::vector<Message> messages;
    for (std::size_t i = 0; i < kInChunk; ++i)
      messages.push_back({.body = std::to_string(++sent_) + std::string(100, 'x')});
    for (const auto& sent : must(engine_->send_batch("orders", std::move(messages)))) must(sent);
  }
  Deliveries receive_all() {
    Deliveries all;
    for (;;) {
      Deliveries some = must(engine_->receive("orders", {.max = 100}));
      if (some.empty()) return all;
      std::ranges::move(some, std::back_inserter(all));
    }
  }
  void reject_all() {
    for (const Delivery& delivery : receive_all())
      must(engine_->reject(delivery.receipt, {.reason = "bad"}, {.durability = Durability::kBuffered}));
  }
  // Settles all messages. Gives the stragglers back last, since the engine then sees how many chunks are
  // garbage.
  void settle() {
    std::vector<Receipt> done;
    Deliveries kept;
    for (Delivery& delivery : receive_all()) {
      if ((kept.size() + done.size()) % kInChunk == 0) {
        kept.push_back(std::move(delivery));
      } else {
        done.push_back(delivery.receipt);
      }
    }
    for (const auto& acked : must(engine_->ack_batch(done))) must(acked);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      const Delivery& one = kept[i];
      if (i % 3 == 1) must(engine_->release(one.receipt));
      if (i % 3 == 2) must(engine_->release(one.receipt, {.delay = 30s, .charge = false}));
      kept_[one.id] = {std::string(one.body), i % 3 == 2 ? 1U : 2U, one.replays};
    }
  }
  void probe(Durability durability) {
    must(engine_->send("probe", {.body = "x"}, {.durability = durability}));
  }

  std::size_t sent_ = 0;
  std::map<MessageId, Kept> kept_;
};

// The seed chooses how much of the unsynced writes is lost, and whether a commit of unknown outcome is there.
class ThinningTest : public ::testing::TestWithParam<std::uint64_t> {
 protected:
  CommitOutcome outcome() const {
    return GetParam() % 2 == 0 ? CommitOutcome::kFailed : CommitOutcome::kUnknown;
  }
  Crash crash() const { return GetParam() / 2 % 2 == 0 ? Crash::kProcess : Crash::kMachine; }
};
INSTANTIATE_TEST_SUITE_P(Seeds, ThinningTest, ::testing::Range<std::uint64_t>(1, 9));

TEST_P(ThinningTest, LosesNoStragglerWhenItsLastCommitsAreLost) {
  const std::size_t before = Stragglers(GetParam()).stored_bytes();
  Stragglers stragglers(GetParam());
  ASSERT_GE(stragglers.compact_chunks(), 3U);
  stragglers.crash(crash());
  if (crash() == Crash::kProcess) {
    EXPECT_LT(stragglers.stored_bytes(), before);
  }
  stragglers.expect_all();
}

TEST_P(ThinningTest, LosesNoStragglerWhicheverOfItsCommitsFails) {
  const std::uint64_t steps = Stragglers(GetParam()).compact_chunks();
  for (std::uint64_t nth = 1; nth <= steps; ++nth) {
    SCOPED_TRACE("commit " + std::to_string(nth));
    Stragglers stragglers(GetParam() + 100 * nth);
    stragglers.fail_commit(nth, outcome());
    EXPECT_LT(stragglers.compact_chunks(), steps);
    stragglers.crash(crash());
    stragglers.expect_all();
  }
}

}  // namespace
}  // namespace holdfast::testing
