// Who may be connected: how many, and how many of those that nobody knows.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "holdfast/error.h"
#include "server/meter.h"
#include "server/origin.h"
#include "server/server.h"

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

    // It has shown its token, or that it needs none.
    void is_known();

   private:
    friend class Seats;
    Seat(Seats& seats, std::string host, bool known);

    Seats& seats_;
    const std::string host_;
    bool known_;
  };

  // `known`: it has nothing to show. kOverloaded at a bound: of all connections, where owners have
  // limits::kOwnerConnections more; of those that are not known; of those among them that have one host.
  Result<std::unique_ptr<Seat>> take(const Origin& origin, bool known, const ServerLimits& limits);

 private:
  Result<void> check(const Origin& origin, bool known, const ServerLimits& limits) const;

  Meter& meter_;
  mutable std::mutex mutex_;
  std::size_t all_ = 0;
  std::size_t unknown_ = 0;
  std::map<std::string, std::size_t> unknown_of_;  // by host
};

// How many connections may be there that have not shown their token: never more than a half of all, so that
// who has one gets in.
std::size_t max_unauthenticated(const ServerLimits& limits);
// Of one host: never more than a half of those.
std::size_t max_unauthenticated_per_host(const ServerLimits& limits);

}  // namespace holdfast::server
