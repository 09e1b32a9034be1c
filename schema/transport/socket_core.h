// The state that a MessageSocket shares with the handlers that it has given to Asio. It outlives the
// MessageSocket and its promises, so a handler never meets freed memory and a dropped promise loses no bytes.
#pragma once

#include <kj/debug.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "schema/transport/frames/frame_reader.h"
#include "schema/transport/frames/frame_writer.h"
#include "schema/transport/frames/rpc_tag.h"
#include "schema/transport/message_socket.h"
#include "schema/transport/stream_end.h"
#include "schema/transport/waiting_writers.h"

namespace holdfast::transport {

using IncomingMessage = kj::Maybe<capnp::MessageReaderAndFds>;

template <class Socket>
class SocketCore final : public Corked, public std::enable_shared_from_this<SocketCore<Socket>> {
  using ErrorCode = boost::system::error_code;

 public:
  SocketCore(EventPort& port, Socket socket, const MessageSocketOptions& options)
      : port_(port),
        options_(options),
        socket_(std::move(socket)),
        later_(port.io()),
        frames_(options.read_buffer_bytes) {}
  ~SocketCore() noexcept override = default;  // explicit, since the destructor of kj::Own may throw

  // Returns the next message, or null at the end of the stream. There may be one reader at a time.
  kj::Promise<IncomingMessage> read(const capnp::ReaderOptions& reader_options) {
    reader_options_ = reader_options;
    if (!paused_) {
      if (auto next = next_message()) return kj::mv(*next);
    }
    auto pending = kj::newPromiseAndFulfiller<IncomingMessage>();
    reader_ = kj::mv(pending.fulfiller);
    start_read();
    return kj::mv(pending.promise);
  }

  // Discards what the peer still sends. The promise is fulfilled at the end of the peer's stream.
  kj::Promise<void> discard_rest() {
    auto pending = kj::newPromiseAndFulfiller<void>();
    discarder_ = kj::mv(pending.fulfiller);
    discard_or_read();
    return kj::mv(pending.promise);
  }

  kj::Promise<void> write(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
    if (sending_ended_) return KJ_EXCEPTION(DISCONNECTED, "this side has ended the stream");
    KJ_IF_MAYBE (e, write_failure_) {
      return kj::cp(*e);
    }
    append_frame(filling_, segments);
    may_be(capnp::rpc::Message::FINISH, segments) ? cork_later() : cork();
    if (unsent_bytes() <= options_.high_water_bytes) return kj::READY_NOW;
    paused_ = options_.pause_when_congested;
    return shrunk_to(options_.low_water_bytes);
  }

  // Writes a text in place of a message, to a peer that does not speak in messages.
  void write_text(std::string_view text) {
    if (sending_ended_) return;
    filling_.insert(filling_.end(), text.begin(), text.end());
    cork();
  }

  Spoken peer_speaks() const { return frames_.spoken(); }

  // Returns a promise that is fulfilled when at most `bytes` are unsent.
  kj::Promise<void> shrunk_to(std::size_t bytes) {
    KJ_IF_MAYBE (e, write_failure_) {
      return kj::cp(*e);
    }
    if (unsent_bytes() <= bytes) return kj::READY_NOW;
    if (!filling_.empty()) cork();
    return writers_.wait(bytes);
  }

  std::size_t unsent_bytes() const { return filling_.size() + sending_.size(); }
  std::uint64_t sent_bytes() const { return sent_before_ + sent_of_sending_; }

  // While a read is under way, the bytes that are here are not a whole message: they wait for the peer.
  std::size_t unfinished_bytes() const { return reading_ ? frames_.untaken_bytes() : 0; }

  void flush() override {
    corked_ = false;
    if (!sending_.empty() || filling_.empty()) return;
    sending_.swap(filling_);
    boost::asio::async_write(
        socket_, boost::asio::buffer(sending_),
        [this](const ErrorCode& error, std::size_t sent) {  // asked before each part
          sent_of_sending_ = sent;
          return boost::asio::transfer_all()(error, sent);
        },
        [self = this->shared_from_this()](const ErrorCode& error, std::size_t) { self->on_written(error); });
  }

  // Ends the stream once. Nothing may be unsent: TLS's last message may not overlap another write.
  void end_sending() {
    if (std::exchange(sending_ended_, true)) return;
    if (unsent_bytes() > 0) return close();
    if constexpr (requires { socket_.async_shutdown([](const ErrorCode&) {}); }) {  // TLS
      socket_.async_shutdown([self = this->shared_from_this()](const ErrorCode&) { self->end_of_stream(); });
    } else {
      end_of_stream();
    }
  }

  void close() {
    ErrorCode ignored;
    later_.cancel();
    socket_.lowest_layer().close(ignored);
  }

 private:
  // The Finish of a call waits this long for other messages to leave with. Nobody waits for a Finish, and one
  // that is sent alone costs each side as much as a call.
  static constexpr auto kLater = std::chrono::milliseconds(5);
  // Larger buffers are given back after a burst.
  static constexpr std::size_t kKeptBytes = 1 << 20;

  // Returns what the reader must be given now; nothing if more bytes are needed. Throws if the stream is
  // broken, and throws again the next time, since bad bytes are not taken.
  std::optional<IncomingMessage> next_message() {
    KJ_IF_MAYBE (message, frames_.next(reader_options_)) {
      return IncomingMessage(capnp::MessageReaderAndFds{kj::mv(*message), nullptr});
    }
    KJ_IF_MAYBE (e, read_failure_) {
      kj::throwFatalException(kj::cp(*e));
    }
    if (!ended_) return std::nullopt;
    if (frames_.untaken_bytes() > 0) {
      kj::throwFatalException(KJ_EXCEPTION(DISCONNECTED, "connection ended inside a message"));
    }
    return IncomingMessage(nullptr);
  }

  void cork() {
    if (!std::exchange(corked_, true)) port_.cork(this->shared_from_this());
  }

  void cork_later() {
    if (corked_ || std::exchange(cork_is_due_, true)) return;
    later_.expires_after(kLater);
    later_.async_wait([self = this->shared_from_this()](const ErrorCode& error) {
      self->cork_is_due_ = false;
      if (!error && !self->filling_.empty()) self->cork();
    });
  }

  void serve_reader() {
    if (paused_ || !reader_ || !reader_->isWaiting()) return;
    KJ_IF_MAYBE (e, kj::runCatchingExceptions([this] {
                   if (auto next = next_message()) {
                     reader_->fulfill(kj::mv(*next));
                   } else {
                     start_read();
                   }
                 })) {
      reader_->reject(kj::mv(*e));
    }
  }

  void start_read() {
    if (paused_ || ended_ || std::exchange(reading_, true)) return;
    auto done = [self = this->shared_from_this()](auto error, auto bytes) { self->on_read(error, bytes); };
    socket_.async_read_some(frames_.space(), std::move(done));
  }

  void on_read(const ErrorCode& error, std::size_t bytes) {
    reading_ = false;
    frames_.filled(bytes);
    if (error) {
      ended_ = true;
      if (!is_end(error)) read_failure_ = lost(error);
    }
    if (discarder_) {
      discard_or_read();
    } else {
      serve_reader();
    }
  }

  void discard_or_read() {
    if (ended_) return discarder_->fulfill();
    if (reading_) return;  // Asio is writing into frames_
    frames_.discard();
    start_read();
  }

  void on_written(const ErrorCode& error) {
    sent_before_ += error ? sent_of_sending_ : sending_.size();
    sent_of_sending_ = 0;
    sending_.clear();
    if (sending_.capacity() > kKeptBytes) sending_.shrink_to_fit();
    if (error) {
      filling_.clear();
      write_failure_ = KJ_EXCEPTION(DISCONNECTED, "connection lost", error.message());
    }
    flush();
    if (unsent_bytes() <= options_.low_water_bytes) paused_ = false;
    writers_.wake(unsent_bytes(), write_failure_);
    serve_reader();
  }

  void end_of_stream() {
    ErrorCode ignored;  // the peer may have gone first
    socket_.lowest_layer().shutdown(boost::asio::socket_base::shutdown_send, ignored);
  }

  template <class T>
  using Fulfiller = kj::Own<kj::PromiseFulfiller<T>>;

  EventPort& port_;
  const MessageSocketOptions options_;
  Socket socket_;
  boost::asio::steady_timer later_;

  FrameReader frames_;
  capnp::ReaderOptions reader_options_;
  bool reading_ = false;
  bool ended_ = false;   // the peer's stream has ended, or broken
  bool paused_ = false;  // as MessageSocketOptions::pause_when_congested says
  kj::Maybe<kj::Exception> read_failure_;
  Fulfiller<IncomingMessage> reader_;
  Fulfiller<void> discarder_;

  std::vector<char> filling_;
  std::vector<char> sending_;  // Asio is sending these bytes, unless empty
  std::size_t sent_of_sending_ = 0;
  std::uint64_t sent_before_ = 0;  // without those of sending_
  bool corked_ = false;
  bool cork_is_due_ = false;  // later_ is running
  bool sending_ended_ = false;
  kj::Maybe<kj::Exception> write_failure_;
  WaitingWriters writers_;
};

}  // namespace holdfast::transport
