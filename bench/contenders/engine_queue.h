// The engine, as the benchmarks use it: only through its public API.
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

// A batch of bodies as the messages to send. The bodies move.
std::vector<Message> to_messages(Bodies bodies);

std::vector<Receipt> receipts_of(const Deliveries& deliveries);

// Sends without being measured, in large batches and buffered.
void fill(Engine& engine, const std::string& queue, BodySource& bodies, std::size_t count);

// What a queue's messages have beside their body; by the number of messages sent before it.
using Shape = std::function<void(Message&, std::uint64_t)>;

// One queue of an engine that outlives this. A batch of one goes through the calls for one message.
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
