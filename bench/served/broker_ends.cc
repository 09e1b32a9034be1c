#include "bench/served/broker_ends.h"

namespace holdfast::bench {

void send_to(Broker& broker, const std::string& queue, const Workload& workload, const Bodies& bodies) {
  std::vector<Message> messages;
  messages.reserve(bodies.size());
  for (const std::string& body : bodies) messages.push_back({.body = body});
  require_all(broker.send_batch(queue, std::move(messages), {.durability = workload.durability}), "send");
}

void consume_from(Broker& broker, const std::string& queue, const Workload& workload,
                  const std::function<void(std::string_view)>& each) {
  const auto deliveries =
      require(broker.receive(queue, {.max = workload.batch, .wait = kReceiveTimeout}), "receive");
  if (deliveries.empty()) return;
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    each(delivery.body);
    receipts.push_back(delivery.receipt);
  }
  require_all(broker.ack_batch(receipts, {.durability = workload.durability}), "ack");
}

}  // namespace holdfast::bench
