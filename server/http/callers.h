// Who calls over one HTTP connection, and the broker that answers them.
#pragma once

#include <kj/async.h>

#include <memory>
#include <string>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/clients/peer.h"

namespace holdfast::server {

// The loop's thread only.
class Callers {
 public:
  explicit Callers(const std::shared_ptr<Peer>& peer);

  // Whether clients have tokens to show.
  bool are_controlled() const { return is_controlled_; }
  // The broker that answers whoever shows this token; without one, the one that a client gets before it shows
  // any.
  kj::Promise<Result<wire::Broker::Client>> broker_of(std::string token);

  const State& state() const { return state_; }

 private:
  const State& state_;
  const bool is_controlled_;
  wire::Broker::Client root_;
  // The last token that was shown, and its broker.
  std::string token_;
  kj::Maybe<wire::Broker::Client> known_;
};

}  // namespace holdfast::server
