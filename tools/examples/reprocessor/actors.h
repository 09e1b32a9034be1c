// Who works on the orders.
#pragma once

#include "tools/examples/reprocessor/orders.h"

namespace holdfast::example {

inline constexpr const char* kOrders = "orders";
inline constexpr const char* kDeadLetters = "orders-dlq";
inline constexpr const char* kParked = "orders-parked";

Result<void> create_queues(Broker& broker);
// `count` orders; every fifth of each bad kind.
Result<Orders> send_orders(Broker& broker, std::uint32_t count);

// Takes orders until there are none. What it can't do it rejects, what times out it gives back to be tried
// again, each with a category and a reason.
Result<void> consume(Broker& broker);

// A program that looks after the dead letter queue: what timed out goes back as it is, what is invalid goes
// back repaired, and what it does not understand is parked for people.
Result<void> reprocess(Broker& broker);

// Prints why one order of those that timed out died: what each of its deliveries failed of.
Result<void> show_a_timeout(Broker& broker);

// What a person does with the parked ones: gives up on every second, and repairs the others by hand.
Result<void> look_at_parked(Broker& broker);

// How each order ended, by the records that the queues keep.
Result<void> trace(Broker& broker, Orders& orders);

}  // namespace holdfast::example
