#include "schema/transport/message_socket.h"

#include <utility>

#include "schema/transport/abort_notice.h"
#include "schema/transport/handshake.h"
#include "schema/transport/socket_core.h"
#include "schema/transport/tune.h"

namespace holdfast::transport {
namespace {

template <class Socket>
class MessageSocketImpl final : public MessageSocket {
 public:
  MessageSocketImpl(EventPort& port, Socket socket, const MessageSocketOptions& options)
      : port_(port),
        linger_(options.linger),
        on_abort_(options.on_abort),
        window_(static_cast<int>(options.high_water_bytes)),
        core_(std::make_shared<SocketCore<Socket>>(port, std::move(socket), options)) {}
  ~MessageSocketImpl() { core_->close(); }
  KJ_DISALLOW_COPY(MessageSocketImpl);

  kj::Promise<IncomingMessage> tryReadMessage(kj::ArrayPtr<kj::AutoCloseFd> /*fd_space*/,
                                              capnp::ReaderOptions options,
                                              kj::ArrayPtr<capnp::word> /*scratch*/) override {
    return kj::evalNow([&] { return core_->read(options); });
  }

  kj::Promise<void> writeMessage(kj::ArrayPtr<const int> fds,
                                 kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) override {
    KJ_REQUIRE(fds.size() == 0, "file descriptors cannot be sent here");
    if (on_abort_) {
      KJ_IF_MAYBE (reason, abort_notice(segments)) {
        on_abort_(*reason);
        if (core_->peer_speaks() == Spoken::kHttp) {
          core_->write_text(kHttpAnswer);
          return kj::READY_NOW;
        }
      }
    }
    return core_->write(segments);
  }

  kj::Promise<void> writeMessages(
      kj::ArrayPtr<kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>>> messages) override {
    kj::Promise<void> last = kj::READY_NOW;
    for (auto& segments : messages) last = writeMessage(nullptr, segments);
    return last;
  }

  // Returns the window of streaming calls. To ask the socket would take a system call for each of them.
  kj::Maybe<int> getSendBufferSize() override { return window_; }

  kj::Promise<void> end() override {
    return drained().exclusiveJoin(port_.after(linger_)).then([this] { core_->end_sending(); });
  }

  kj::Promise<void> drained() override { return core_->shrunk_to(0); }

  kj::Promise<void> idle() override { return port_.after({}); }

  kj::Promise<void> linger() override {
    auto polite = drained().then([this] {
      core_->end_sending();
      return core_->discard_rest();
    });
    return polite.exclusiveJoin(port_.after(linger_)).catch_([](kj::Exception&&) {});
  }

  std::size_t unsent_bytes() const override { return core_->unsent_bytes(); }

  std::uint64_t sent_bytes() const override { return core_->sent_bytes(); }

  std::size_t unfinished_bytes() const override { return core_->unfinished_bytes(); }

 private:
  EventPort& port_;
  const std::chrono::steady_clock::duration linger_;
  const std::function<void(const kj::Exception&)> on_abort_;
  const int window_;
  std::shared_ptr<SocketCore<Socket>> core_;
};

}  // namespace

kj::Own<MessageSocket> make_message_socket(EventPort& port, boost::asio::ip::tcp::socket socket,
                                           const MessageSocketOptions& options) {
  tune(socket);
  return kj::heap<MessageSocketImpl<boost::asio::ip::tcp::socket>>(port, std::move(socket), options);
}

kj::Own<MessageSocket> make_message_socket(EventPort& port, TlsStream stream,
                                           const MessageSocketOptions& options) {
  tune(stream.next_layer());
  return kj::heap<MessageSocketImpl<TlsStream>>(port, std::move(stream), options);
}

kj::Own<MessageSocket> make_message_socket(EventPort& port,
                                           boost::asio::local::stream_protocol::socket socket,
                                           const MessageSocketOptions& options) {
  return kj::heap<MessageSocketImpl<boost::asio::local::stream_protocol::socket>>(port, std::move(socket),
                                                                                  options);
}

}  // namespace holdfast::transport
