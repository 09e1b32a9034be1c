// Streams, and acks of what they bring.
#pragma once

#include <optional>

#include "tests/client/cuts/caller_context.h"

namespace holdfast::testing {

class StreamCalls {
 public:
  explicit StreamCalls(CallerContext& context) : context_(context) {}

  void ack_pushed();

 private:
  // Returns whether the subscription was opened. A refused subscription holds nothing: what an attempt, or
  // the stream before, had of the queue comes back, except if the server was killed, which leaves leases as
  // they are.
  bool subscribe();

  CallerContext& context_;
  std::optional<DeliveryStream> stream_;
};

}  // namespace holdfast::testing
