#include "tests/simulation/run/waiting_receive.h"

#include <utility>

#include "tests/support/answer.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

struct WaitingReceive::Wait {
  explicit Wait(const Subject* of) : queue(of) {}
  const Subject* queue;
  testing::Answer<Result<Deliveries>> answer;
};

Engine::ReceiveToken WaitingReceive::start(const Subject& queue) {
  wait_ = std::make_shared<Wait>(&queue);
  return run_.world->engine().async_receive(queue.name, {.max = run_.random.between(1, 10), .wait = 1h},
                                            wait_->answer.callback());
}

bool WaitingReceive::end_wait() {
  if (!wait_) return true;
  const auto wait = std::exchange(wait_, nullptr);
  const Result<Deliveries> answer = wait->answer.get();
  run_.mark(Mark::kGivenWhileWaiting, answer && !answer->empty());
  deliveries_.note_answer("waited", *wait->queue, answer, true);
  if (!answer && answer.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(answer.error()));
  return answer.has_value();
}

}  // namespace holdfast::simulation
