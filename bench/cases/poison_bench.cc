// engine/poison10: the rate of the healthy messages when one message in ten is rejected to the dead letter
// queue, beside a run without poison. engine/poison10_released: the poisoned messages are released until the
// delivery limit.
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

enum class Failure { kReject, kRelease };

// A consumer that settles each batch at once: acks and failures are one transaction, and so one commit.
class PoisonedQueue {
 public:
  PoisonedQueue(Engine& engine, Failure failure) : engine_(engine), failure_(failure) {
    require(engine_.create_queue(kQueue, {.dead_letters = {.queue = "bench-dead"}}, MissingQueues::kCreate),
            "create_queue");
  }

  // Returns how many healthy messages were acknowledged.
  std::uint64_t run(Bodies bodies) {
    require_all(engine_.send_batch(kQueue, to_messages(std::move(bodies))), "send");
    std::vector<Receipt> healthy;
    std::vector<Receipt> poisoned;
    for (const auto& delivery : require(engine_.receive(kQueue, {.max = kReceive}), "receive")) {
      (stamp_of(delivery.body) % kOneIn == 0 ? poisoned : healthy).push_back(delivery.receipt);
    }
    settle(healthy, poisoned);
    return healthy.size();
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

Sample run_poisoned(PoisonedQueue& queue, BodySource& bodies, std::chrono::duration<double> duration) {
  constexpr std::size_t kLapBatches = 10;
  Meter meter;
  while (meter.total().seconds < duration.count()) {
    std::vector<Bodies> lap(kLapBatches);
    for (auto& batch : lap) batch = bodies.next(kWorkload.batch);
    std::uint64_t healthy = 0;
    meter.start();
    for (auto& batch : lap) healthy += queue.run(std::move(batch));
    meter.stop(healthy);
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
  compare(state, run, name, [&](auto duration) { return run_poisoned(poisoned, poisoned_bodies, duration); },
          {{name, "no poison", [&](auto duration) {
              return run_lifecycles(healthy, healthy_bodies, kWorkload.batch, duration);
            }}});
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
