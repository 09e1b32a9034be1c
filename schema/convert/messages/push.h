// subscribe, and what is pushed.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "holdfast/broker.h"
#include "holdfast/wire/push.capnp.h"

namespace holdfast::convert {

// max: the credit. wait: not said.
struct SubscribeCall {
  std::string_view queue;  // points into the request
  ReceiveOptions options;
};

// Without the sink.
void write(std::string_view queue, const ReceiveOptions& options, wire::SubscribeRequest::Builder to);
Result<SubscribeCall> read(wire::SubscribeRequest::Reader from);

void write(std::span<const Delivery> from, wire::DeliverySink::DeliverParams::Builder to);
// The bodies point into the message that `from` reads, which `storage` keeps.
Deliveries read(wire::DeliverySink::DeliverParams::Reader from, const std::shared_ptr<const void>& storage);

}  // namespace holdfast::convert
