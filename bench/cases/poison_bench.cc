// engine/poison10: the rate of the healthy messages when one message in ten is rejected to the dead letter
// queue, beside a run without poison. engine/poison10_released: the poisoned messages are released until the
// delivery limit.
#include <algorithm>
#include <string>
#include <string_view>

#include "bench/cases/cases.h"
#include "bench/contenders/engine_queue.h"
#include "bench/harness/comparison.h"
#include "bench/harness/temp_dir.h"
#include "holdfast/transaction.h"

namespace holdfast::bench {
namespace {

constexpr Workload kWorkload{.body_bytes = 1024, .batch = 100, .durability = Durability::kFsync};
constexpr std::uint64_t kOneIn = 10;
// Room for new messages and for those that came back, so that no backlog builds up.
constexpr std::size_t kReceive = 2 * kWorkload.batch;

constexpr const char* kDeadLetterQueue = "bench-dead";

bool is_poisoned(std::string_view body) { return stamp_of(body) % kOneIn == 0; }

enum class Failure { kReject, kRelease };

// A consumer that settles each batch at once: acks and failures are one transaction, and so one commit.
class PoisonedQueue {
 public:
  PoisonedQueue(Engine& engine, Failure failure) : engine_(engine), failure_(failure) {
    require(
        engine_.create_queue(kQueue, {.dead_letters = {.queue = kDeadLetterQueue}}, MissingQueues::kCreate),
        "create_queue");
  }

  // Returns how many healthy messages were acknowledged.
  std::uint64_t run(Bodies bodies) {
    require_all(engine_.send_batch(kQueue, to_messages(std::move(bodies))), "send");
    std::vector<Receipt> healthy;
    std::vector<Receipt> poisoned;
    for (const auto& delivery : require(engine_.receive(kQueue, {.max = kReceive}), "receive")) {
      (is_poisoned(delivery.body) ? poisoned : healthy).push_back(delivery.receipt);
    }
    settle(healthy, poisoned);
    return healthy.size();
  }

  // Requires that each of the poisoned messages is dead, or will be after further deliveries.
  void require_dead(std::uint64_t poisoned) {
    const auto left = require(engine_.describe_queue(kQueue), "describe_queue").counts;
    const auto dead = require(engine_.describe_queue(kDeadLetterQueue), "describe_queue").counts.dead;
    if (left.ready + left.waiting + left.leased + dead != poisoned)
      throw BenchError(std::to_string(dead) + " dead letters of " + std::to_string(poisoned) +
                       " poisoned messages");
  }

 private:
  void settle(const std::vector<Receipt>& healthy, const std::vector<Receipt>& poisoned) {
    Transaction all;
    for (const Receipt& receipt : healthy) all.ack(receipt);
    for (const Receipt& receipt : poisoned) {
      if (failure_ == Failure::kReject) {
        all.reject(receipt, {.category = "validation", .reason = "quantity must be > 0"});
      } else {
        all.release(receipt);
      }
    }
    require(engine_.commit(std::move(all)), "settle");
  }

  Engine& engine_;
  Failure failure_;
};

// Adds the poisoned messages to `poisoned`.
Sample run_poisoned(PoisonedQueue& queue, BodySource& bodies, std::chrono::duration<double> duration,
                    std::uint64_t& poisoned) {
  constexpr std::size_t kLapBatches = 10;
  Meter meter;
  while (meter.total().seconds < duration.count()) {
    std::vector<Bodies> lap(kLapBatches);
    std::uint64_t wanted = kLapBatches * kWorkload.batch;
    for (auto& batch : lap) {
      batch = bodies.next(kWorkload.batch);
      wanted -= static_cast<std::uint64_t>(std::ranges::count_if(batch, is_poisoned));
    }
    std::uint64_t healthy = 0;
    meter.start();
    for (auto& batch : lap) healthy += queue.run(std::move(batch));
    meter.stop(healthy);
    if (healthy != wanted) throw BenchError("the healthy messages received are not those sent");
    poisoned += kLapBatches * kWorkload.batch - wanted;
  }
  return meter.total();
}

void run_case(const std::string& name, Failure failure, benchmark::State& state, Run& run) {
  const TempDir directory(run.settings().data);
  Engine poisoned_engine = open_engine(directory.path() / "poisoned");
  Engine healthy_engine = open_engine(directory.path() / "healthy");
  PoisonedQueue poisoned(poisoned_engine, failure);
  EngineQueue healthy(healthy_engine, kQueue, kWorkload);
  BodySource poisoned_bodies(kWorkload.body_bytes);
  BodySource healthy_bodies(kWorkload.body_bytes);
  std::uint64_t all_poisoned = 0;
  compare(state, run, name,
          [&](auto duration) { return run_poisoned(poisoned, poisoned_bodies, duration, all_poisoned); },
          {{name, "no poison", [&](auto duration) {
              return run_lifecycles(healthy, healthy_bodies, kWorkload.batch, duration);
            }}});
  poisoned.require_dead(all_poisoned);
}

}  // namespace

std::vector<Case> poison_cases() {
  const auto make_case = [](const std::string& name, Failure failure) -> Case {
    return {.name = name, .body = [=](auto& state, Run& run) { run_case(name, failure, state, run); }};
  };
  return {make_case("engine/poison10", Failure::kReject),
          make_case("engine/poison10_released", Failure::kRelease)};
}

}  // namespace holdfast::bench
