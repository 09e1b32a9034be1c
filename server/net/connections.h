// Connections has the connections that one loop serves.
#pragma once

#include <kj/async.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>

#include "schema/transport/rpc_connection.h"
#include "server/bounds/connection_timeouts.h"
#include "server/bounds/unfinished_messages.h"
#include "server/clients/peer.h"
#include "server/clients/watched_socket.h"
#include "server/net/new_connection.h"

namespace holdfast::server {

class HttpDoor;

// Only the loop's thread uses it.
class Connections final : private kj::TaskSet::ErrorHandler {
 public:
  // `door` gets the clients that speak HTTP.
  Connections(State& state, HttpDoor& door)
      : state_(state), door_(door), unfinished_(state.all.unfinished_messages) {
    tasks_.add(watch());
  }
  // Hangs up on all without a word. Calls that were read and not begun are begun in the loop's next turns:
  // the state must outlive these.
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // Serves a client until it goes away, after a handshake if the socket needs one.
  void add(NewConnection connection);

  // Hangs up on the connections with these names, as LostConnections::HangUp says.
  void hang_up(const LostConnections::Names& names, std::shared_ptr<void> gone);

  // Sends each client what is left to be said, and hangs up. With kServed, clients that wait for the server's
  // end stay connected. Never fails.
  kj::Promise<void> close_all(HangUpOn whom);

 private:
  struct Connection {
    std::shared_ptr<Peer> peer;
    std::unique_ptr<Seats::Seat> seat;
    kj::Own<transport::RpcConnection> rpc;
    std::shared_ptr<Traffic> traffic;
    ConnectionTimeouts timeouts;
  };

  using ConnectionPlace = std::map<std::uint64_t, Connection>::iterator;

  kj::Promise<void> shake_hands(const std::shared_ptr<Peer>& peer, TlsClient client,
                                std::unique_ptr<Seats::Seat> seat);
  void serve(const std::shared_ptr<Peer>& peer, std::unique_ptr<Seats::Seat> seat,
             kj::Own<transport::MessageSocket> socket);

  // Hangs up, again and again, on connections that are silent or stuck for too long.
  kj::Promise<void> watch();
  void judge_all();
  // Bounds the memory of messages that are not whole yet, for which no call has been admitted.
  void bound_unfinished();
  ConnectionPlace cut_off(ConnectionPlace place, spdlog::level::level_enum level, std::string_view why);
  kj::Promise<void> close(std::uint64_t number);
  void taskFailed(kj::Exception&& exception) override;

  State& state_;
  HttpDoor& door_;
  UnfinishedMessages::Share unfinished_;
  std::map<std::uint64_t, Connection> open_;
  kj::TaskSet tasks_{*this};
};

}  // namespace holdfast::server
