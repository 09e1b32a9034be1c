#include "server/clients/watched_socket.h"

#include <capnp/message.h>

namespace holdfast::server {

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> WatchedSocket::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options, kj::ArrayPtr<capnp::word> scratch) {
  auto count = [traffic = traffic_](kj::Maybe<capnp::MessageReaderAndFds> received) {
    KJ_IF_MAYBE (message, received) {
      ++traffic->messages_read;
      traffic->ledger.received(message->reader->getRoot<capnp::rpc::Message>(), traffic->max_calls());
    }
    return received;
  };
  return ForwardingSocket::tryReadMessage(fds, options, scratch).then(kj::mv(count));
}

kj::Promise<void> WatchedSocket::writeMessage(kj::ArrayPtr<const int> fds,
                                              kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  traffic_->ledger.sent(segments);
  return ForwardingSocket::writeMessage(fds, segments);
}

}  // namespace holdfast::server
