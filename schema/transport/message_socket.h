// A MessageSocket is a capnp::MessageStream over an Asio socket.
#pragma once

#include <capnp/serialize-async.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "schema/transport/event_port.h"

namespace holdfast::transport {

struct MessageSocketOptions {
  std::size_t read_buffer_bytes = 64 << 10;

  // writeMessage() is fulfilled at once while at most `high_water_bytes` are unsent, and otherwise when only
  // `low_water_bytes` are left.
  std::size_t high_water_bytes = 256 << 10;
  std::size_t low_water_bytes = 64 << 10;

  // If true, no messages are taken from a peer that does not read this side's messages. This bounds the
  // memory of its replies. Only one end of a connection may have it, or both might wait for each other.
  bool pause_when_congested = false;

  // end() and linger() wait this long for a peer that does not read.
  std::chrono::steady_clock::duration linger = std::chrono::seconds(2);

  // It is called with the reason when this side gives up on the connection: DISCONNECTED if the peer just
  // went away, and otherwise what was wrong with its messages. The reason is meant for the log. If the
  // function is set, a peer that speaks HTTP is answered in HTTP.
  std::function<void(const kj::Exception&)> on_abort = {};
};

// Written messages are copied and sent together when the loop has nothing else to do. Errors are
// kj::Exceptions: DISCONNECTED for a lost connection, FAILED for bytes that are no message. The destructor
// closes the socket at once.
class MessageSocket : public capnp::MessageStream {
 public:
  using MessageStream::tryReadMessage;

  // Returns a promise that is fulfilled when the operating system has everything that was written.
  virtual kj::Promise<void> drained() = 0;

  // Returns a promise that is fulfilled once the loop has run out of work and looked for I/O.
  virtual kj::Promise<void> idle() = 0;

  // Closes politely: sends what is left and the end of the stream, and then waits until the peer has closed
  // too, so that the peer can read everything. Never fails.
  virtual kj::Promise<void> linger() = 0;

  // Returns how many bytes are written but not sent yet. Messages that are sent together count until all of
  // them are sent, since their memory is kept until then.
  virtual std::size_t unsent_bytes() const = 0;

  // Returns how many bytes the operating system has ever taken. The number grows while a large message is
  // being sent.
  virtual std::uint64_t sent_bytes() const = 0;

  // Returns how many bytes have come of a message that is not whole yet. It is 0 if none has begun, or if
  // nothing is being read at this moment, so that the peer is not to blame.
  virtual std::size_t unfinished_bytes() const = 0;
};

kj::Own<MessageSocket> make_message_socket(EventPort& port, boost::asio::ip::tcp::socket socket,
                                           const MessageSocketOptions& options = {});
kj::Own<MessageSocket> make_message_socket(EventPort& port,
                                           boost::asio::local::stream_protocol::socket socket,
                                           const MessageSocketOptions& options = {});

}  // namespace holdfast::transport
