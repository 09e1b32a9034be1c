// Deliveries as server-sent events (in the HTML standard).
#pragma once

#include <capnp/dynamic.h>

#include <memory>
#include <string>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/calls/caller.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Receives again and again, each time when the client has taken what came before. A delivery is `event:
// delivery` with JSON. If there was none for a while, a comment is sent. The end is `event: end` with the
// problem.
class DeliveryEvents final : public BodySource {
 public:
  DeliveryEvents(std::shared_ptr<const Caller> caller, wire::ReceiveRequest::Reader request);

  kj::Promise<std::string> next() override;

  // Returns the text of the events for what a receive has returned.
  static std::string events(capnp::DynamicStruct::Reader reply);

 private:
  const std::shared_ptr<const Caller> caller_;
  Json request_;
  bool over_ = false;
};

}  // namespace holdfast::server
