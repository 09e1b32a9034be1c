// The process that the redrive kill test kills: redrive_child <directory> <messages> <round> <how>. It makes
// that many dead letters if there are none, starts a task if there is none, and works on the task until it is
// done, while more messages die. It prints a line for each step, and "done" at the end. With "all" as <how>,
// the task moves everything. With "canary" it moves a few messages first, and a consumer acknowledges what
// comes. With "failing-canary" the consumer rejects what comes.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "holdfast/engine.h"
#include "tests/crash/redrive_canary.h"
#include "tests/support/engine_time.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

constexpr Duration kStep = std::chrono::milliseconds(50);
constexpr std::size_t kConsumed = 200;

void die(Engine& engine, std::size_t count) {
  constexpr std::size_t kBatch = 1000;
  for (std::size_t dead = 0; dead < count; dead += kBatch) {
    const std::vector<Message> messages(std::min(kBatch, count - dead), Message{.body = "early"});
    must(engine.send_batch("orders", messages, {.durability = Durability::kBuffered}));
    std::vector<Receipt> receipts;
    for (const Delivery& delivery : must(engine.receive("orders", {.max = kBatch})))
      receipts.push_back(delivery.receipt);
    must(engine.reject_batch(receipts, {.category = "early"}, {.durability = Durability::kBuffered}));
  }
}

// Settles everything that has come in one call, if anything has come.
void consume(Engine& engine, const std::string& how) {
  if (how == "all") return;
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : must(engine.receive("orders", {.max = kConsumed})))
    receipts.push_back(delivery.receipt);
  if (receipts.empty()) return;
  if (how == "canary") {
    for (const auto& acked : must(engine.ack_batch(receipts))) must(acked);
  } else {
    for (const auto& rejected : must(engine.reject_batch(receipts, {.category = "again"}))) must(rejected);
  }
  std::cout << "settled " << receipts.size() << std::endl;
}

void run(Engine& engine, ManualClock& clock, std::size_t messages, const std::string& how) {
  // A message may have more deliveries than there are kills.
  must(engine.create_queue("orders", {.retry = {.max_deliveries = 1000}, .dead_letters = {.queue = "dlq"}},
                           MissingQueues::kCreate));
  if (must(engine.list_redrives()).empty()) {
    die(engine, messages);
    // The task takes a hundred steps, so that kills meet them.
    must(engine.redrive("dlq", {.rate = static_cast<std::uint32_t>(messages / 5),
                                .canary = how == "all" ? 0 : kRedriveCanary,
                                .wait = false}));
  }
  const TaskId task = must(engine.list_redrives()).front().id;
  for (;;) {
    const TaskStatus status = must(engine.redrive_status(task));
    if (status.state != TaskState::kRunning) break;
    std::cout << "moved " << status.moved << std::endl;
    must(engine.send("late", {.body = "late"}));
    must(engine.reject(must(engine.receive("late")).front().receipt, {.category = "late"}));
    consume(engine, how);
    advance(engine, clock, kStep);
  }
  std::cout << "done" << std::endl;
}

}  // namespace
}  // namespace holdfast::testing

int main(int argc, char** argv) {
  using namespace holdfast;
  using namespace holdfast::testing;
  if (argc != 5) return 2;
  ManualClock clock(kTestEpoch + std::chrono::minutes(std::stoul(argv[3])));
  Engine engine = must(Engine::open(argv[1], {.clock = &clock, .background = false}));
  must(engine.create_queue("late", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  run(engine, clock, std::stoul(argv[2]), argv[4]);
}
