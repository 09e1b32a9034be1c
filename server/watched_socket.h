// A message socket that counts.
#pragma once

#include <memory>
#include <utility>

#include "transport/message_socket.h"

namespace holdfast::server {

// What passed through a socket, which may be gone.
struct Traffic {
  std::uint64_t messages_read = 0;
  std::uint64_t bytes_written = 0;  // some are not sent yet
};

class WatchedSocket final : public transport::MessageSocket {
 public:
  WatchedSocket(kj::Own<transport::MessageSocket> socket, std::shared_ptr<Traffic> traffic)
      : socket_(kj::mv(socket)), traffic_(std::move(traffic)) {}

  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch) override;
  kj::Promise<void> writeMessage(kj::ArrayPtr<const int> fds,
                                 kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override;
  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override;
  kj::Maybe<int> getSendBufferSize() override { return socket_->getSendBufferSize(); }
  kj::Promise<void> end() override { return socket_->end(); }
  kj::Promise<void> drained() override { return socket_->drained(); }
  kj::Promise<void> linger() override { return socket_->linger(); }
  std::size_t unsent_bytes() const override { return socket_->unsent_bytes(); }

 private:
  kj::Own<transport::MessageSocket> socket_;
  std::shared_ptr<Traffic> traffic_;
};

}  // namespace holdfast::server
