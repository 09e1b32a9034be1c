// HttpDoor has the connections of the HTTP port on one loop, and what they share.
#pragma once

#include <kj/async.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "server/bounds/gauge.h"
#include "server/bounds/seats.h"
#include "server/http/api.h"
#include "server/http/connection.h"
#include "server/http/exchange/date_header.h"
#include "server/http/origin_check.h"
#include "server/http/protocol.h"
#include "server/monitor/monitor.h"

namespace holdfast::server {

// Only the loop's thread uses it. `state`, `monitor`, `common` and what `make_other` refers to must outlive
// it.
class HttpDoor final : private kj::TaskSet::ErrorHandler {
 public:
  // `make_other` makes the protocol that clients may speak beside the API.
  HttpDoor(State& state, const Monitor& monitor, HttpCommon& common, HttpProtocolFactory make_other);
  // Hangs up on all clients.
  ~HttpDoor();
  HttpDoor(const HttpDoor&) = delete;
  HttpDoor& operator=(const HttpDoor&) = delete;

  // Serves a client until it goes away, after a TLS handshake if `tls` is true.
  void add(std::shared_ptr<Peer> peer, std::unique_ptr<Seats::Seat> seat, boost::asio::ip::tcp::socket socket,
           bool tls);

  // Lets the answers that are being sent end, and hangs up. With kServed, clients that wait for the server's
  // end stay connected. Never fails.
  kj::Promise<void> close_all(HangUpOn whom);

  // --- for the connections ---

  State& state() { return state_; }
  HttpCommon& common() { return common_; }
  const OriginCheck& origins() const { return origins_; }
  const std::string& date() { return date_.now(); }
  std::unique_ptr<HttpProtocol> make_other(Callers& callers, const Peer& peer, bool tls) const {
    return make_other_(callers, peer, tls);
  }
  // Returns the answer to a GET of /metrics, /healthz or /readyz. It is made on a thread that may block.
  kj::Promise<HttpResponse> page(std::string path);
  void gone(std::uint64_t number);

 private:
  kj::Promise<void> shake_hands(const std::shared_ptr<Peer>& peer, boost::asio::ip::tcp::socket socket,
                                std::unique_ptr<Seats::Seat> seat);
  void taskFailed(kj::Exception&& exception) override;

  State& state_;
  const Monitor& monitor_;
  HttpCommon& common_;
  const OriginCheck origins_;
  DateHeader date_;
  const HttpProtocolFactory make_other_;
  std::map<std::uint64_t, std::shared_ptr<HttpConnection>> open_;
  std::set<std::uint64_t> closing_;  // the numbers of connections that close_all() waits for
  Gauge left_;                       // how many these are
  kj::TaskSet handshakes_{*this};
};

}  // namespace holdfast::server
