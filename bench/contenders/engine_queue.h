// EngineQueue uses the engine, which the benchmarks use only through its public API.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "bench/contenders/lifecycle.h"
#include "holdfast/engine.h"

namespace holdfast::bench {

inline constexpr const char* kQueue = "bench";

Engine open_engine(const std::filesystem::path& directory);

// Makes the messages of a batch. The bodies are moved.
std::vector<Message> to_messages(Bodies bodies);

std::vector<Receipt> receipts_of(const Deliveries& deliveries);

// Sends messages in large batches and buffered. This is not measured.
void fill(Engine& engine, const std::string& queue, BodySource& bodies, std::size_t count);

// Sets what a queue's messages have beside their bodies. The number says how many messages were sent before.
using Shape = std::function<void(Message&, std::uint64_t)>;

// EngineQueue is one queue of an engine, which must outlive this object. A batch of one goes through the
// calls for one message.
class EngineQueue final : public Lifecycle {
 public:
  EngineQueue(Engine& engine, std::string queue, const Workload& workload, const QueueOptions& options = {},
              Shape shape = {});

  std::uint64_t run(Bodies bodies) override;

 private:
  void send(Bodies bodies);
  std::uint64_t receive(std::size_t count);
  void ack();

  Engine& engine_;
  std::string queue_;
  Shape shape_;
  std::uint64_t sent_ = 0;
  Durability durability_;
  std::vector<Receipt> receipts_;
};

}  // namespace holdfast::bench
