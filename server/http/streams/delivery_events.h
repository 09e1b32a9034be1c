// This header writes deliveries as server-sent events (in the HTML standard).
#pragma once

#include <capnp/dynamic.h>
#include <kj/async.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/bounds/in_flight.h"
#include "server/calls/caller.h"
#include "server/delivery/pending_deliveries.h"
#include "server/http/exchange/exchange.h"

namespace holdfast::server {

// Returns the receipts of what a ReceiveReply delivers.
std::vector<Receipt> receipts_in(capnp::DynamicStruct::Reader reply);

// Receives again and again, each time when the client has taken what came before. The `max` of the request
// bounds the stream: a message is received only while fewer of the stream's deliveries than that are in the
// client's hands, neither settled nor run out. So a client that works slowly, or hangs, lets no more messages
// than that run out. A delivery is `event: delivery` with JSON. If there was none for a while, a comment is
// sent. The end is `event: end` with the problem.
class DeliveryEvents final : public BodySource {
 public:
  DeliveryEvents(std::shared_ptr<const Caller> caller, wire::ReceiveRequest::Reader request);

  kj::Promise<std::string> next() override;
  void cut_off(std::size_t bytes) override;

  // Puts what a receive has returned into the client's hands. Returns the text of the events.
  std::string events(capnp::DynamicStruct::Reader reply);

 private:
  // Returns the next part. `since` is when the client had taken the part before.
  kj::Promise<std::string> go_on(std::chrono::steady_clock::time_point since);
  kj::Promise<std::string> receive(std::size_t max);
  std::string end(const Error& error);

  const std::shared_ptr<const Caller> caller_;
  const std::size_t max_held_;
  Json request_;
  ConnectionInFlight held_;
  // `unsent_` is what the last part delivers, and `ends_` says where each event ends in it. A client has its
  // events one by one: it may work on the first while the second comes.
  std::unique_ptr<UnsentDeliveries> unsent_;
  std::vector<std::size_t> ends_;
  bool over_ = false;
};

}  // namespace holdfast::server
