#include "transport/connect.h"

#include <kj/debug.h>

#include <boost/asio/connect.hpp>

namespace holdfast::transport {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Unix = asio::local::stream_protocol;
using boost::system::error_code;

// The state of one attempt: Asio's handlers share it, the promise only holds on to it.
template <class Protocol>
class Attempt : public std::enable_shared_from_this<Attempt<Protocol>> {
 public:
  Attempt(EventPort& port, const Address& address, const MessageSocketOptions& options,
          kj::Own<kj::PromiseFulfiller<kj::Own<MessageSocket>>> done)
      : port_(port), address_(address), options_(options), done_(kj::mv(done)) {}

  void start();

  void cancel() {
    cancelled_ = true;
    resolver_.cancel();
    error_code ignored;
    socket_.close(ignored);
  }

 private:
  void finish(const error_code& error) {
    if (cancelled_) return;
    if (error) {
      kj::String why =
          kj::str("cannot connect to ", to_string(address_).c_str(), ": ", error.message().c_str());
      done_->reject(error == asio::error::access_denied ? KJ_EXCEPTION(FAILED, kj::mv(why))
                                                        : KJ_EXCEPTION(DISCONNECTED, kj::mv(why)));
    } else {
      done_->fulfill(make_message_socket(port_, std::move(socket_), options_));
    }
  }

  EventPort& port_;
  const Address address_;
  const MessageSocketOptions options_;
  kj::Own<kj::PromiseFulfiller<kj::Own<MessageSocket>>> done_;
  tcp::resolver resolver_{port_.io()};
  typename Protocol::socket socket_{port_.io()};
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
kj::Promise<kj::Own<MessageSocket>> attempt(EventPort& port, const Address& address,
                                            const MessageSocketOptions& options) {
  auto pending = kj::newPromiseAndFulfiller<kj::Own<MessageSocket>>();
  auto state = std::make_shared<Attempt<Protocol>>(port, address, options, kj::mv(pending.fulfiller));
  state->start();
  return pending.promise.attach(kj::defer([state] { state->cancel(); }));
}

}  // namespace

kj::Promise<kj::Own<MessageSocket>> connect(EventPort& port, const Address& address,
                                            const MessageSocketOptions& options) {
  if (address.kind == Address::Kind::kUnix) return attempt<Unix>(port, address, options);
  return attempt<tcp>(port, address, options);
}

}  // namespace holdfast::transport
