// One connection: Cap'n Proto's RPC over a MessageSocket.
#pragma once

#include <capnp/rpc-twoparty.h>

#include "schema/transport/message_socket.h"
#include "schema/transport/outlet.h"

namespace holdfast::transport {

// What either side accepts in one message: a full batch, with room for what describes it.
capnp::ReaderOptions reader_options();

class RpcConnection final : public Outlet {
 public:
  // The client's side.
  explicit RpcConnection(kj::Own<MessageSocket> socket);
  // The server's side: `bootstrap` is what the client is given.
  RpcConnection(kj::Own<MessageSocket> socket, capnp::Capability::Client bootstrap);

  // What the server gave. Client's side only.
  capnp::Capability::Client bootstrap();

  // A bound on the calls' parameters that are in memory; reading stops there.
  void set_flow_limit(std::size_t words) { rpc_.setFlowLimit(words); }

  // Done when the connection is over, whoever ended it.
  kj::Promise<void> on_disconnect() { return network_.onDisconnect(); }

  kj::Promise<void> drained() override;

  // The polite end: says what is left, then lingers until the peer has read it all and closed. Calls that are
  // not answered yet stay so. Never fails.
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
