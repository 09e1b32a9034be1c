// RPC's framing of calls: the capability on which clients make them.
#pragma once

#include <memory>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/calls/caller.h"

namespace holdfast::server {

// BrokerService is the capability that one client gets. It reads and answers the messages of calls and does
// nothing else (see server/calls/dispatch.h).
class BrokerService final : public wire::Broker::Server {
 public:
  explicit BrokerService(std::shared_ptr<const Caller> caller) : caller_(std::move(caller)) {}

  DispatchCallResult dispatchCall(std::uint64_t interface_id, std::uint16_t ordinal,
                                  capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer> context) override;

 private:
  const std::shared_ptr<const Caller> caller_;
};

}  // namespace holdfast::server
