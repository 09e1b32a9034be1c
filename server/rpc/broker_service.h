// RPC's framing of calls: the capability that clients make them on.
#pragma once

#include <memory>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/calls/caller.h"

namespace holdfast::server {

// What one client is given. A message of a call is read and answered here, and nothing else is done: see
// server/calls/dispatch.h.
class BrokerService final : public wire::Broker::Server {
 public:
  explicit BrokerService(std::shared_ptr<const Caller> caller) : caller_(std::move(caller)) {}

  DispatchCallResult dispatchCall(std::uint64_t interface_id, std::uint16_t method,
                                  capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer> context) override;

 private:
  const std::shared_ptr<const Caller> caller_;
};

}  // namespace holdfast::server
