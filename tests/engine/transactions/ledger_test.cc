// Transfers of money happen exactly once. The accounts lie in the engine, and crashes of every kind come
// between. Each message is acknowledged in the transaction that moves its money, so each message moves it
// once.
#include <map>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kAccounts = 4;

class Ledger {
 public:
  explicit Ledger(std::uint64_t seed) : random_(seed), disk_(std::make_shared<MemoryDisk>(seed)) {
    open();
    must(engine_->create_queue("transfers", {.lease = 10s}));
    must(engine_->create_queue("done"));
  }

  void step() {
    switch (random_.below(10)) {
      case 0:
        return crash();
      case 1:
        return advance(*engine_, clock_, 10s);
      case 2:
      case 3:
      case 4:
        return order_transfer();
      case 5:
        disk_->fail_commit(1 + random_.below(2),
                           random_.one_in(3) ? CommitOutcome::kFailed : CommitOutcome::kUnknown);
        work();
        crash();
        return disarm();
      default:
        work();
    }
  }

  // Checks that everything that was ordered was done once.
  void check() {
    crash();
    while (must(engine_->describe_queue("transfers")).counts != QueueCounts{}) {
      advance(*engine_, clock_, 10s);
      work();
    }
    for (const auto& [account, balance] : expected_) EXPECT_EQ(balance_of(account), balance) << account;
    EXPECT_EQ(must(engine_->describe_queue("done")).counts.ready, ordered_);
  }

 private:
  void open() {
    power_ = power_on();
    for (;;) {
      engine_.reset();
      auto store = std::make_unique<SwitchedStore>(must(open_memory_store(disk_)), power_);
      auto engine = EngineInside::open_over(std::move(store), {.clock = &clock_, .background = false});
      if (!engine) continue;  // the opening met a failure that was meant for work()
      engine_.emplace(*std::move(engine));
      auto accounts = engine_->open_family("accounts");
      if (!accounts) continue;
      accounts_ = *accounts;
      return;
    }
  }

  // Ends the process, and half of the time the machine too.
  void crash() {
    *power_ = false;
    engine_.reset();
    if (random_.one_in(2)) disk_->crash();
    open();
  }

  // Uses up a failure that work() did not meet.
  void disarm() {
    for (int i = 0; i < 2; ++i) {
      Transaction probe;
      probe.put(accounts_, "probe", "");
      if (!engine_->commit(std::move(probe))) crash();
    }
  }

  void order_transfer() {
    const std::string from = std::to_string(random_.below(kAccounts));
    const std::string to = std::to_string(random_.below(kAccounts));
    const auto amount = static_cast<std::int64_t>(random_.between(1, 100));
    Message message{.body = std::to_string(amount), .attributes = {{"from", from}, {"to", to}}};
    must(engine_->send("transfers", std::move(message)));
    expected_[from] -= amount;
    expected_[to] += amount;
    ++ordered_;
  }

  std::int64_t balance_of(const std::string& account) {
    return std::stoll(must(engine_->get(accounts_, account)).value_or("0"));
  }

  void work() {
    const auto deliveries = engine_->receive("transfers");
    if (!deliveries) return;
    for (const Delivery& delivery : *deliveries) {
      if (random_.one_in(8)) continue;  // the worker of this message dies
      const std::string from(find_attribute(delivery.attributes, "from"));
      const std::string to(find_attribute(delivery.attributes, "to"));
      std::map<std::string, std::int64_t> balances{{from, balance_of(from)}, {to, balance_of(to)}};
      const std::int64_t amount = std::stoll(std::string(delivery.body));
      balances[from] -= amount;
      balances[to] += amount;
      Transaction transfer;
      transfer.ack(delivery.receipt).send("done", {.body = std::string(delivery.body)});
      for (const auto& [account, balance] : balances) {
        transfer.put(accounts_, account, std::to_string(balance));
      }
      const auto durability = random_.one_in(2) ? Durability::kFsync : Durability::kBuffered;
      (void)engine_->commit(std::move(transfer), {.durability = durability});
    }
  }

  Random random_;
  ManualClock clock_;
  std::shared_ptr<MemoryDisk> disk_;
  PowerSwitch power_;
  std::optional<Engine> engine_;
  ApplicationFamily accounts_;
  std::map<std::string, std::int64_t> expected_;
  std::uint64_t ordered_ = 0;
};

TEST(LedgerTest, EveryTransferHappensOnce) {
  const std::uint64_t seeds = environment_count("HOLDFAST_LEDGER_SEEDS", 40);
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Ledger ledger(seed);
    for (int i = 0; i < 120; ++i) ledger.step();
    ledger.check();
  }
}

}  // namespace
}  // namespace holdfast::testing
