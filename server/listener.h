// Where clients come in.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <variant>

#include "server/state.h"
#include "transport/address.h"

namespace holdfast::server {

using AcceptedSocket =
    std::variant<boost::asio::ip::tcp::socket, boost::asio::local::stream_protocol::socket>;

class Listener {
 public:
  virtual ~Listener() = default;
  // Where it listens, with the port that the system picked.
  virtual const transport::Address& address() const = 0;
  // Takes no more clients, and removes a Unix socket's file.
  virtual void close() = 0;
};

using Accept = std::function<void(AcceptedSocket)>;

// For the errors, see Server::start.
Result<std::shared_ptr<Listener>> listen_at(State& state, const transport::Address& address, Accept accept);

// Whether the other end is a process of this one's user or of root, on a Unix socket.
bool is_owner(AcceptedSocket& socket);

// Who is at the other end: "127.0.0.1:40000", or "pid 123" on a Unix socket.
std::string peer_address(AcceptedSocket& socket);

}  // namespace holdfast::server
