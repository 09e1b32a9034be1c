// RpcConnection is one connection: Cap'n Proto's RPC over a MessageSocket.
#pragma once

#include <capnp/rpc-twoparty.h>

#include "schema/transport/message_socket.h"
#include "schema/transport/outlet.h"

namespace holdfast::transport {

// Returns the bounds of one message that either side accepts: a full batch, with room for what describes it.
capnp::ReaderOptions reader_options();

class RpcConnection final : public Outlet {
 public:
  // Makes the client's side.
  explicit RpcConnection(kj::Own<MessageSocket> socket);
  // Makes the server's side. `bootstrap` is the capability that the client gets.
  RpcConnection(kj::Own<MessageSocket> socket, capnp::Capability::Client bootstrap);

  // Returns the capability that the server gave. Only the client's side calls it.
  capnp::Capability::Client bootstrap();

  // Bounds the parameters of calls that are in memory. Reading stops at the bound.
  void set_flow_limit(std::size_t words) { rpc_.setFlowLimit(words); }

  // Returns a promise that is fulfilled when the connection is over, no matter which side ended it.
  kj::Promise<void> on_disconnect() { return network_.onDisconnect(); }

  kj::Promise<void> drained() override;

  // Closes politely: sends what is left, and then waits until the peer has read everything and closed. Calls
  // without an answer stay so. Never fails.
  static kj::Promise<void> close(kj::Own<RpcConnection> connection);

  std::size_t unsent_bytes() override;

  MessageSocket& socket() { return *socket_; }

 private:
  using Side = capnp::rpc::twoparty::Side;

  kj::Own<MessageSocket> socket_;
  capnp::TwoPartyVatNetwork network_;
  capnp::RpcSystem<capnp::rpc::twoparty::VatId> rpc_;
};

}  // namespace holdfast::transport
