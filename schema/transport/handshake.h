// The beginning of a TLS connection.
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

// Closes the connection in the end, unless it is taken.
class Handshake {
 public:
  // The server's side.
  Handshake(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls);
  // The client's: the server has to prove that it is `host`, or TlsContext::server_name().
  Handshake(boost::asio::ip::tcp::socket socket, std::shared_ptr<TlsContext> tls, const std::string& host);
  ~Handshake();
  Handshake(const Handshake&) = delete;
  Handshake& operator=(const Handshake&) = delete;

  // Rejected: DISCONNECTED if the other side went away, UNIMPLEMENTED if it does not speak TLS, else FAILED:
  // a certificate is not good, or they have no version or cipher in common.
  kj::Promise<void> run();

  // Once it has succeeded.
  TlsStream take();

  // The subject's common name in the certificate that the other side has shown; empty if there is none.
  std::string peer_name() const;

  // Once it has failed: done when the other side has closed too, so that it can read what was wrong with it.
  kj::Promise<void> linger();

 private:
  struct Core;
  std::shared_ptr<Core> core_;
};

}  // namespace holdfast::transport
