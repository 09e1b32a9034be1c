// A Handshake begins a TLS connection.
#pragma once

#include <kj/async.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>

#include "schema/tls/tls.h"
#include "schema/transport/message_socket.h"

namespace holdfast::transport {

using TlsStream = boost::asio::ssl::stream<boost::asio::ip::tcp::socket>;

kj::Own<MessageSocket> make_message_socket(EventPort& port, TlsStream stream,
                                           const MessageSocketOptions& options = {});

// A Handshake has the connection on which TLS begins. The destructor closes it, unless take() has taken it.
class Handshake {
 public:
  // Makes the server's side.
  Handshake(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls);
  // Makes the client's side. The server must prove that it is `host`, or TlsContext::server_name() if that is
  // set.
  Handshake(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls, const std::string& host);
  ~Handshake();
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  // Shakes hands. Rejected with DISCONNECTED if the other side went away, with UNIMPLEMENTED if it does not
  // speak TLS, and otherwise with FAILED: a certificate is not good, or the sides have no version or cipher
  // in common.
  kj::Promise<void> run();

  // Takes the connection after run() has succeeded.
  TlsStream take();

  // Returns the subject's common name in the certificate that the other side has shown; an empty text if it
  // has shown none.
  std::string peer_name() const;

  // Waits after run() has failed, so that the other side can read what was wrong. The promise is fulfilled
  // when that side has closed too.
  kj::Promise<void> linger();

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace holdfast::transport
