#include "server/watched_socket.h"

namespace holdfast::server {

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> WatchedSocket::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options, kj::ArrayPtr<capnp::word> scratch) {
  auto count = [traffic = traffic_](kj::Maybe<capnp::MessageReaderAndFds> received) {
    if (received != nullptr) ++traffic->messages_read;
    return received;
  };
  return ForwardingSocket::tryReadMessage(fds, options, scratch).then(kj::mv(count));
}

kj::Promise<void> WatchedSocket::writeMessage(kj::ArrayPtr<const int> fds,
                                              kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  for (const auto& segment : segments) traffic_->bytes_written += segment.asBytes().size();
  return ForwardingSocket::writeMessage(fds, segments);
}

}  // namespace holdfast::server
