#include "server/connections.h"

#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

kj::Own<transport::MessageSocket> message_socket(const std::shared_ptr<Peer>& peer, AcceptedSocket accepted) {
  transport::MessageSocketOptions options;
  options.pause_when_congested = true;
  options.on_abort = [peer](const kj::Exception& why) {
    bool went_away = why.getType() == kj::Exception::Type::DISCONNECTED;
    peer->state().log.log(went_away ? spdlog::level::debug : spdlog::level::warn, "{}: hanging up: {}",
                          peer->name(), why.getDescription().cStr());
  };
  return std::visit(
      [&](auto& socket) {
        return transport::make_message_socket(peer->state().port, std::move(socket), options);
      },
      accepted);
}

}  // namespace

void Connections::add(AcceptedSocket socket) {
  auto number = ++last_number_;
  const bool from_owner = is_owner(socket);
  auto peer = std::make_shared<Peer>(state_, number, peer_address(socket));
  Meter& meter = state_.meter;
  if (meter.connections >= state_.options.limits.max_connections) {
    ++meter.refused;
    state_.log.warn("{}: hanging up: {} are connected, which is the limit", peer->name(),
                    meter.connections.load());
    return;
  }
  ++meter.connections;
  ++meter.opened;
  state_.log.debug("{} opened", peer->name());
  // Those of somebody who has not said who they are.
  auto rights = state_.options.tokens && !from_owner ? std::make_shared<const Rights>() : nullptr;
  auto rpc = kj::heap<transport::RpcConnection>(message_socket(peer, std::move(socket)),
                                                kj::heap<BrokerService>(peer, std::move(rights)));
  // A backstop to the limits that calls are answered with: those that are pipelined on other calls' results
  // do not reach us.
  rpc->set_flow_limit(2 * state_.options.limits.max_send_bytes / sizeof(capnp::word));
  peer->set_connection(rpc.get());
  auto closed = rpc->on_disconnect().then([this, number] { return close(number); });
  open_.emplace(number, Connection{std::move(peer), kj::mv(rpc)});
  tasks_.add(kj::mv(closed));
}

kj::Promise<void> Connections::close(std::uint64_t number) {
  auto found = open_.find(number);
  if (found == open_.end()) return kj::READY_NOW;
  auto connection = std::move(found->second);
  open_.erase(found);
  connection.peer->set_connection(nullptr);
  auto closed = transport::RpcConnection::close(kj::mv(connection.rpc));
  return closed.then([this, peer = std::move(connection.peer)] {
    --state_.meter.connections;
    state_.log.debug("{} closed", peer->name());
  });
}

kj::Promise<void> Connections::close_all() {
  auto closing = kj::heapArrayBuilder<kj::Promise<void>>(open_.size());
  while (!open_.empty()) closing.add(close(open_.begin()->first));
  return kj::joinPromises(closing.finish());
}

void Connections::taskFailed(kj::Exception&& exception) {
  state_.log.error("a connection failed: {}", exception.getDescription().cStr());
}

}  // namespace holdfast::server
