// Converts peek between the API and the protocol.
#pragma once

#include <string_view>

#include "holdfast/broker.h"
#include "holdfast/wire/peek.capnp.h"

namespace holdfast::convert {

struct PeekCall {
  std::string_view queue;  // a view into the request
  PeekOptions options;
};

void write(std::string_view queue, const PeekOptions& options, wire::PeekRequest::Builder to);
Result<PeekCall> read(wire::PeekRequest::Reader from);

void write(const Result<PeekPage>& from, wire::PeekReply::Builder to);
Result<PeekPage> read(wire::PeekReply::Reader from);

}  // namespace holdfast::convert
