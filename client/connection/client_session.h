// A client's connection over time, and the calls that are using or awaiting it. Lives on the loop's thread.
#pragma once

#include <kj/async.h>

#include <map>
#include <memory>
#include <set>

#include "client/common/backoff.h"
#include "client/common/server_time.h"
#include "client/connection/call.h"
#include "client/connection/connection.h"
#include "client/connection/push.h"
#include "holdfast/client.h"

namespace holdfast::client {

class ClientSession final : private kj::TaskSet::ErrorHandler {
 public:
  ClientSession(transport::EventPort& port, transport::Address address,
                std::shared_ptr<transport::TlsContext> tls, const ClientOptions& options,
                ServerTime& server_time);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  // The first connection: one attempt. Never rejected.
  kj::Promise<Result<void>> connect();

  // Has it subscribed over the present connection or, until call_timeout, the next, and again over each that
  // follows, until its server ends it. Rejected if the session ends; after an error it is not subscribed.
  kj::Promise<Result<void>> subscribe(const std::shared_ptr<Push>& push);
  void unsubscribe(const std::shared_ptr<Push>& push);

  // Sees to it that the call ends by its deadline, or when its number, unless that is 0, is cancelled.
  void start(PendingCall call, std::uint64_t number);
  void cancel(std::uint64_t number);

  // The calls in between, made one after the other under that number, are one to their caller: a cancel ends
  // the one under way and all that follow, also if it comes between two of them.
  void begin_parts(std::uint64_t number) { parts_[number] = false; }
  void end_parts(std::uint64_t number) { parts_.erase(number); }

 private:
  kj::Promise<void> cancelled(Call& call, std::uint64_t number);
  kj::Promise<void> perform(Call& call);
  kj::Promise<void> attempt(Call& call, Connection& connection);
  kj::Promise<void> answered(Call& call, std::uint64_t connection);
  kj::Promise<void> attempt_failed(Call& call, std::uint64_t connection, const kj::Exception& exception);
  void expire(Call& call);

  // The server hangs up on what is lost before it takes the new connection's calls: otherwise a call
  // that the network holds up could have its effect after its repetition was refused.
  kj::Promise<Result<std::unique_ptr<Connection>>> open();
  kj::Promise<void> reconnect();
  kj::Promise<Result<void>> open(const std::shared_ptr<Push>& push);
  kj::Promise<void> reopen(const std::shared_ptr<Push>& push, Backoff backoff);
  Push::Ended ended_over(std::uint64_t connection);
  void ended(const std::shared_ptr<Push>& push, std::uint64_t connection, const Error& error,
             Backoff backoff);
  void lost_pushes();
  void adopt(std::unique_ptr<Connection> connection);
  void reopen_pushes(std::uint64_t connection);
  bool is_open(std::uint64_t connection) const;
  void lose(std::uint64_t connection);
  void fence(std::uint64_t connection);
  void retire(std::uint64_t connection, const char* why);
  void forget_draining();
  kj::Promise<void> unused(const Connection& connection);

  void taskFailed(kj::Exception&& exception) override;

  transport::EventPort& port_;
  const transport::Address address_;
  const std::shared_ptr<transport::TlsContext> tls_;  // null unless the address wants it
  const ClientOptions options_;
  const Clock& clock_;
  ServerTime& server_time_;
  Backoff backoff_;
  std::string last_error_;
  std::unique_ptr<Connection> connection_;  // null: there is none, reconnecting_ is at work
  std::unique_ptr<Connection> draining_;    // the one before, if its server drains (Route::kDraining)
  std::set<std::shared_ptr<Push>> pushes_;
  // Of calls in parts the last one's may still be here when the next one's is.
  std::multimap<std::uint64_t, kj::PromiseFulfiller<void>*> cancellable_;
  std::map<std::uint64_t, bool> parts_;  // calls in parts: whether they were cancelled
  convert::ConnectionName newest_;       // of the connections that were begun, which count from 1
  std::set<std::uint64_t> lost_;         // connections that no server was told of as lost
  std::set<std::uint64_t> untold_;       // of these: those whose calls are to be repeated
  kj::ForkedPromise<void> reconnecting_;
  kj::TaskSet tasks_{*this};  // last, so that it goes first
};

}  // namespace holdfast::client
