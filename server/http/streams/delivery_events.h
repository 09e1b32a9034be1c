// Deliveries as server-sent events (of the HTML standard).
#pragma once

#include <capnp/dynamic.h>

#include <memory>
#include <string>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/calls/caller.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// One receive after the other, each when the client has taken what the one before gave: `event: delivery`
// with a delivery as JSON, a comment where there was none for a while, and at the end `event: end` with the
// problem.
class DeliveryEvents final : public BodySource {
 public:
  DeliveryEvents(std::shared_ptr<const Caller> caller, wire::ReceiveRequest::Reader request);

  kj::Promise<std::string> next() override;

  // The text of what a receive has given.
  static std::string events(capnp::DynamicStruct::Reader reply);

 private:
  const std::shared_ptr<const Caller> caller_;
  Json request_;
  bool over_ = false;
};

}  // namespace holdfast::server
