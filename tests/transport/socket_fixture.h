// SocketFixture has a MessageSocket and a plain socket as its peer, on the test's loop: no threads or waits.
#pragma once

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "schema/transport/event_port.h"
#include "schema/transport/message_socket.h"

namespace holdfast::transport {

using Bytes = std::vector<char>;

// Returns the bytes of a message whose root is `text`.
inline Bytes message(std::string_view text) {
  capnp::MallocMessageBuilder builder;
  builder.getRoot<capnp::AnyPointer>().setAs<capnp::Data>(
      capnp::Data::Reader(reinterpret_cast<const kj::byte*>(text.data()), text.size()));
  auto words = capnp::messageToFlatArray(builder);
  auto chars = words.asChars();
  return {chars.begin(), chars.end()};
}

inline std::string text_of(capnp::MessageReader& reader) {
  auto data = reader.getRoot<capnp::AnyPointer>().getAs<capnp::Data>();
  return {reinterpret_cast<const char*>(data.begin()), data.size()};
}

inline Bytes operator+(Bytes left, const Bytes& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

class SocketFixture : public ::testing::Test {
 protected:
  using Stream = boost::asio::local::stream_protocol::socket;

  SocketFixture() { make({}); }
  ~SocketFixture() noexcept override = default;  // declared, because KJ's destructors may throw

  void make(const MessageSocketOptions& options) {
    Stream ours(port_.io());
    peer_ = Stream(port_.io());
    boost::asio::local::connect_pair(ours, peer_);
    socket_ = make_message_socket(port_, std::move(ours), options);
  }

  void peer_sends(const Bytes& bytes) { boost::asio::write(peer_, boost::asio::buffer(bytes)); }

  // Sends while the loop runs. This is for more bytes than the sockets hold.
  void peer_sends_in_background(const Bytes& bytes) {
    boost::asio::async_write(peer_, boost::asio::buffer(bytes), [](const auto&, std::size_t) {});
  }

  // Returns what the peer reads until it has `count` bytes, or until the stream ends.
  Bytes peer_reads(std::size_t count) {
    Bytes bytes(count);
    bool done = false;
    auto finished = [&](const auto& /*error*/, std::size_t read) {
      bytes.resize(read);
      done = true;
    };
    boost::asio::async_read(peer_, boost::asio::buffer(bytes), finished);
    while (!done) turn();
    return bytes;
  }

  // Lets everything happen that can happen now.
  void turn() { scope_.poll(); }

  kj::Promise<kj::Maybe<kj::Own<capnp::MessageReader>>> read() { return socket_->tryReadMessage(); }

  // Reads a message, and returns its text, or "(end)".
  std::string read_text() {
    auto message = read().wait(scope_);
    KJ_IF_MAYBE (reader, message) {
      return text_of(**reader);
    }
    return "(end)";
  }

  // Returns the failure of a read. Fails the test if there is none.
  kj::Exception read_failure() {
    KJ_IF_MAYBE (e, kj::runCatchingExceptions([this] { read_text(); })) {
      return kj::mv(*e);
    }
    ADD_FAILURE() << "the read succeeded";
    return KJ_EXCEPTION(FAILED, "none");
  }

  kj::Promise<void> write(std::string_view text) {
    auto builder = kj::heap<capnp::MallocMessageBuilder>();
    builder->getRoot<capnp::AnyPointer>().setAs<capnp::Data>(
        capnp::Data::Reader(reinterpret_cast<const kj::byte*>(text.data()), text.size()));
    auto written = socket_->writeMessage(nullptr, builder->getSegmentsForOutput());
    return written.attach(kj::mv(builder));
  }

  EventPort port_;
  kj::EventLoop loop_{port_};
  bool served_ = (port_.serve(loop_), true);
  kj::WaitScope scope_{loop_};
  Stream peer_{port_.io()};
  kj::Own<MessageSocket> socket_;
};

}  // namespace holdfast::transport
