// A subscription over time, from connection to connection.
#pragma once

#include <kj/async.h>

#include <functional>
#include <memory>
#include <string>

#include "client/connection.h"
#include "client/inbox.h"
#include "holdfast/wire/push.capnp.h"

namespace holdfast::client {

// Lives on the loop's thread.
class Push : public std::enable_shared_from_this<Push> {
 public:
  // `options.max` is the credit.
  Push(std::string queue, ReceiveOptions options, std::shared_ptr<Inbox> inbox)
      : queue_(std::move(queue)), options_(std::move(options)), inbox_(std::move(inbox)) {}

  // Subscribes over a connection. Rejected if that is lost. `closing` is called when its server says that it
  // closes: it is to go on with the next connection.
  kj::Promise<Result<void>> open(Connection& connection, std::function<void()> closing);

  // There will be no more.
  void end(const Error& error) { inbox_->end(error); }

  // The connection is gone, and with it what was not begun.
  void lost();

  // Of what came over that opening, so many were taken. The server hears of it once that is half of the
  // credit; nobody does if the opening is not the present one, whose credit has nothing to do with them.
  void grant(std::uint64_t opening, std::uint32_t count);

 private:
  class Sink;

  void grant_owed();

  const std::string queue_;
  const ReceiveOptions options_;
  const std::shared_ptr<Inbox> inbox_;
  std::uint64_t opening_ = 0;  // sinks of earlier ones are deaf
  kj::Maybe<wire::Subscription::Client> subscription_;
  std::uint32_t owed_ = 0;  // taken, and not granted again yet
  kj::Promise<void> granting_ = kj::READY_NOW;
};

}  // namespace holdfast::client
