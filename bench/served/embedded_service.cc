#include "bench/served/embedded_service.h"

#include "bench/served/broker_ends.h"

namespace holdfast::bench {
namespace {

class EngineEnd final : public Producer, public Consumer {
 public:
  EngineEnd(Engine& engine, std::string queue, const Workload& workload)
      : engine_(engine), queue_(std::move(queue)), workload_(workload) {}

  void send(const Bodies& bodies) override { send_to(engine_, queue_, workload_, bodies); }
  void consume(const std::function<void(std::string_view)>& each) override {
    consume_from(engine_, queue_, workload_, each);
  }

 private:
  Engine& engine_;
  const std::string queue_;
  const Workload workload_;
};

}  // namespace

EmbeddedService::EmbeddedService(const std::filesystem::path& directory)
    : engine_(require(Engine::open(directory / "embedded"), "open")) {}

void EmbeddedService::make_queue(const std::string& queue, const Workload& workload) {
  require(engine_.create_queue(queue, {.durability = workload.durability}), "create_queue");
}

std::unique_ptr<Producer> EmbeddedService::producer(const std::string& queue, const Workload& workload) {
  return std::make_unique<EngineEnd>(engine_, queue, workload);
}

std::unique_ptr<Consumer> EmbeddedService::consumer(const std::string& queue, const Workload& workload) {
  return std::make_unique<EngineEnd>(engine_, queue, workload);
}

}  // namespace holdfast::bench
