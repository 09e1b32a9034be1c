// The consumer of the example tells apart what may succeed later, which it releases, and what never will,
// which it rejects. Orders for the warehouse time out until they come back from the dead letter queue.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "tools/examples/reprocessor/actors.h"

namespace holdfast::example {
namespace {

using Json = nlohmann::json;

// Returns what is wrong with the order; its category is empty if nothing is.
Failure judge(const Delivery& delivery) {
  const Json order = Json::parse(delivery.body, nullptr, false);
  if (!order.is_object() || !order.contains("quantity"))
    return {.category = "schema", .reason = "the body is not an order"};
  if (order["quantity"] < 1) return {.category = "validation", .reason = "quantity is less than 1"};
  if (!order.contains("warehouse") || delivery.replays > 0) return {};
  constexpr int kSeconds[] = {5, 10, 30};  // each delivery waits longer
  return {.category = "timeout",
          .reason = "no answer from the warehouse within " +
                    std::to_string(kSeconds[std::min<std::size_t>(delivery.deliveries, 3) - 1]) + " s",
          .causes = {{.code = "ETIMEDOUT", .message = "connect: Connection timed out"}}};
}

// Releases what may succeed later, until the queue has had enough. Rejects at once what never will succeed.
Result<void> settle(Broker& broker, const Delivery& delivery) {
  Failure failure = judge(delivery);
  if (failure.category.empty()) return broker.ack(delivery.receipt);
  if (failure.category == "timeout") return broker.release(delivery.receipt, {.failure = std::move(failure)});
  return broker.reject(delivery.receipt,
                       {.category = std::move(failure.category), .reason = std::move(failure.reason)});
}

}  // namespace

Result<void> create_queues(Broker& broker) {
  if (auto made = broker.create_queue(kParked, {}); !made) return tl::unexpected(made.error());
  if (auto made = broker.create_queue(kDeadLetters, {.dead_letters = {.parking_queue = kParked}}); !made)
    return tl::unexpected(made.error());
  auto made =
      broker.create_queue(kOrders, {.retry = {.max_deliveries = 3}, .dead_letters = {.queue = kDeadLetters}});
  if (!made) return tl::unexpected(made.error());
  return {};
}

Result<Orders> send_orders(Broker& broker, std::uint32_t count) {
  Orders orders;
  for (std::uint32_t number = 0; number < count; ++number) {
    const Kind kind = number % 5 == 0 ? kKinds.at(1 + number / 5 % 3) : Kind::kGood;
    auto sent = broker.send(kOrders, {.body = order_body(kind, number)});
    if (!sent) return tl::unexpected(sent.error());
    orders[sent->id].kind = kind;
  }
  return orders;
}

Result<void> consume(Broker& broker) {
  for (;;) {
    auto deliveries =
        broker.receive(kOrders, {.max = 10, .consumer = {.instance = "consumer-1", .version = "1.0"}});
    if (!deliveries) return tl::unexpected(deliveries.error());
    if (deliveries->empty()) return {};
    for (const Delivery& delivery : *deliveries) {
      if (auto settled = settle(broker, delivery); !settled) return settled;
    }
  }
}

}  // namespace holdfast::example
