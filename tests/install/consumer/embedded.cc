// This is the README's first example, as a program of someone who installed Holdfast.
#include <holdfast/engine.h>

#include <cstdio>

#include "report.h"

using namespace std::chrono_literals;

int main(int argc, char** argv) {
  auto engine = holdfast::Engine::open(argc > 1 ? argv[1] : "data");
  if (!engine) return report(engine.error());

  auto created = engine->create_queue(
      "orders", {.retry = {.max_deliveries = 5}, .dead_letters = {.queue = "orders-dlq"}},
      holdfast::MissingQueues::kCreate);
  if (!created) return report(created.error());
  auto sent = engine->send("orders", {.body = "0 widgets", .attributes = {{"correlation-id", "c-17"}}});
  if (!sent) return report(sent.error());

  for (auto& delivery : *engine->receive("orders", {.max = 10, .lease = 30s, .wait = 5s})) {
    auto rejected =
        engine->reject(delivery.receipt, {.category = "validation", .reason = "quantity must be > 0"});
    if (!rejected) return report(rejected.error());
  }

  auto redriven = engine->redrive("orders-dlq");
  if (!redriven) return report(redriven.error());
  for (auto& delivery : *engine->receive("orders")) {
    if (auto acked = engine->ack(delivery.receipt); !acked) return report(acked.error());
    std::printf("%.*s, redriven %u times\n", static_cast<int>(delivery.body.size()), delivery.body.data(),
                delivery.replays);
  }
}
