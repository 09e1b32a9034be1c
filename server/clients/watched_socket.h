// A message socket that counts its traffic.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "schema/transport/forwarding_socket.h"
#include "schema/transport/rpc_ledger.h"

namespace holdfast::server {

// Traffic says what passed through a socket. The socket may be gone.
struct Traffic {
  std::uint64_t messages_read = 0;
  transport::RpcLedger ledger = {};

  // Returns how many calls the peer may have unfinished. It is asked when a message comes. If the peer has
  // more, nothing more is read from it: the RPC layer tells it so and hangs up.
  std::function<std::size_t()> max_calls;
};

class WatchedSocket final : public transport::ForwardingSocket {
 public:
  WatchedSocket(kj::Own<transport::MessageSocket> socket, std::shared_ptr<Traffic> traffic)
      : ForwardingSocket(kj::mv(socket)), traffic_(std::move(traffic)) {}

  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch) override;
  kj::Promise<void> writeMessage(kj::ArrayPtr<const int> fds,
                                 kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;

 private:
  std::shared_ptr<Traffic> traffic_;
};

}  // namespace holdfast::server
