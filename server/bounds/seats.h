// Who may be connected: how many, and how many of those that nobody knows.
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

// The seats of all connections, for any thread. Must outlive them.
class Seats {
 public:
  explicit Seats(Meter& meter) : meter_(meter) {}

  // One connection's, from when it is taken from the operating system until its socket is closed.
  class Seat {
   public:
    ~Seat();
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;

    // It has shown its token, or that it needs none. From then on nobody else gets its seat.
    void is_known();

    // Calls `leave`, in place of the one before, when its seat is given to another, and at once if it has
    // been: the connection is to be closed. On any thread, which `leave` must not hold up.
    void on_loss(std::function<void()> leave);

   private:
    friend class Seats;
    enum class State : std::uint8_t { kUnknown, kKnown, kLost };
    using Place = std::list<Seat*>::iterator;

    Seat(Seats& seats, std::string host, bool known);
    void leave_the_unknown(State state) HOLDFAST_REQUIRES(seats_.mutex_);

    Seats& seats_;
    const std::string host_;
    const std::uint64_t number_;  // those of later ones are higher
    State state_ HOLDFAST_GUARDED_BY(seats_.mutex_);
    Place place_ HOLDFAST_GUARDED_BY(seats_.mutex_);  // among those of its host, while it is unknown
    std::function<void()> leave_ HOLDFAST_GUARDED_BY(seats_.mutex_);
  };

  // `known`: it has nothing to show. At a bound of those that are not known, of all or of one host, one of
  // them loses its seat to the newcomer: of the host that has the most, or of the newcomer's own if that is
  // at its bound, the one that came first. So whoever shows a token soon gets in, however many strangers stay
  // silent. kOverloaded at the bound of all connections, where owners have limits::kOwnerConnections more.
  Result<std::unique_ptr<Seat>> take(const Origin& origin, bool known, const ServerLimits& limits);

 private:
  // Gives what tells the one that has to leave, or nothing if there is room.
  std::function<void()> make_room(const std::string& host, const ServerLimits& limits)
      HOLDFAST_REQUIRES(mutex_);

  Meter& meter_;
  sync::Mutex mutex_;
  std::size_t all_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::size_t unknown_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_number_ HOLDFAST_GUARDED_BY(mutex_) = 0;
  // By host; the seat that was taken first is in front.
  std::map<std::string, std::list<Seat*>> unknown_of_ HOLDFAST_GUARDED_BY(mutex_);
};

// How many connections may be there that have not shown their token: never more than a half of all, so that
// who has one gets in.
std::size_t max_unauthenticated(const ServerLimits& limits);
// Of one host: never more than a half of those.
std::size_t max_unauthenticated_per_host(const ServerLimits& limits);

}  // namespace holdfast::server
