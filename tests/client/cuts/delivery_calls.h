// Receives, and the calls that end deliveries, while nobody else has them.
#pragma once

#include <functional>
#include <string>

#include "tests/client/cuts/caller_context.h"
#include "tests/client/cuts/send_calls.h"

namespace holdfast::testing {

class DeliveryCalls {
 public:
  DeliveryCalls(CallerContext& context, SendCalls& sends) : context_(context), sends_(sends) {}

  // Receives the only message of a queue. If the answer to an earlier attempt was lost, the message is leased
  // all the same, and the repetition finds nothing.
  void receive();
  void ack();
  void release();
  void reject();
  void extend();
  void start();

  // Sends a message, and leases it.
  Delivery lease(const std::string& name, bool started = true);
  // Ends a delivery which the call that was answered so has not ended.
  void settle_for_good(const Delivery& delivery, Said said);

 private:
  void settled(const std::string& verb, const Delivery& delivery, const Result<void>& result,
               const std::function<bool()>& is_done);

  CallerContext& context_;
  SendCalls& sends_;
};

}  // namespace holdfast::testing
