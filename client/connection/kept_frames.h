// Lets pointers into a received message outlive the RPC response that carried it.
#pragma once

#include <capnp/any.h>

#include <memory>
#include <vector>

#include "schema/transport/forwarding_socket.h"

namespace holdfast::client {

class KeptMessage;

// Frames has the messages of one connection that the RPC layer holds. A response must be destroyed on the
// loop's thread, but the bytes of its message need not be: they are shared with everybody who asks for them.
class Frames {
 public:
  // Returns the message that holds `from`; null if it is not a message of this connection.
  template <class Reader>
  std::shared_ptr<const void> of(Reader from) const {
    return holding(capnp::AnyStruct::Reader(from).getDataSection().begin());
  }

 private:
  friend class KeptMessage;
  std::shared_ptr<const void> holding(const kj::byte* address) const;

  std::vector<const KeptMessage*> live_;  // the oldest first; few at a time
};

// Passes `socket` on, and lists every message that it receives in `frames`. A stream that carries anything
// but messages counts as a lost connection: it fails with DISCONNECTED, never with FAILED.
class KeepingSocket final : public transport::ForwardingSocket {
 public:
  KeepingSocket(kj::Own<transport::MessageSocket> socket, std::shared_ptr<Frames> frames)
      : ForwardingSocket(kj::mv(socket)), frames_(std::move(frames)) {}

  std::uint64_t messages_received() const { return messages_received_; }

  kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> tryReadMessage(
      kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options,
      kj::ArrayPtr<capnp::word> scratch) override;

 private:
  std::shared_ptr<Frames> frames_;
  std::uint64_t messages_received_ = 0;
};

}  // namespace holdfast::client
