#include "schema/transport/connect.h"

#include <kj/debug.h>

#include <boost/asio/connect.hpp>

#include "schema/transport/handshake.h"

namespace holdfast::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Unix = asio::local::stream_protocol;
using boost::system::error_code;

kj::Exception failure(kj::Exception::Type type, const Address& address, kj::StringPtr why) {
  return {type, __FILE__, __LINE__, kj::str("cannot connect to ", to_string(address).c_str(), ": ", why)};
}

// The state of one attempt. Asio's handlers share it, and the promise only keeps it alive.
template <class Protocol>
class Attempt : public std::enable_shared_from_this<Attempt<Protocol>> {
 public:
  using Socket = typename Protocol::socket;

  Attempt(EventPort& port, const Address& address, kj::Own<kj::PromiseFulfiller<Socket>> done)
      : port_(port), address_(address), done_(kj::mv(done)) {}

  // Throws std::system_error: the first attempt that looks a name up starts Asio's thread for that.
  void start();

  // Ends the attempt as if the network had refused it.
  void give_up(kj::StringPtr why) {
    done_->reject(failure(kj::Exception::Type::DISCONNECTED, address_, why));
  }

  void cancel() {
    cancelled_ = true;
    resolver_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  // Asio reports "canceled" if it could not even open a socket.
  error_code reason_of(const error_code& error) {
    error_code opening;
    if (error == asio::error::operation_aborted && !socket_.is_open())
      socket_.open(typename Protocol::endpoint().protocol(), opening);
    return opening ? opening : error;
  }

  void finish(error_code error) {
    if (cancelled_) return;
    error = reason_of(error);
    if (error) {
      const bool forbidden = error == asio::error::access_denied;
      done_->reject(failure(forbidden ? kj::Exception::Type::FAILED : kj::Exception::Type::DISCONNECTED,
                            address_, error.message().c_str()));
    } else {
      done_->fulfill(std::move(socket_));
    }
  }

  EventPort& port_;
  const Address address_;
  kj::Own<kj::PromiseFulfiller<Socket>> done_;
  tcp::resolver resolver_{port_.io()};
  Socket socket_{port_.io()};
  bool cancelled_ = false;
};

template <>
void Attempt<Unix>::start() {
  socket_.async_connect(Unix::endpoint(address_.path),
                        [self = shared_from_this()](const error_code& error) { self->finish(error); });
}

template <>
void Attempt<tcp>::start() {
  auto connected = [self = shared_from_this()](const error_code& error, const tcp::endpoint&) {
    self->finish(error);
  };
  auto resolved = [self = shared_from_this(), connected](const error_code& error,
                                                         const tcp::resolver::results_type& endpoints) {
    if (error || self->cancelled_) return self->finish(error);
    asio::async_connect(self->socket_, endpoints, connected);
  };
  resolver_.async_resolve(address_.host, std::to_string(address_.port), resolved);
}

template <class Protocol>
kj::Promise<typename Protocol::socket> attempt(EventPort& port, const Address& address) {
  auto pending = kj::newPromiseAndFulfiller<typename Protocol::socket>();
  auto state = std::make_shared<Attempt<Protocol>>(port, address, kj::mv(pending.fulfiller));
  try {
    state->start();
  } catch (const std::exception& e) {
    state->give_up(e.what());
  }
  return pending.promise.attach(kj::defer([state] { state->cancel(); }));
}

kj::Promise<TlsStream> secure(tcp::socket socket, const Address& address,
                              const std::shared_ptr<TlsContext>& tls) {
  auto handshake = kj::heap<Handshake>(std::move(socket), tls, address.host);
  auto done = handshake->run();
  return done.then([handshake = kj::mv(handshake)]() mutable { return handshake->take(); },
                   [address](kj::Exception&& e) -> TlsStream {
                     kj::throwFatalException(failure(e.getType(), address, e.getDescription()));
                   });
}

}  // namespace

kj::Promise<kj::Own<MessageSocket>> connect(EventPort& port, const Address& address,
                                            const std::shared_ptr<TlsContext>& tls) {
  // It is copied for each use: then() would keep a reference.
  const auto ready = [&port](auto socket) { return make_message_socket(port, std::move(socket)); };
  if (address.kind == Address::Kind::kUnix) return attempt<Unix>(port, address).then(kj::cp(ready));
  if (address.kind == Address::Kind::kTcp) return attempt<tcp>(port, address).then(kj::cp(ready));
  return attempt<tcp>(port, address)
      .then([address, tls](tcp::socket socket) { return secure(std::move(socket), address, tls); })
      .then(kj::cp(ready));
}

}  // namespace holdfast::transport
