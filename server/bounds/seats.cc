#include "server/bounds/seats.h"

#include <algorithm>
#include <utility>

#include "holdfast/limits.h"

namespace holdfast::server {
namespace {

std::size_t half(std::size_t of) { return std::max<std::size_t>(of / 2, 1); }

tl::unexpected<Error> taken(std::size_t limit, const std::string& what) {
  return fail(ErrorCode::kOverloaded, std::to_string(limit) + what + ", which is the limit");
}

}  // namespace

std::size_t max_unauthenticated(const ServerLimits& limits) {
  return std::min(limits.max_unauthenticated, half(limits.max_connections));
}

std::size_t max_unauthenticated_per_host(const ServerLimits& limits) {
  return std::min(limits.max_unauthenticated_per_host, half(max_unauthenticated(limits)));
}

Seats::Seat::Seat(Seats& seats, std::string host, bool known)
    : seats_(seats), host_(std::move(host)), known_(known) {
  if (!known_) {
    ++seats_.unknown_of_[host_];
    ++seats_.unknown_;
  }
  ++seats_.all_;
  ++seats_.meter_.connections;
}

Seats::Seat::~Seat() {
  is_known();
  const std::lock_guard lock(seats_.mutex_);
  --seats_.all_;
  --seats_.meter_.connections;
}

void Seats::Seat::is_known() {
  if (std::exchange(known_, true)) return;
  const std::lock_guard lock(seats_.mutex_);
  --seats_.unknown_;
  const auto of_host = seats_.unknown_of_.find(host_);
  if (--of_host->second == 0) seats_.unknown_of_.erase(of_host);
}

Result<std::unique_ptr<Seats::Seat>> Seats::take(const Origin& origin, bool known,
                                                 const ServerLimits& limits) {
  const std::lock_guard lock(mutex_);
  if (auto ok = check(origin, known, limits); !ok) return tl::unexpected(ok.error());
  return std::unique_ptr<Seat>(new Seat(*this, origin.host, known));
}

Result<void> Seats::check(const Origin& origin, bool known, const ServerLimits& limits) const {
  const std::size_t limit = limits.max_connections + (is_owner(origin) ? limits::kOwnerConnections : 0);
  if (all_ >= limit) return taken(limit, " are connected");
  if (known) return {};
  if (unknown_ >= max_unauthenticated(limits))
    return taken(max_unauthenticated(limits), " are connected that have not shown a token");
  const auto of_host = unknown_of_.find(origin.host);
  if (of_host == unknown_of_.end() || of_host->second < max_unauthenticated_per_host(limits)) return {};
  return taken(of_host->second, " of its address are connected that have not shown a token");
}

}  // namespace holdfast::server
