#include "tests/interleaving/many_callers.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "engine/sync/interleaver.h"
#include "engine/sync/thread.h"
#include "holdfast/engine.h"
#include "tests/crash/load.h"
#include "tests/crash/oracle.h"
#include "tests/crash/queues.h"
#include "tests/crash/survivors.h"
#include "tests/interleaving/round.h"
#include "tests/interleaving/turns.h"
#include "tests/support/manual_clock.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kRounds = 2;

// Says which commit from now on fails, and how.
struct Fault {
  std::uint64_t nth;
  CommitOutcome outcome;
};

// This store lets others go first before and after it writes.
class PausingStore final : public SwitchedStore {
 public:
  PausingStore(const std::shared_ptr<MemoryDisk>& disk, PowerSwitch power, std::optional<Fault> fault)
      : SwitchedStore(must(open_memory_store(disk)), std::move(power)), disk_(disk), fault_(fault) {}

  CommitResult commit(Batch& batch, Durability durability) override {
    sync::pause();
    if (fault_ && --fault_->nth == 0) disk_->fail_commit(1, fault_->outcome);
    CommitResult result = SwitchedStore::commit(batch, durability);
    sync::pause();
    return result;
  }

 private:
  const std::shared_ptr<MemoryDisk> disk_;
  std::optional<Fault> fault_;
};

class World {
 public:
  World(std::uint64_t seed, Campaign& campaign)
      : campaign_(campaign),
        random_(seed),
        clock_(seed),
        disk_(std::make_shared<MemoryDisk>(seed)),
        callers_(random_.between(3, 8)) {}

  void run() {
    for (std::size_t number = 0; number < kRounds && campaign_.wrong.empty(); ++number) play(number);
  }
  // Returns what came of all calls, for the trace.
  const std::string& told() const { return told_; }

 private:
  Engine open(const PowerSwitch& power, const Clock& clock, bool background,
              std::optional<Fault> fault = {}) {
    return must(EngineInside::open_over(std::make_unique<PausingStore>(disk_, power, fault),
                                        {.clock = &clock, .background = background, .id_salt = ++openings_}));
  }

  // Draws a fault. It comes some commits after those of the opening and of the queues.
  std::optional<Fault> draw_fault(End end) {
    constexpr std::uint64_t kFirst = 10;
    if (end == End::kFailedWrite) return Fault{kFirst + random_.below(50), CommitOutcome::kFailed};
    if (end == End::kUnknownWrite) return Fault{kFirst + random_.below(50), CommitOutcome::kUnknown};
    return std::nullopt;
  }

  void play(std::size_t number) {
    const PowerSwitch power = power_on();
    const End end_of_round = random_.pick(std::vector{End::kClose, End::kCloseAmidst, End::kFailedWrite,
                                                      End::kUnknownWrite, End::kDeath, End::kDeath});
    Round round{.number = number,
                .end = end_of_round,
                .engine = open(power, clock_, true, draw_fault(end_of_round)),
                .transfers = {},
                .clock = clock_,
                .log = CallLog(1 + number * 1'000'000),
                .campaign = campaign_};
    for (const CrashQueue& queue : crash_queues()) {
      if (number == 0) must(round.engine->create_queue(queue.name, queue.options, MissingQueues::kCreate));
    }
    round.transfers = must(round.engine->open_family(kTransfers));
    call_all(round, *power);
    end(round);
  }

  void call_all(Round& round, std::atomic<bool>& power) {
    std::vector<std::function<void()>> callers;
    for (std::size_t i = 0; i < callers_; ++i)
      callers.push_back(make_caller(round, random_.below(UINT64_MAX), i));
    const std::uint64_t turns = random_.below(600);
    std::vector<sync::Thread> threads;
    for (const auto& caller : callers) threads.emplace_back(caller);
    if (round.end == End::kDeath || round.end == End::kCloseAmidst) {
      threads.emplace_back([&] {
        for (std::uint64_t i = 0; i < turns; ++i) sync::pause();
        if (round.end == End::kDeath) {
          power = false;
          return;
        }
        round.closing = true;
        if (const auto closed = round.engine->close(); !closed) {
          round.complain("close: " + to_string(closed.error()));
        }
      });
    }
    for (sync::Thread& thread : threads) thread.join();
    round.closing = true;
    closed_well_ = round.end != End::kDeath && round.engine->close();
    power = false;
    round.engine.reset();
    if (round.unanswered != 0)
      round.complain(std::to_string(round.unanswered) + " callbacks were never called");
  }

  void end(Round& round) {
    const bool machine = random_.one_in(2);
    ++campaign_.ends[std::string(machine ? "machine" : "process") + " " +
                     std::to_string(static_cast<int>(round.end)) + (closed_well_ ? " closed" : "")];
    for (const LogLine& line : round.log.lines()) {
      told_ += std::to_string(line.op);
      for (const std::string& word : line.words) told_.append(" ").append(word);
      told_ += '\n';
    }
    if (!closed_well_ && !round.writes_may_fail()) round.complain("the engine could not be closed");
    // Every answer holds until the power is lost. After that, only what was on disk holds.
    Oracle before = oracle_;
    for (const LogLine& line : round.log.lines()) oracle_.read(line);
    for (const std::string& wrong : oracle_.impossible()) round.complain(wrong);
    if (machine) disk_->crash();
    if (machine && !closed_well_) {
      oracle_ = std::move(before);
      for (const LogLine& line : round.log.after_power_loss()) oracle_.read(line);
    }
    judge();
  }

  void judge() {
    clock_.advance(1h);
    const ManualClock clock(clock_.seen());
    Engine engine = open(power_on(), clock, false);
    for (const QueueInfo& queue : must(engine.list_queues())) {
      if (queue.paused != Pause{}) must(engine.resume_queue(queue.name, {true, true}));
    }
    if (const auto deleted = engine.delete_queue(kScratch);
        !deleted && deleted.error().code != ErrorCode::kQueueNotFound)
      must(deleted);
    for (const char* queue : {"work", "orders"})
      must(engine.alter_queue(queue, {.limits = {.max_leased = 0}}));
    const Findings findings = find_survivors(engine, clock);
    must(engine.close());
    for (const std::string& wrong : findings.wrong) campaign_.wrong.push_back(wrong);
    for (const std::string& wrong : oracle_.check(findings.survivors, findings.transfers))
      campaign_.wrong.push_back(wrong);
    told_ += std::to_string(findings.survivors.size()) + " survivors\n";
  }

  Campaign& campaign_;
  Random random_;
  MovingClock clock_;
  const std::shared_ptr<MemoryDisk> disk_;
  const std::size_t callers_;
  Oracle oracle_;
  std::uint64_t openings_ = 0;
  bool closed_well_ = false;
  std::string told_;
};

}  // namespace

Campaign run_many_callers(std::uint64_t seed) {
  Campaign campaign;
  RandomTurns chooser(seed);
  Turns turns(chooser,
              "HOLDFAST_MANY_CALLERS_SEEDS=1 HOLDFAST_MANY_CALLERS_FIRST_SEED=" + std::to_string(seed),
              5'000'000);
  std::string told;
  turns.run({[&] {
    World world(seed, campaign);
    world.run();
    told = world.told();
  }});
  campaign.trace = std::hash<std::string>{}(told + std::to_string(turns.turns()));
  return campaign;
}

}  // namespace holdfast::testing
