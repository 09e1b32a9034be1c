#include "server/calls/broker_service.h"

namespace holdfast::server {

BrokerService::DispatchCallResult BrokerService::dispatchCall(
    std::uint64_t interface_id, std::uint16_t method,
    capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer> context) {
  auto timed = kj::heap<Meter::Timed>(state_.meter, method);
  auto dispatched = wire::Broker::Server::dispatchCall(interface_id, method, context);
  dispatched.promise = dispatched.promise.attach(kj::mv(timed));
  return dispatched;
}

}  // namespace holdfast::server
