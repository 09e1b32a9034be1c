// Everybody who works on the orders.
#pragma once

#include "tools/examples/reprocessor/orders.h"

namespace holdfast::example {

inline constexpr const char* kOrders = "orders";
inline constexpr const char* kDeadLetters = "orders-dlq";
inline constexpr const char* kParked = "orders-parked";

Result<void> create_queues(Broker& broker);
// Sends `count` orders. Every fifth one is bad, of the three bad kinds in turn.
Result<Orders> send_orders(Broker& broker, std::uint32_t count);

// Takes orders until there are none. It rejects what it cannot do, and gives back what timed out, to be tried
// again, each with a category and a reason.
Result<void> consume(Broker& broker);

// Looks after the dead letter queue. What timed out goes back as it is, what is invalid is repaired and goes
// back, and what this program does not understand is parked for people.
Result<void> reprocess(Broker& broker);

// Prints why one of the orders that timed out died: the reasons for which each of its deliveries failed.
Result<void> show_a_timeout(Broker& broker);

// Does what a person does with parked orders: gives up on every second one, and repairs the others by hand.
Result<void> look_at_parked(Broker& broker);

// Notes how each order ended, as the records in the queues say.
Result<void> trace(Broker& broker, Orders& orders);

}  // namespace holdfast::example
