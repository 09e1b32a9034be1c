// One client, as its calls see it: what they are allowed, and who it is in the log.
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

// A call, as the log names it.
struct LoggedCall {
  std::uint64_t number = 0;  // of its connection, from 1
  std::uint16_t method = 0;  // its ordinal
};

// Lives until its last call is over, which may be after its connection is. The loop's thread only.
class Peer {
 public:
  Peer(State& state, std::uint64_t number, Origin origin)
      : state_(state),
        number_(number),
        origin_(std::move(origin)),
        principal_(origin_.user ? "uid:" + std::to_string(*origin_.user) : "") {}

  // Counts one call as in flight, for as long as it lives.
  class Ticket {
   public:
    Ticket(Peer& peer, std::size_t send_bytes);
    ~Ticket();
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    Peer& peer_;
    const std::size_t send_bytes_;
  };

  // Something that the client has until it lets go of it, counted for as long as it lives.
  class CountedPlace {
   public:
    explicit CountedPlace(std::size_t& count) : count_(count) { ++count_; }
    ~CountedPlace() { --count_; }
    CountedPlace(const CountedPlace&) = delete;
    CountedPlace& operator=(const CountedPlace&) = delete;

   private:
    std::size_t& count_;
  };

  // kOverloaded: a connection has no more of either than calls.
  Result<std::unique_ptr<CountedPlace>> admit_subscription();
  Result<std::unique_ptr<CountedPlace>> admit_authentication();

  // Of a peer that awaits the server's end, which no stop waits for.
  Result<std::unique_ptr<CountedPlace>> admit_farewell();

  // kClosed if the server stops, kOverloaded at a limit.
  Result<std::unique_ptr<Ticket>> admit(std::size_t send_bytes);

  // Whether another reply of `bytes` may be made. The first one always may, unless there are replies that
  // were read and not finished, which are still in memory.
  Result<void> admit_reply(std::size_t bytes) const;
  // Whether another `bytes` may be pushed, of which nothing is kept once they are sent.
  Result<void> admit_push(std::size_t bytes) const;

  // Done when the replies and pushes of this moment are in the operating system's hands. Rejected if the
  // connection breaks.
  kj::Promise<void> replies_sent() const;

  // What it is served over, until disconnect(). `traffic`: null where an answer is gone once it is sent.
  void connect(transport::Outlet& connection, std::shared_ptr<const Traffic> traffic, Seats::Seat& seat);
  // Before that goes.
  void disconnect();
  bool is_connected() const { return connection_ != nullptr; }
  // Whether there is nobody to give anything to any more.
  bool has_gone() const;

  // What its client calls it, for the client's next hello (State::named).
  void set_name(const convert::ConnectionName& name);

  // How many calls it may leave unfinished.
  std::size_t max_unfinished_calls() const;

  // It gets these, which are in its hand until they are over or its connection is.
  void hold(const Deliveries& deliveries);

  // Whether it waits for an answer, or is subscribed.
  bool busy() const { return calls_ > 0 || subscriptions_ > 0 || farewells_ > 0; }

  // It was told so. If the server ends then, it is told that too: it is served until that was said.
  void told(const DrainStatus& status);
  bool awaits_end() const { return awaits_end_; }
  bool knows_that_drain_is_over() const { return knows_that_drain_is_over_; }
  // After the answer that said it.
  void end_told();

  const Origin& origin() const { return origin_; }

  // Whether it is a process of this one's user or of root, on a Unix socket.
  bool is_owner() const { return server::is_owner(origin_); }
  // Whether it is one of a user who may not connect: all its calls are refused, and then it is hung up on.
  bool is_stranger() const;

  // Whether it has shown its token, or needs none.
  bool is_authenticated() const { return authenticated_; }
  void set_authenticated();

  // Whom its token or certificate names, or "uid:1000" on a Unix socket. Empty: nobody knows.
  const std::string& principal() const { return principal_; }
  void set_principal(std::string principal) { principal_ = std::move(principal); }

  // Its next call, for the log.
  LoggedCall begin_call(std::uint16_t method) { return {++last_call_, method}; }

  State& state() { return state_; }
  std::uint64_t number() const { return number_; }

  // A line for the log about this client: `connection opened connection=7 peer=127.0.0.1:40000
  // principal=app`.
  LogLine line(std::string_view event) const;
  // With the call too: `request=7-42 method=sendBatch`.
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
  std::shared_ptr<const Traffic> traffic_;         // null before there is a connection, and see connect()
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
