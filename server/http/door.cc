#include "server/http/door.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "server/bounds/seat_loss.h"
#include "server/calls/call_log.h"

namespace holdfast::server {
namespace {

// A client whose handshake has failed has this long to read why.
constexpr auto kLingerAfterHandshake = std::chrono::seconds(2);

void log_end(Peer& peer, const kj::Exception& why) {
  const bool went_away = why.getType() == kj::Exception::Type::DISCONNECTED;
  log_limited(peer.state(), went_away ? spdlog::level::debug : spdlog::level::warn,
              peer.line("hanging up").add("reason", why.getDescription().cStr()));
}

}  // namespace

HttpDoor::HttpDoor(State& state, const Monitor& monitor, HttpCommon& common, HttpProtocolFactory make_other)
    : state_(state),
      monitor_(monitor),
      common_(common),
      origins_(state.options.http_names),
      make_other_(std::move(make_other)) {}

HttpDoor::~HttpDoor() {
  for (const auto& [number, connection] : std::exchange(open_, {})) connection->abort();
}

void HttpDoor::add(std::shared_ptr<Peer> peer, std::unique_ptr<Seats::Seat> seat,
                   boost::asio::ip::tcp::socket socket, bool tls) {
  if (tls) return handshakes_.add(shake_hands(peer, std::move(socket), std::move(seat)));
  const std::uint64_t number = peer->number();
  open_.emplace(number, HttpConnection::start(*this, std::move(peer), std::move(seat), std::move(socket)));
}

kj::Promise<void> HttpDoor::shake_hands(const std::shared_ptr<Peer>& peer,
                                        boost::asio::ip::tcp::socket socket,
                                        std::unique_ptr<Seats::Seat> seat) {
  auto held = std::make_shared<std::unique_ptr<Seats::Seat>>(std::move(seat));
  auto handshake = std::make_shared<transport::Handshake>(std::move(socket), state_.options.tls);
  auto too_late = state_.port.after(state_.options.limits.greeting_timeout).then([] {
    KJ_FAIL_REQUIRE("it did not finish the TLS handshake in time");
  });
  auto lost = when_lost(**held, state_.port.mailbox()).then([] { fail_for_lost_seat(); });
  auto shaken = [this, peer, handshake, held]() -> kj::Promise<void> {
    peer->set_principal(handshake->peer_name());
    open_.emplace(peer->number(), HttpConnection::start(*this, peer, std::move(*held), handshake->take()));
    return kj::READY_NOW;
  };
  auto failed = [this, peer, handshake, held](kj::Exception&& why) {
    log_end(*peer, why);
    auto over =
        state_.port.after(kLingerAfterHandshake).exclusiveJoin(when_lost(**held, state_.port.mailbox()));
    return handshake->linger().exclusiveJoin(kj::mv(over)).attach(handshake, held);
  };
  auto too_long = too_late.exclusiveJoin(kj::mv(lost));
  return handshake->run().exclusiveJoin(kj::mv(too_long)).then(kj::mv(shaken), kj::mv(failed));
}

kj::Promise<void> HttpDoor::close_all(HangUpOn whom) {
  const auto open = open_;  // a copy, since each connection takes itself out
  for (const auto& [number, connection] : open) {
    if (whom == HangUpOn::kServed && connection->awaits_end()) continue;
    if (closing_.insert(number).second) left_.add();
    connection->close();
  }
  return left_.zero();
}

kj::Promise<HttpResponse> HttpDoor::page(std::string path) {
  auto started = state_.promises.make<Page>();
  boost::asio::post(state_.blocking.get_executor(),
                    [this, path = std::move(path), done = started.done] { done(monitor_.page(path)); });
  return started.promise.then([](Page page) {
    return text_response(page.status, "text/plain; version=0.0.4; charset=utf-8", std::move(page.body));
  });
}

void HttpDoor::gone(std::uint64_t number) {
  open_.erase(number);
  if (closing_.erase(number) > 0) left_.remove();
}

void HttpDoor::taskFailed(kj::Exception&& exception) {
  state_.log.error("a connection failed: {}", exception.getDescription().cStr());
}

}  // namespace holdfast::server
