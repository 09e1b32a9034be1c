// An HttpConnection serves one HTTP connection.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "schema/transport/handshake.h"
#include "server/clients/peer.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

class HttpDoor;

// Answers one request after the other until the client hangs up, is silent for too long, or does what HTTP
// does not allow. Only the loop's thread uses it.
class HttpConnection {
 public:
  // `door` must outlive the connection.
  static std::shared_ptr<HttpConnection> start(HttpDoor& door, std::shared_ptr<Peer> peer,
                                               std::unique_ptr<Seats::Seat> seat,
                                               boost::asio::ip::tcp::socket socket);
  static std::shared_ptr<HttpConnection> start(HttpDoor& door, std::shared_ptr<Peer> peer,
                                               std::unique_ptr<Seats::Seat> seat,
                                               transport::TlsStream stream);

  virtual ~HttpConnection() noexcept(false) = default;  // KJ's destructors may throw

  // Sends the answer that is due, if there is one, and hangs up.
  virtual void close() = 0;
  // Returns whether the client waits for the server's end.
  virtual bool awaits_end() const = 0;
  // Hangs up at once.
  virtual void abort() = 0;
};

}  // namespace holdfast::server
