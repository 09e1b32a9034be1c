// A capnp::MessageStream over an Asio socket.
#pragma once

#include <capnp/serialize-async.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstddef>
#include <functional>

#include "schema/transport/event_port.h"

namespace holdfast::transport {

struct MessageSocketOptions {
  std::size_t read_buffer_bytes = 64 << 10;

  // writeMessage() is done at once while no more than this is unsent, else when it has shrunk to the
  // low one.
  std::size_t high_water_bytes = 256 << 10;
  std::size_t low_water_bytes = 64 << 10;

  // Stop taking messages from a peer who does not read ours: that bounds the memory its replies take. For
  // one end of a connection only, or both may wait for each other.
  bool pause_when_congested = false;

  // How long end() and linger() wait for a peer who does not read.
  std::chrono::steady_clock::duration linger = std::chrono::seconds(2);

  // Told why, when our side gives up on the connection: DISCONNECTED if the peer just went away, else what
  // was wrong with its messages. For the log. With it, a peer who speaks HTTP is answered in HTTP.
  std::function<void(const kj::Exception&)> on_abort = {};
};

// What is written is copied and sent when the loop has nothing else to do, everything in one go. Errors
// are kj::Exceptions: DISCONNECTED for a lost connection, FAILED for bytes that are no message.
// The destructor closes the socket at once.
class MessageSocket : public capnp::MessageStream {
 public:
  using MessageStream::tryReadMessage;

  // Done when all that was written is in the operating system's hands.
  virtual kj::Promise<void> drained() = 0;

  // Done once the loop has run dry and looked for I/O.
  virtual kj::Promise<void> idle() = 0;

  // The polite close: sends what is left and the end of the stream, then waits until the peer has closed
  // too, so that it can read everything. Never fails.
  virtual kj::Promise<void> linger() = 0;

  // Written, but not sent yet.
  virtual std::size_t unsent_bytes() const = 0;

  // What has come of a message whose rest is waited for. 0: none has begun, or it is not the peer who is
  // waited for, as nothing is read at this moment.
  virtual std::size_t unfinished_bytes() const = 0;
};

kj::Own<MessageSocket> make_message_socket(EventPort& port, boost::asio::ip::tcp::socket socket,
                                           const MessageSocketOptions& options = {});
kj::Own<MessageSocket> make_message_socket(EventPort& port,
                                           boost::asio::local::stream_protocol::socket socket,
                                           const MessageSocketOptions& options = {});

}  // namespace holdfast::transport
