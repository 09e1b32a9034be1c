// ForwardingSocket wraps a message socket. It is a base for sockets that look at what passes through.
#pragma once

#include "schema/transport/message_socket.h"

namespace holdfast::transport {

// Forwards everything. A derived class overrides tryReadMessage() and the writeMessage() of one message,
// through which all messages go.
class ForwardingSocket : public MessageSocket {
 public:
  explicit ForwardingSocket(kj::Own<MessageSocket> socket) : socket_(kj::mv(socket)) {}

  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch) override {
    return socket_->tryReadMessage(fds, options, scratch);
  }
  kj::Promise<void> writeMessage(kj::ArrayPtr<const int> fds,
                                 kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override {
    return socket_->writeMessage(fds, segments);
  }
  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) final {
    kj::Promise<void> last = kj::READY_NOW;
    for (auto& segments : messages) last = writeMessage(nullptr, segments);
    return last;
  }
  kj::Maybe<int> getSendBufferSize() final { return socket_->getSendBufferSize(); }
  kj::Promise<void> end() final { return socket_->end(); }
  kj::Promise<void> drained() final { return socket_->drained(); }
  kj::Promise<void> idle() final { return socket_->idle(); }
  kj::Promise<void> linger() final { return socket_->linger(); }
  std::size_t unsent_bytes() const final { return socket_->unsent_bytes(); }
  std::uint64_t sent_bytes() const final { return socket_->sent_bytes(); }
  std::size_t unfinished_bytes() const final { return socket_->unfinished_bytes(); }

 private:
  kj::Own<MessageSocket> socket_;
};

}  // namespace holdfast::transport
