// The index of dead letters agrees with their records, whatever a power loss takes.
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "engine/verify/verify.h"
#include "holdfast/engine.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/dead_letter_audit.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

TEST(DeadLetterWalk, LooksAtNoMoreThanItIsTold) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  {
    Engine engine = must(EngineInside::open_over(must(open_memory_store(disk)), {.background = false}));
    must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
    for (int i = 0; i < 5; ++i) {
      must(engine.send("orders", {.body = "x"}));
      must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = std::to_string(i)}));
    }
  }
  const auto store = must(open_memory_store(disk));
  for (const std::size_t examine : {4U, 5U}) {
    std::size_t seen = 0;
    const auto next = must(walk_dead_letters(*store, QueueId{1}, {.cause = DeathCause::kRejected},
                                             {.examine = examine}, [&](const auto&, const auto&) {
                                               ++seen;
                                               return Walk::kOn;
                                             }));
    EXPECT_EQ(seen, examine);
    EXPECT_EQ(next.has_value(), examine == 4);
  }
}

// Returns how many rows one more death leaves behind, in all families, if its queue searches by these
// attributes. The message has a customer and a correlation id.
std::size_t rows_of_a_death(std::vector<std::string> searched) {
  const auto disk = std::make_shared<MemoryDisk>(1);
  ManualClock clock;
  const auto die = [&] {
    Engine engine =
        must(EngineInside::open_over(must(open_memory_store(disk)), {.clock = &clock, .background = false}));
    if (!engine.describe_queue("orders")) {
      must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
      must(engine.alter_queue("dlq", {.dead_letters = {.searched_attributes = searched}}));
    }
    must(engine.send("orders", {.body = "x", .attributes = {{"customer", "4711"}, {"correlation-id", "c"}}}));
    must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.category = "c", .reason = "r"}));
  };
  const auto rows = [&] {
    const auto store = must(open_memory_store(disk));
    std::size_t count = 0;
    for (std::size_t i = 0; i < kFamilyCount; ++i) {
      const auto family = static_cast<Family>(i);
      for (const auto scan = store->scan(family, {}, std::string(64, '\xff')); scan->valid(); scan->next())
        ++count;
    }
    must(store->close());
    return count;
  };
  die();  // writes what all deaths share: definitions, counts, and the arrivals of the hour
  const std::size_t before = rows();
  die();
  return rows() - before;
}

// The rows of a death are a message, its record, two ids, and a posting for each of nine kinds that every
// record has.
TEST(DeadLetterRows, OfADeathAreNoMoreWhereNothingIsSearched) {
  constexpr std::size_t kRows = 13;
  EXPECT_EQ(rows_of_a_death({}), kRows);
  EXPECT_EQ(rows_of_a_death({"nothing that it has"}), kRows);
  EXPECT_EQ(rows_of_a_death({"customer"}), kRows + 1);
  EXPECT_EQ(rows_of_a_death({"customer", "correlation-id"}), kRows + 2);
}

class DeadLetterIndex : public ::testing::TestWithParam<std::uint64_t>, public CrashableEngine {
 protected:
  DeadLetterIndex() : CrashableEngine(GetParam()) {
    must(engine_->create_queue(
        "orders", {.lease = 10s, .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
    must(engine_->alter_queue("dlq", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
  }

  void audit(bool power_loss) {
    if (!power_loss) must(engine_->close());
    end(power_loss ? Crash::kMachine : Crash::kProcess);
    {
      const auto store = must(open_memory_store(disk_));
      EXPECT_EQ(stored_index(*store), expected_index(*store));
      for (const Finding& finding : verify_store(*store).findings) {
        ADD_FAILURE() << finding.kind << ": " << finding.where << ": " << finding.what;
      }
      must(store->close());
    }
    open();
    run_due_until_quiet(*engine_, clock_);
  }

  void step() {
    clock_.advance(1s);
    const std::string queue = random_.one_in(3) ? "dlq" : "orders";
    switch (random_.below(10)) {
      case 0:
      case 1:
        for (std::uint64_t i = random_.below(20); i > 0; --i) must(engine_->send("orders", {.body = "x"}));
        return;
      case 2:
      case 3:
        for (const Delivery& delivery : must(engine_->receive(queue, {.max = random_.between(1, 30)}))) {
          must(engine_->reject(delivery.receipt, {.category = std::to_string(random_.below(3)),
                                                  .reason = "reason " + std::to_string(random_.below(99))}));
        }
        return;
      case 4:
        for (const Delivery& delivery : must(engine_->receive(queue, {.max = random_.between(1, 30)}))) {
          must(random_.one_in(2) ? engine_->ack(delivery.receipt) : engine_->release(delivery.receipt));
        }
        return;
      case 5:
        must(engine_->receive(queue, {.max = 5, .consumer = {.instance = "w", .version = "2"}}));
        clock_.advance(11s);
        run_due_until_quiet(*engine_, clock_);
        return;
      case 6:
        must(engine_->redrive("dlq", {.filter = {.category = std::to_string(random_.below(3))}}));
        return;
      case 7:
        must(engine_->change_dead_letters(
            "dlq", {.filter = {.category = std::to_string(random_.below(3))}},
            {.status = random_.one_in(2) ? DeadLetterStatus::kFixed : DeadLetterStatus::kAbandoned,
             .assignee = std::to_string(random_.below(3))}));
        return;
      case 8:
        must(
            engine_->discard_dead_letters("dlq", {.filter = {.category = std::to_string(random_.below(3))}}));
        return;
      default:
        if (random_.one_in(6)) must(engine_->purge_queue(queue));
    }
  }

  Random random_{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Seeds, DeadLetterIndex, ::testing::Range<std::uint64_t>(1, 31));

TEST_P(DeadLetterIndex, EqualsTheRecords) {
  for (int round = 0; round < 8; ++round) {
    for (std::uint64_t steps = random_.between(5, 25); steps > 0; --steps) step();
    audit(random_.one_in(2));
  }
}

}  // namespace
}  // namespace holdfast::testing
