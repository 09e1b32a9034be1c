// Imports of values that only an embedding process can give: the clients of a server have no such values.
#include <functional>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/engine.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

TEST(Import, RefusesValuesWithoutAMeaning) {
  Engine engine = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))), {}));
  must(engine.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  must(engine.send("orders", {.body = "a"}));
  must(engine.reject(must(engine.receive("orders")).at(0).receipt, {.reason = "bad"}));
  const DeadLetter letter = must(engine.list_dead_letters("dlq", {.filter = {}, .bodies = true})).items.at(0);
  must(engine.purge_queue("dlq"));

  struct Named {
    const char* field;
    std::function<void(DeadLetter&)> set;
  };
  const std::vector<Named> all = {
      {"cause", [](DeadLetter& l) { l.record.cause = DeathCause{99}; }},
      {"first_death.cause", [](DeadLetter& l) { l.record.first_death = FirstDeath{.cause = DeathCause{0}}; }},
      {"an attempt's end", [](DeadLetter& l) { l.record.attempts.kept = {{.end = AttemptEnd{4}}}; }},
      {"status", [](DeadLetter& l) { l.triage.status = DeadLetterStatus{6}; }},
  };
  for (const auto& [field, set] : all) {
    DeadLetter changed = letter;
    set(changed);
    EXPECT_THAT(engine.import_dead_letters("dlq", {changed}),
                FailsNaming(ErrorCode::kInvalidArgument, field));
  }
  EXPECT_EQ(must(engine.import_dead_letters("dlq", {letter})).imported, 1U);
}

}  // namespace
}  // namespace holdfast::testing
