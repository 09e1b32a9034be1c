// Where clients come in.
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

// A client that has to shake hands before anything else.
struct TlsClient {
  boost::asio::ip::tcp::socket socket;
};

// One that speaks HTTP.
struct HttpClient {
  boost::asio::ip::tcp::socket socket;
};

// The same, after a handshake.
struct HttpsClient {
  boost::asio::ip::tcp::socket socket;
};

using AcceptedSocket = std::variant<boost::asio::ip::tcp::socket, TlsClient, HttpClient, HttpsClient,
                                    boost::asio::local::stream_protocol::socket>;

// What a listener's clients speak.
enum class Protocol : bool { kRpc, kHttp };

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
Result<std::shared_ptr<Listener>> listen_at(State& state, const transport::Address& address,
                                            Protocol protocol, const Accept& accept);

// Who is at the other end.
Origin origin_of(AcceptedSocket& socket);

}  // namespace holdfast::server
