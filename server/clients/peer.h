// A client as its calls see it: what it may do, and what the log calls it.
#pragma once

#include <kj/async.h>
#include <kj/memory.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "schema/transport/outlet.h"
#include "server/bounds/origin.h"
#include "server/bounds/seats.h"
#include "server/clients/state.h"
#include "server/clients/watched_socket.h"
#include "server/logging/log_line.h"

namespace holdfast::server {

// Whom a server that stops hangs up on: all clients, or those that do not wait for its end.
enum class HangUpOn : std::uint8_t { kAll, kServed };

// A call as the log names it.
struct LoggedCall {
  std::uint64_t number = 0;  // the call's number on its connection, from 1 on
  std::uint16_t method = 0;  // the number of the method's name (logging/method_names.h)
};

// A peer lives until its last call is over, perhaps after its connection is. Only the loop's thread uses it.
class Peer {
 public:
  Peer(State& state, std::uint64_t number, Origin origin)
      : state_(state),
        number_(number),
        origin_(std::move(origin)),
        principal_(origin_.user ? "uid:" + std::to_string(*origin_.user) : "") {}

  // Counts one call as in flight for as long as it lives.
  class Admission {
   public:
    explicit Admission(Peer& peer);
    ~Admission();
    Admission(const Admission&) = delete;
    Admission& operator=(const Admission&) = delete;

    // Counts `bytes` of messages that the call sends as in flight, too. kOverloaded at a limit.
    Result<void> add_send_bytes(std::size_t bytes);

   private:
    Peer& peer_;
    std::size_t send_bytes_ = 0;
  };

  // Counts something that the client has until it lets go of it, for as long as this object lives.
  class CountedPlace {
   public:
    explicit CountedPlace(std::size_t& count) : count_(count) { ++count_; }
    ~CountedPlace() { --count_; }
    CountedPlace(const CountedPlace&) = delete;
    CountedPlace& operator=(const CountedPlace&) = delete;

   private:
    std::size_t& count_;
  };

  // Admit a subscription or an authentication. kOverloaded if the connection has as many of them as it may
  // have calls.
  Result<std::unique_ptr<CountedPlace>> admit_subscription();
  Result<std::unique_ptr<CountedPlace>> admit_authentication();

  // Admits a call that waits for the server's end. A stop does not wait for it. kOverloaded if the connection
  // has as many of them as it may have calls.
  Result<std::unique_ptr<CountedPlace>> admit_farewell();

  // Admits a call. kClosed if the server stops, kOverloaded at a limit.
  Result<std::unique_ptr<Admission>> admit();

  // Checks whether another reply of `bytes` may be made. Replies that the client has not read are bounded;
  // but if it has read all of them, the next one may have any size, with two exceptions: too many bytes of
  // replies that were read are not finished, which are still in memory; or the reply is HTTP's, and the
  // answers that all clients have not read leave no room for it (UnreadAnswers). A reply of HTTP of up to
  // limits::kAssuredAnswerBytes always has room, so that clients that do not read large answers stop nobody's
  // receives. 0 bytes: the size is not known. kOverloaded, kClosed.
  Result<void> admit_reply(std::size_t bytes) const;
  // Checks whether another `bytes` may be pushed. Nothing of a push is kept once it is sent. kOverloaded,
  // kClosed.
  Result<void> admit_push(std::size_t bytes) const;

  // Returns a promise that is fulfilled when the operating system has the replies and pushes of this moment.
  // It is rejected if the connection breaks.
  kj::Promise<void> replies_sent() const;

  // Sets what serves the client until disconnect(). `traffic` is null if an answer is gone once it is sent.
  void connect(transport::Outlet& connection, std::shared_ptr<const Traffic> traffic, Seats::Seat& seat);
  // Ends what connect() began. It is called before the connection goes.
  void disconnect();
  bool is_connected() const { return connection_ != nullptr; }
  // Returns whether the client has gone, so that nothing can be given to it.
  bool has_gone() const;

  // Sets the connection's name, which the client's next hello mentions (State::named).
  void set_name(const convert::ConnectionName& name);

  // Returns how many calls the client may leave unfinished.
  std::size_t max_unfinished_calls() const;

  // Counts deliveries that the client gets. They are in its hands until they are over or its connection is.
  void hold(const Deliveries& deliveries);

  // Returns whether the client waits for an answer or has a subscription.
  bool busy() const { return calls_ > 0 || subscriptions_ > 0 || farewells_ > 0; }

  // Notes that the client is told the status of a drain. If the server ends after the drain, it serves the
  // client until it has told the client about the end.
  void told(const DrainStatus& status);
  bool awaits_end() const { return awaits_end_; }
  bool knows_that_drain_is_over() const { return knows_that_drain_is_over_; }
  // Notes that the answer that told the client about the server's end has been given.
  void end_told();

  const Origin& origin() const { return origin_; }

  // Returns whether the client is a process of this process's user or of root, on a Unix socket.
  bool is_owner() const { return server::is_owner(origin_); }
  // Returns whether the client belongs to a user who may not connect. All its calls are refused, and then the
  // server hangs up.
  bool is_stranger() const;

  // Returns whether the client has shown its token, or needs none.
  bool is_authenticated() const { return authenticated_; }
  void set_authenticated();

  // Returns the name in the client's token or certificate, or "uid:1000" on a Unix socket. It is empty if
  // nobody knows the client.
  const std::string& principal() const { return principal_; }
  void set_principal(std::string principal) { principal_ = std::move(principal); }

  // Returns the client's next call, for the log.
  LoggedCall begin_call(std::uint16_t method) { return {++last_call_, method}; }

  State& state() { return state_; }
  std::uint64_t number() const { return number_; }

  // Begins a line of the log about this client: `connection opened connection=7 peer=127.0.0.1:40000
  // principal=app`.
  LogLine line(std::string_view event) const;
  // Begins a line of the log that also names the call: `request=7-42 method=sendBatch`.
  LogLine line(std::string_view event, const LoggedCall& call) const;

 private:
  void forget_name();

  State& state_;
  const std::uint64_t number_;
  const Origin origin_;
  std::string principal_;
  bool authenticated_ = false;
  std::uint64_t last_call_ = 0;
  transport::Outlet* connection_ = nullptr;
  std::shared_ptr<const Traffic> traffic_;         // null without a connection, and as connect() says
  Seats::Seat* seat_ = nullptr;                    // null without a connection
  std::shared_ptr<ConnectionInFlight> in_flight_;  // null without a connection
  std::size_t calls_ = 0;
  std::size_t subscriptions_ = 0;
  std::size_t authentications_ = 0;
  std::size_t farewells_ = 0;
  bool awaits_end_ = false;
  bool knows_that_drain_is_over_ = false;
  std::size_t send_bytes_ = 0;
  std::optional<convert::ConnectionName> name_;
};

}  // namespace holdfast::server
