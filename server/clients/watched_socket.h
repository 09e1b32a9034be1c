// A message socket that counts.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "schema/transport/forwarding_socket.h"
#include "schema/transport/rpc_ledger.h"

namespace holdfast::server {

// What passed through a socket, which may be gone.
struct Traffic {
  std::uint64_t messages_read = 0;
  std::uint64_t bytes_written = 0;  // some are not sent yet
  transport::RpcLedger ledger = {};

  // Says, as each message comes, how many calls the peer may have unfinished. One that has more is read no
  // further: the RPC layer tells it so, and hangs up.
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
