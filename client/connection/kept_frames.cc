#include "client/connection/kept_frames.h"

#include <kj/debug.h>

#include <algorithm>
#include <functional>

namespace holdfast::client {

// KeptMessage is the message as the RPC layer reads it: a second reader over the shared message.
class KeptMessage final : public capnp::MessageReader {
 public:
  KeptMessage(kj::Own<capnp::MessageReader> message, std::shared_ptr<Frames> frames)
      : MessageReader(message->getOptions()),
        message_(std::make_shared<kj::Own<capnp::MessageReader>>(kj::mv(message))),
        frames_(std::move(frames)) {
    frames_->live_.push_back(this);
  }
  ~KeptMessage() noexcept(false) override { std::erase(frames_->live_, this); }
  KJ_DISALLOW_COPY(KeptMessage);

  kj::ArrayPtr<const capnp::word> getSegment(unsigned id) override { return (*message_)->getSegment(id); }

  bool holds(const kj::byte* address) const {
    for (unsigned id = 0;; ++id) {
      const auto segment = (*message_)->getSegment(id).asBytes();
      if (segment == nullptr) return false;
      // std::less also orders pointers into different arrays.
      if (!std::less<>()(address, segment.begin()) && std::less<>()(address, segment.end())) return true;
    }
  }

  std::shared_ptr<const void> share() const { return message_; }

 private:
  std::shared_ptr<kj::Own<capnp::MessageReader>> message_;
  std::shared_ptr<Frames> frames_;
};

std::shared_ptr<const void> Frames::holding(const kj::byte* address) const {
  auto message = std::find_if(live_.rbegin(), live_.rend(), [&](auto* m) { return m->holds(address); });
  return message == live_.rend() ? nullptr : (*message)->share();
}

kj::Promise<kj::Maybe<capnp::MessageReaderAndFds>> KeepingSocket::tryReadMessage(
    kj::ArrayPtr<kj::AutoCloseFd> fds, capnp::ReaderOptions options, kj::ArrayPtr<capnp::word> scratch) {
  using Received = kj::Maybe<capnp::MessageReaderAndFds>;
  auto keep = [this](Received received) -> Received {
    KJ_IF_MAYBE (message, received) {
      ++messages_received_;
      message->reader = kj::heap<KeptMessage>(kj::mv(message->reader), frames_);
    }
    return received;
  };
  auto lost = [](const kj::Exception& e) -> Received {
    kj::throwFatalException(kj::Exception(kj::Exception::Type::DISCONNECTED, e.getFile(), e.getLine(),
                                          kj::str(e.getDescription())));
  };
  return ForwardingSocket::tryReadMessage(fds, options, scratch).then(kj::mv(keep), kj::mv(lost));
}

}  // namespace holdfast::client
