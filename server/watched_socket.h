// A message socket that counts.
#pragma once

#include <memory>
#include <utility>

#include "transport/forwarding_socket.h"

namespace holdfast::server {

// What passed through a socket, which may be gone.
struct Traffic {
  std::uint64_t messages_read = 0;
  std::uint64_t bytes_written = 0;  // some are not sent yet
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
