// Pusher is the server's end of a subscription.
#pragma once

#include <kj/async.h>

#include <memory>
#include <string>

#include "holdfast/wire/push.capnp.h"
#include "server/calls/caller.h"
#include "server/delivery/pending_deliveries.h"
#include "server/delivery/prefetched_deliveries.h"

namespace holdfast::server {

// Receives messages as long as there is credit, and pushes them to the client. However it is dropped, its end
// gives back what was not started.
class Pusher final : public wire::Subscription::Server {
 public:
  // `options.max` is the credit.
  Pusher(std::shared_ptr<const Caller> caller, std::unique_ptr<Peer::CountedPlace> place,
         std::string_view queue, ReceiveOptions options, wire::DeliverySink::Client sink);
  ~Pusher() noexcept(false);

  // Looks for messages once, without waiting. The error says why there can be no subscription. Without an
  // error it goes on by itself.
  kj::Promise<Result<void>> start();

  kj::Promise<void> grant(GrantContext context) override;

  // The server drains: the subscription ends at once, or after the receive that is under way, which ends by
  // itself.
  void drain();

  // Other tokens hold now: the subscription ends at once if the client's token was revoked.
  void check_rights();

 private:
  using Received = kj::Own<PendingDeliveries>;

  void run(kj::Promise<void> promise);
  kj::Promise<Received> receive(Duration wait);
  kj::Promise<void> pass_on(Received received);
  kj::Promise<void> push_on();
  bool is_retryable(const Error& error) const;
  kj::Promise<void> more_credit();
  kj::Promise<void> end(const Error& error);
  void give_back();

  const std::shared_ptr<const Caller> caller_;
  const std::unique_ptr<Peer::CountedPlace> place_;
  State& state_;
  const std::string queue_;
  ReceiveOptions options_;
  wire::DeliverySink::Client sink_;
  std::size_t credit_;
  kj::Own<kj::PromiseFulfiller<void>> wants_credit_;
  const std::shared_ptr<PrefetchedDeliveries::Owner> prefetched_ =
      std::make_shared<PrefetchedDeliveries::Owner>();
  bool started_ = false;
  bool ended_ = false;  // it has ended for good, and what was to be given back is on its way
  kj::Promise<void> running_ = nullptr;
};

}  // namespace holdfast::server
