// ClientSession has a client's connection over time, with calls that use or await it, on the loop's thread.
#pragma once

#include <kj/async.h>

#include <map>
#include <memory>
#include <set>

#include "client/common/random_backoff.h"
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

  // Makes the first connection, with one attempt. Never rejected.
  kj::Promise<Result<void>> connect();

  // Subscribes `push` over the present connection or, within call_timeout, the next one, and again over each
  // later connection, until the server ends the push. Rejected if the session ends. After an error the push
  // is not subscribed.
  kj::Promise<Result<void>> subscribe(const std::shared_ptr<Push>& push);
  void unsubscribe(const std::shared_ptr<Push>& push);

  // Starts a call, and makes sure that it ends by its deadline, or when its number is cancelled, unless that
  // is 0.
  void start(PendingCall call, std::uint64_t number);
  void cancel(std::uint64_t number);

  // Begin and end a series of calls that are made one after the other under one number. For the caller they
  // are a single call: a cancel ends the one that is under way and all later ones, even if it comes between
  // two of them.
  void begin_parts(std::uint64_t number) { parts_[number] = false; }
  void end_parts(std::uint64_t number) { parts_.erase(number); }

 private:
  kj::Promise<void> cancelled(Call& call, std::uint64_t number);
  kj::Promise<void> perform(Call& call);
  kj::Promise<void> attempt(Call& call, Connection& connection);
  kj::Promise<void> answered(Call& call, std::uint64_t connection);
  kj::Promise<void> attempt_failed(Call& call, std::uint64_t connection, const kj::Exception& exception);
  void expire(Call& call);

  // Opens a connection. The server hangs up on the connections that this client has lost before it takes the
  // new connection's calls. Otherwise a call that the network holds up could have its effect after its
  // repetition was refused.
  kj::Promise<Result<std::unique_ptr<Connection>>> open();
  kj::Promise<void> reconnect();
  kj::Promise<Result<void>> open(const std::shared_ptr<Push>& push);
  kj::Promise<void> reopen(const std::shared_ptr<Push>& push, RandomBackoff backoff);
  Push::Ended ended_over(std::uint64_t connection);
  void ended(const std::shared_ptr<Push>& push, std::uint64_t connection, const Error& error,
             RandomBackoff backoff);
  void lost_pushes();
  void adopt(std::unique_ptr<Connection> connection);
  void prove(std::uint64_t connection);
  void reopen_pushes(std::uint64_t connection);
  bool is_open(std::uint64_t connection) const;
  void lose(std::uint64_t connection);
  void fence(std::uint64_t connection);
  void retire(std::uint64_t connection, const char* why);
  void retire_for(const Call& call, std::uint64_t connection, const char* why);
  void forget_draining();
  void let_go(std::unique_ptr<Connection> connection, Duration until_look);
  kj::Promise<void> unused(const Connection& connection, Duration until_look);

  void taskFailed(kj::Exception&& exception) override;

  transport::EventPort& port_;
  const transport::Address address_;
  const std::shared_ptr<transport::TlsContext> tls_;  // null if the address does not use TLS
  const ClientOptions options_;
  const Clock& clock_;
  ServerTime& server_time_;
  RandomBackoff backoff_;
  std::string last_error_;
  std::unique_ptr<Connection> connection_;  // null while reconnecting_ is at work
  bool is_proven_ = false;                  // the server has done something over connection_
  Duration adopted_at_{};                   // since when connection_ is there, by the steady clock
  // An earlier connection, if its server drains (Route::kDraining). It is kept until connection_ is proven.
  std::unique_ptr<Connection> draining_;
  std::set<std::shared_ptr<Push>> pushes_;
  // The parts of a call have the same number, and the entry of one part may still be here when another part
  // begins.
  std::multimap<std::uint64_t, kj::PromiseFulfiller<void>*> cancellable_;
  std::map<std::uint64_t, bool> parts_;  // for each call in parts: whether it was cancelled
  convert::ConnectionName newest_;       // the name of the newest connection; they are numbered from 1 on
  std::set<std::uint64_t> lost_;         // lost connections of which no server was told yet
  std::set<std::uint64_t> untold_;       // those of lost_ whose calls are to be repeated
  kj::ForkedPromise<void> reconnecting_;
  kj::TaskSet tasks_{*this};  // declared last, so that it is destroyed first
};

}  // namespace holdfast::client
