#include "tests/simulation/run/run.h"

#include <chrono>
#include <string>

namespace holdfast::simulation {

Run::Run(std::uint64_t seed, const MakeWorld& make_world, bool breaks)
    : seed(seed), random(seed), world(make_world(random.below(UINT64_MAX))), breaks(breaks) {}

void Run::begin(std::uint64_t number) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // spreads the steps over all seeds
  step = number;
  random = testing::Random(seed ^ (number * kGoldenRatio));
}

const Subject& Run::any_queue(bool dead_letters) {
  for (;;) {
    const Subject& queue = random.pick(queues);
    if (queue.dead_letters == dead_letters) return queue;
  }
}

Duration Run::any_wait() {
  return std::chrono::milliseconds(random.one_in(3) ? random.between(60'000, 200'000)
                                                    : random.between(1, 2000));
}

Message Run::any_message(const Subject& queue) {
  Message message;
  message.body = std::to_string(++bodies);
  message.attributes = sent_with(message.body);
  message.group = "g" + std::to_string(random.below(3));
  message.priority = static_cast<std::uint32_t>(random.below(queue.options.priority.levels));
  if (random.one_in(3)) message.deduplication_id = "d" + std::to_string(random.below(20));
  const bool may_expire =
      !queue.options.dead_letters.queue.empty() || queue.options.expiry.policy == ExpiryPolicy::kDrop;
  if (may_expire && random.one_in(15)) message.time_to_live = any_wait();
  return message;
}

}  // namespace holdfast::simulation
