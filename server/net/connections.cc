#include "server/net/connections.h"

#include <kj/debug.h>

#include <algorithm>

#include "schema/transport/handshake.h"
#include "server/bounds/seat_loss.h"
#include "server/calls/call_log.h"
#include "server/http/door.h"
#include "server/rpc/broker_service.h"

namespace holdfast::server {
namespace {

constexpr auto kWatchEvery = std::chrono::milliseconds(250);

// The time for a client whose handshake has failed to read why.
constexpr auto kLinger = std::chrono::seconds(2);

void log_hanging_up(Peer& peer, spdlog::level::level_enum level, std::string_view why) {
  log_limited(peer.state(), level, peer.line("hanging up").add("reason", for_log(why)));
}

// The peer just went away, or did what no peer should do.
void log_end(Peer& peer, const kj::Exception& why) {
  const bool went_away = why.getType() == kj::Exception::Type::DISCONNECTED;
  log_hanging_up(peer, went_away ? spdlog::level::debug : spdlog::level::warn, why.getDescription().cStr());
}

template <class Socket>
kj::Own<transport::MessageSocket> message_socket(const std::shared_ptr<Peer>& peer, Socket socket) {
  transport::MessageSocketOptions options;
  options.pause_when_congested = true;
  options.on_abort = [peer](const kj::Exception& why) { log_end(*peer, why); };
  return transport::make_message_socket(peer->state().port, std::move(socket), options);
}

}  // namespace

Connections::~Connections() {
  for (const auto& [number, connection] : open_) connection.peer->disconnect();
}

void Connections::add(NewConnection connection) {
  auto& [seat, origin, socket] = connection;
  auto peer = std::make_shared<Peer>(state_, ++state_.all.last_connection, std::move(origin));
  Meter& meter = state_.meter;
  // The server's owner may still look, and resume the server. Connections of HTTP do not last: a client that
  // settles or probes may come by a new one each time.
  const bool is_http =
      std::holds_alternative<HttpClient>(socket) || std::holds_alternative<HttpsClient>(socket);
  if (state_.draining && !is_http && !peer->is_owner()) {
    ++meter.refused;
    return log_hanging_up(*peer, spdlog::level::debug, "the server is draining");
  }
  ++meter.opened;
  state_.log.debug(peer->line("connection opened").text());
  if (auto* client = std::get_if<TlsClient>(&socket)) {
    tasks_.add(shake_hands(peer, std::move(*client), std::move(seat)));
  } else if (auto* plain = std::get_if<HttpClient>(&socket)) {
    door_.add(std::move(peer), std::move(seat), std::move(plain->socket), false);
  } else if (auto* encrypted = std::get_if<HttpsClient>(&socket)) {
    door_.add(std::move(peer), std::move(seat), std::move(encrypted->socket), true);
  } else if (auto* local = std::get_if<boost::asio::local::stream_protocol::socket>(&socket)) {
    serve(peer, std::move(seat), message_socket(peer, std::move(*local)));
  } else {
    serve(peer, std::move(seat),
          message_socket(peer, std::get<boost::asio::ip::tcp::socket>(std::move(socket))));
  }
}

kj::Promise<void> Connections::shake_hands(const std::shared_ptr<Peer>& peer, TlsClient client,
                                           std::unique_ptr<Seats::Seat> seat) {
  auto held = std::make_shared<std::unique_ptr<Seats::Seat>>(std::move(seat));
  auto handshake = std::make_shared<transport::Handshake>(std::move(client.socket), state_.options.tls);
  auto too_late = state_.port.after(state_.options.limits.greeting_timeout).then([] {
    KJ_FAIL_REQUIRE("it did not finish the TLS handshake in time");
  });
  auto lost = when_lost(**held, state_.port.mailbox()).then([] { fail_for_lost_seat(); });
  auto shaken = [this, peer, handshake, held]() -> kj::Promise<void> {
    peer->set_principal(handshake->peer_name());
    serve(peer, std::move(*held), message_socket(peer, handshake->take()));
    return kj::READY_NOW;
  };
  auto failed = [this, peer, handshake, held](kj::Exception&& why) {
    log_end(*peer, why);
    auto over = state_.port.after(kLinger).exclusiveJoin(when_lost(**held, state_.port.mailbox()));
    return handshake->linger().exclusiveJoin(kj::mv(over)).attach(handshake, held);
  };
  auto too_long = too_late.exclusiveJoin(kj::mv(lost));
  return handshake->run().exclusiveJoin(kj::mv(too_long)).then(kj::mv(shaken), kj::mv(failed));
}

void Connections::serve(const std::shared_ptr<Peer>& peer, std::unique_ptr<Seats::Seat> seat,
                        kj::Own<transport::MessageSocket> socket) {
  // The rights of a client that has not said who it is: none.
  auto rights = state_.options.tokens && !peer->is_owner() ? std::make_shared<const Rights>() : nullptr;
  const bool known = !rights && !peer->is_stranger();
  auto traffic = std::make_shared<Traffic>();
  traffic->max_calls = [&peer = *peer] { return peer.max_unfinished_calls(); };
  auto rpc = kj::heap<transport::RpcConnection>(
      kj::heap<WatchedSocket>(kj::mv(socket), traffic),
      kj::heap<BrokerService>(std::make_shared<const Caller>(peer, std::move(rights))));
  // A further bound beside the limits with which calls are answered: calls that are pipelined on the results
  // of others do not reach those limits.
  // It is at least a word: with no room, nothing would be read at all.
  rpc->set_flow_limit(
      std::max<std::size_t>(1, 2 * state_.options.limits.max_send_bytes / sizeof(capnp::word)));
  peer->connect(*rpc, traffic, *seat);
  if (known) peer->set_authenticated();
  auto closed = rpc->on_disconnect().then([this, number = peer->number()] { return close(number); });
  auto lost = when_lost(*seat, state_.port.mailbox()).then([this, number = peer->number()] {
    const auto place = open_.find(number);
    if (place != open_.end()) cut_off(place, spdlog::level::warn, kSeatLost);
  });
  open_.emplace(peer->number(), Connection{peer, std::move(seat), kj::mv(rpc), std::move(traffic),
                                           ConnectionTimeouts(std::chrono::steady_clock::now())});
  tasks_.add(closed.exclusiveJoin(kj::mv(lost)));
}

kj::Promise<void> Connections::watch() {
  return state_.port.after(kWatchEvery).then([this] {
    judge_all();
    return watch();
  });
}

void Connections::judge_all() {
  const auto now = std::chrono::steady_clock::now();
  for (auto place = open_.begin(); place != open_.end();) {
    Connection& connection = place->second;
    const transport::MessageSocket& socket = connection.rpc->socket();
    const ConnectionTimeouts::Seen seen{.messages = connection.traffic->messages_read,
                                        .unfinished = socket.unfinished_bytes(),
                                        .authenticated = connection.peer->is_authenticated(),
                                        .taken = socket.sent_bytes(),
                                        .behind = socket.unsent_bytes() > 0,
                                        .busy = connection.peer->busy()};
    const bool told_off = connection.peer->is_stranger() && seen.messages > 0 && !seen.behind;
    const auto why =
        told_off ? "its user may not connect" : connection.timeouts.judge(seen, state_.options.limits, now);
    place = why.empty() ? std::next(place) : cut_off(place, spdlog::level::warn, why);
  }
  bound_unfinished();
}

void Connections::bound_unfinished() {
  for (;;) {
    UnfinishedMessages::Sum sum;
    auto first_to_go = open_.end();
    for (auto place = open_.begin(); place != open_.end(); ++place) {
      const std::size_t bytes = place->second.rpc->socket().unfinished_bytes();
      if (bytes == 0) continue;
      const auto greatest = sum.greatest;
      sum.add({.is_strangers = !place->second.peer->is_authenticated(), .bytes = bytes});
      if (sum.greatest != greatest) first_to_go = place;
    }
    if (!unfinished_.is_too_much(sum, state_.options.limits.max_total_send_bytes)) return;
    cut_off(first_to_go, spdlog::level::warn, "it sends the largest of too many messages at a time");
  }
}

void Connections::hang_up(const LostConnections::Names& names, std::shared_ptr<void> gone) {
  for (const auto& name : names) {
    const auto named = state_.named.find(name);
    if (named == state_.named.end()) continue;
    const auto place = open_.find(named->second);
    if (place != open_.end()) cut_off(place, spdlog::level::debug, "its client has lost the connection");
  }
  // Calls that were read and not begun are begun in the loop's next turns (see ~Connections).
  tasks_.add(kj::evalLast([gone = std::move(gone)] {}));
}

Connections::ConnectionPlace Connections::cut_off(ConnectionPlace place, spdlog::level::level_enum level,
                                                  std::string_view why) {
  Peer& peer = *place->second.peer;
  log_hanging_up(peer, level, why);
  peer.disconnect();
  return open_.erase(place);
}

kj::Promise<void> Connections::close(std::uint64_t number) {
  auto found = open_.find(number);
  if (found == open_.end()) return kj::READY_NOW;
  auto connection = std::move(found->second);
  open_.erase(found);
  connection.peer->disconnect();
  auto closed = transport::RpcConnection::close(kj::mv(connection.rpc));
  return closed.then([this, peer = std::move(connection.peer), seat = std::move(connection.seat)] {
    state_.log.debug(peer->line("connection closed").text());
  });
}

kj::Promise<void> Connections::close_all(HangUpOn whom) {
  auto closing = kj::heapArrayBuilder<kj::Promise<void>>(open_.size());
  for (auto place = open_.begin(); place != open_.end();) {
    const auto& [number, connection] = *place++;
    if (whom == HangUpOn::kAll || !connection.peer->awaits_end()) closing.add(close(number));
  }
  return kj::joinPromises(closing.finish());
}

void Connections::taskFailed(kj::Exception&& exception) {
  state_.log.error("a connection failed: {}", exception.getDescription().cStr());
}

}  // namespace holdfast::server
