#include "bench/contenders/engine_queue.h"

#include <algorithm>

namespace holdfast::bench {

Engine open_engine(const std::filesystem::path& directory) {
  return require(Engine::open(directory), "open");
}

std::vector<Message> to_messages(Bodies bodies) {
  std::vector<Message> messages;
  messages.reserve(bodies.size());
  for (auto& body : bodies) messages.push_back({.body = std::move(body)});
  return messages;
}

std::vector<Receipt> receipts_of(const Deliveries& deliveries) {
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const auto& delivery : deliveries) receipts.push_back(delivery.receipt);
  return receipts;
}

void fill(Engine& engine, const std::string& queue, BodySource& bodies, std::size_t count) {
  constexpr std::size_t kBatch = 100;
  while (count > 0) {
    const std::size_t batch = std::min(count, kBatch);
    require_all(
        engine.send_batch(queue, to_messages(bodies.next(batch)), {.durability = Durability::kBuffered}),
        "send");
    count -= batch;
  }
}

EngineQueue::EngineQueue(Engine& engine, std::string queue, const Workload& workload,
                         const QueueOptions& options, Shape shape)
    : engine_(engine), queue_(std::move(queue)), shape_(std::move(shape)), durability_(workload.durability) {
  require(engine_.create_queue(queue_, options, MissingQueues::kCreate), "create_queue");
}

std::uint64_t EngineQueue::run(Bodies bodies) {
  const std::size_t count = bodies.size();
  send(std::move(bodies));
  const std::uint64_t sum = receive(count);
  ack();
  return sum;
}

void EngineQueue::send(Bodies bodies) {
  if (bodies.size() == 1) {
    require(engine_.send(queue_, {.body = std::move(bodies.front())}, {.durability = durability_}), "send");
    return;
  }
  auto messages = to_messages(std::move(bodies));
  if (shape_) {
    for (Message& message : messages) shape_(message, sent_++);
  }
  require_all(engine_.send_batch(queue_, std::move(messages), {.durability = durability_}), "send");
}

std::uint64_t EngineQueue::receive(std::size_t count) {
  std::uint64_t sum = 0;
  receipts_.clear();
  while (receipts_.size() < count) {
    const auto deliveries = require(engine_.receive(queue_, {.max = count - receipts_.size()}), "receive");
    if (deliveries.empty()) throw BenchError("receive: nothing there");
    for (const auto& delivery : deliveries) {
      sum += stamp_of(delivery.body);
      receipts_.push_back(delivery.receipt);
    }
  }
  return sum;
}

void EngineQueue::ack() {
  if (receipts_.size() == 1) {
    require(engine_.ack(receipts_.front(), {.durability = durability_}), "ack");
  } else {
    require_all(engine_.ack_batch(receipts_, {.durability = durability_}), "ack");
  }
}

}  // namespace holdfast::bench
