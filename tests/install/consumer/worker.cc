// This is a worker over an embedded engine, as a program of someone who installed Holdfast.
#include <holdfast/engine.h>
#include <holdfast/worker.h>

#include <cstdio>

#include "report.h"

int main(int argc, char** argv) {
  auto engine = holdfast::Engine::open(argc > 1 ? argv[1] : "data");
  if (!engine) return report(engine.error());
  if (auto created = engine->create_queue("orders"); !created) return report(created.error());
  if (auto sent = engine->send("orders", {.body = "12 widgets"}); !sent) return report(sent.error());

  const auto handle = [](const holdfast::Delivery& delivery, const holdfast::WorkContext&) {
    std::printf("worked on %.*s\n", static_cast<int>(delivery.body.size()), delivery.body.data());
    return holdfast::Work::done();
  };
  auto worker = holdfast::Worker::make(*engine, {.queue = "orders", .handler = handle});
  if (!worker) return report(worker.error());
  if (auto worked = worker->run_until_empty(); !worked) return report(worked.error());
}
