// The clients that are connected.
#pragma once

#include <kj/async.h>

#include <cstdint>
#include <map>
#include <memory>

#include "server/listener.h"
#include "server/peer.h"

namespace holdfast::server {

// The loop's thread only.
class Connections final : private kj::TaskSet::ErrorHandler {
 public:
  explicit Connections(State& state) : state_(state) {}

  // Serves a client until it goes away; one too many is hung up on.
  void add(AcceptedSocket socket);

  // Sends what is left to be said to each, and hangs up. Never fails.
  kj::Promise<void> close_all();

 private:
  struct Connection {
    std::shared_ptr<Peer> peer;
    kj::Own<transport::RpcConnection> rpc;
  };

  kj::Promise<void> close(std::uint64_t number);
  void taskFailed(kj::Exception&& exception) override;

  State& state_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Connection> open_;
  kj::TaskSet tasks_{*this};
};

}  // namespace holdfast::server
