// Bounds how many clients may be connected, and how many of them may be unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "engine/sync/mutex.h"
#include "holdfast/error.h"
#include "server/bounds/meter.h"
#include "server/bounds/origin.h"
#include "server/options/server_options.h"

namespace holdfast::server {

// Seats knows who sits where: each connection has a Seat. Thread-safe. It must outlive them.
class Seats {
 public:
  explicit Seats(Meter& meter) : meter_(meter) {}

  // A connection holds its Seat from the moment the operating system hands the connection over until the
  // connection's socket is closed.
  class Seat {
   public:
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    // Notes that the client has shown its token, or that it needs none. Nobody else can get its seat
    // afterwards.
    void is_known();

    // Sets what is called when the seat is given to another connection, in place of an earlier `leave`; it
    // must have the connection closed. `leave` is called at once if the seat is lost already. It runs on any
    // thread, and must not block.
    void on_loss(std::function<void()> leave);

   private:
    friend class Seats;
    enum class State : std::uint8_t { kUnknown, kKnown, kLost };
    using SeatPlace = std::list<Seat*>::iterator;

    Seat(Seats& seats, std::string host, bool known);
    void leave_the_unknown(State state) HOLDFAST_REQUIRES(seats_.mutex_);

    Seats& seats_;
    const std::string host_;
    const std::uint64_t number_;  // later seats have higher numbers
    State state_ HOLDFAST_GUARDED_BY(seats_.mutex_);
    // `place_` is the seat's place among those of its host, while the client is unknown.
    SeatPlace place_ HOLDFAST_GUARDED_BY(seats_.mutex_);
    std::function<void()> leave_ HOLDFAST_GUARDED_BY(seats_.mutex_);
  };

  // Gives a seat to a new connection. `known` means that the client has nothing to show. If the unknown
  // clients are at a bound, of all or of one host, one of them loses its seat to the newcomer: the one that
  // came first, of the newcomer's host if that host is at its bound, or else of the host that has the most.
  // So a client that shows a token soon gets in, however many strangers stay silent. kOverloaded at the bound
  // of all connections; owners may have limits::kOwnerConnections more.
  Result<std::unique_ptr<Seat>> take(const Origin& origin, bool known, const ServerLimits& limits);

 private:
  // Returns the function that tells the connection that loses its seat; nothing if there is room.
  std::function<void()> make_room(const std::string& host, const ServerLimits& limits)
      HOLDFAST_REQUIRES(mutex_);

  Meter& meter_;
  sync::Mutex mutex_;
  std::size_t all_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::size_t unknown_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_number_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // Seats of strangers are found by host; the seat that was taken first is in front.
  std::map<std::string, std::list<Seat*>> unknown_of_ HOLDFAST_GUARDED_BY(mutex_);
};

// Returns how many connections may be there that have not shown their token. It is at most a half of all, so
// that clients with a token get in.
std::size_t max_unauthenticated(const ServerLimits& limits);
// Returns how many of these connections one host may have. It is at most a half of them.
std::size_t max_unauthenticated_per_host(const ServerLimits& limits);

}  // namespace holdfast::server
