// Converts subscribe, and what is pushed, between the API and the protocol.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "holdfast/broker.h"
#include "holdfast/wire/push.capnp.h"

namespace holdfast::convert {

// The options of a subscription: `max` is the credit, and `wait` is not used.
struct SubscribeCall {
  std::string_view queue;  // a view into the request
  ReceiveOptions options;
};

// Writes a request without its sink.
void write(std::string_view queue, const ReceiveOptions& options, wire::SubscribeRequest::Builder to);
Result<SubscribeCall> read(wire::SubscribeRequest::Reader from);

void write(std::span<const Delivery> from, wire::DeliverySink::DeliverParams::Builder to);
// Reads deliveries. Their bodies point into the message that `from` reads, and `storage` keeps that message.
Deliveries read(wire::DeliverySink::DeliverParams::Reader from, const std::shared_ptr<const void>& storage);

}  // namespace holdfast::convert
