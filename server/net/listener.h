// A Listener is where clients come in.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <functional>
#include <memory>
#include <variant>

#include "schema/transport/address.h"
#include "server/bounds/origin.h"
#include "server/clients/state.h"

namespace holdfast::server {

// TlsClient is a client that must do a TLS handshake before anything else.
struct TlsClient {
  boost::asio::ip::tcp::socket socket;
};

// HttpClient is a client that speaks HTTP.
struct HttpClient {
  boost::asio::ip::tcp::socket socket;
};

// HttpsClient is a client that speaks HTTP after a TLS handshake.
struct HttpsClient {
  boost::asio::ip::tcp::socket socket;
};

using AcceptedSocket = std::variant<boost::asio::ip::tcp::socket, TlsClient, HttpClient, HttpsClient,
                                    boost::asio::local::stream_protocol::socket>;

// Protocol is the protocol that a listener's clients speak.
enum class Protocol : bool { kRpc, kHttp };

class Listener {
 public:
  virtual ~Listener() = default;
  // Returns where it listens, with the port that the system picked.
  virtual const transport::Address& address() const = 0;
  // Accepts no more clients, and removes the file of a Unix socket.
  virtual void close() = 0;
};

using Accept = std::function<void(AcceptedSocket)>;

// Listens at an address. Server::start() lists the errors.
Result<std::shared_ptr<Listener>> listen_at(State& state, const transport::Address& address,
                                            Protocol protocol, const Accept& accept);

// Returns who is at the other end.
Origin origin_of(AcceptedSocket& socket);

}  // namespace holdfast::server
