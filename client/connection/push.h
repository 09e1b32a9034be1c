// Push is a subscription over time, from connection to connection.
#pragma once

#include <kj/async.h>

#include <functional>
#include <memory>
#include <string>

#include "client/connection/connection.h"
#include "client/connection/inbox.h"
#include "holdfast/wire/push.capnp.h"

namespace holdfast::client {

// It lives on the loop's thread.
class Push : public std::enable_shared_from_this<Push> {
 public:
  // `options.max` is the credit.
  Push(std::string queue, ReceiveOptions options, std::shared_ptr<Inbox> inbox)
      : queue_(std::move(queue)), options_(std::move(options)), inbox_(std::move(inbox)) {}

  // Receives the server's reason for ending the subscription: kClosed if the server closes.
  using Ended = std::function<void(const std::shared_ptr<Push>& push, const Error& error)>;

  // Subscribes over a connection. Rejected if the connection is lost. `ended` is called if the server ends
  // this opening while it is the present one, perhaps before the promise is fulfilled.
  kj::Promise<Result<void>> open(Connection& connection, Ended ended);

  // Ends the push for good, and lets go of the subscription, for which the server would otherwise hold
  // messages.
  void end(const Error& error);
  bool ended() const { return ended_; }

  // Notes that the subscription is gone, and with it the deliveries that were not started.
  void lost();

  // Returns the number of the present opening. open(), lost() and end() each change it.
  std::uint64_t opening() const { return opening_; }

  // Notes that `count` deliveries of that opening were taken. The server is told once half of the credit was
  // taken. If the opening is not the present one nobody is told: those deliveries have nothing to do with the
  // present credit.
  void grant(std::uint64_t opening, std::uint32_t count);

 private:
  class Sink;

  void let_go();
  void grant_owed();

  const std::string queue_;
  const ReceiveOptions options_;
  const std::shared_ptr<Inbox> inbox_;
  std::uint64_t opening_ = 0;  // sinks of earlier openings ignore what comes
  bool ended_ = false;
  kj::Maybe<wire::Subscription::Client> subscription_;
  std::uint32_t owed_ = 0;  // deliveries that were taken and not granted again yet
  kj::Promise<void> granting_ = kj::READY_NOW;
};

}  // namespace holdfast::client
