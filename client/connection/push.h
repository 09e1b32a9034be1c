// A subscription over time, from connection to connection.
#pragma once

#include <kj/async.h>

#include <functional>
#include <memory>
#include <string>

#include "client/connection/connection.h"
#include "client/connection/inbox.h"
#include "holdfast/wire/push.capnp.h"

namespace holdfast::client {

// Lives on the loop's thread.
class Push : public std::enable_shared_from_this<Push> {
 public:
  // `options.max` is the credit.
  Push(std::string queue, ReceiveOptions options, std::shared_ptr<Inbox> inbox)
      : queue_(std::move(queue)), options_(std::move(options)), inbox_(std::move(inbox)) {}

  // Gets what the server gave as the reason: kClosed if it closes.
  using Ended = std::function<void(const std::shared_ptr<Push>& push, const Error& error)>;

  // Subscribes over a connection. Rejected if that is lost. `ended` is called, perhaps before the promise is
  // done, if the server ends this opening while it is the present one.
  kj::Promise<Result<void>> open(Connection& connection, Ended ended);

  // There will be no more: lets go of the subscription, for which the server would hold messages.
  void end(const Error& error);
  bool ended() const { return ended_; }

  // The subscription is gone, and with it what was not started.
  void lost();

  // Of the present opening. Whatever happens to a push changes it: open(), lost() and end().
  std::uint64_t opening() const { return opening_; }

  // Of what came over that opening, so many were taken. The server hears of it once that is half of the
  // credit; nobody does if the opening is not the present one, whose credit has nothing to do with them.
  void grant(std::uint64_t opening, std::uint32_t count);

 private:
  class Sink;

  void let_go();
  void grant_owed();

  const std::string queue_;
  const ReceiveOptions options_;
  const std::shared_ptr<Inbox> inbox_;
  std::uint64_t opening_ = 0;  // sinks of earlier ones are deaf
  bool ended_ = false;
  kj::Maybe<wire::Subscription::Client> subscription_;
  std::uint32_t owed_ = 0;  // taken, and not granted again yet
  kj::Promise<void> granting_ = kj::READY_NOW;
};

}  // namespace holdfast::client
