// Converts receive between the API and the protocol.
#pragma once

#include <memory>
#include <string_view>

#include "holdfast/broker.h"
#include "holdfast/wire/message.capnp.h"

namespace holdfast::convert {

struct ReceiveCall {
  std::string_view queue;  // a view into the request
  ReceiveOptions options;
};

void write(std::string_view queue, const ReceiveOptions& options, wire::ReceiveRequest::Builder to);
Result<ReceiveCall> read(wire::ReceiveRequest::Reader from);

void write(const Delivery& from, wire::Delivery::Builder to);
// Reads a delivery. Its body points into the message that `from` reads, and `storage` keeps that message.
Delivery read(wire::Delivery::Reader from, const std::shared_ptr<const void>& storage);

void write(const Result<Deliveries>& from, wire::ReceiveReply::Builder to);
Result<Deliveries> read(wire::ReceiveReply::Reader from, const std::shared_ptr<const void>& storage);

}  // namespace holdfast::convert
