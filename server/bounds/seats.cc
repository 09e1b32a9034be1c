#include "server/bounds/seats.h"

#include <algorithm>
#include <utility>

#include "holdfast/limits.h"

namespace holdfast::server {
namespace {

std::size_t half(std::size_t of) { return std::max<std::size_t>(of / 2, 1); }

}  // namespace

std::size_t max_unauthenticated(const ServerLimits& limits) {
  return std::min(limits.max_unauthenticated, half(limits.max_connections));
}

std::size_t max_unauthenticated_per_host(const ServerLimits& limits) {
  return std::min(limits.max_unauthenticated_per_host, half(max_unauthenticated(limits)));
}

Seats::Seat::Seat(Seats& seats, std::string host, bool known)
    : seats_(seats),
      host_(std::move(host)),
      number_(++seats_.last_number_),
      state_(known ? State::kKnown : State::kUnknown) {
  if (!known) {
    auto& of_host = seats_.unknown_of_[host_];
    place_ = of_host.insert(of_host.end(), this);
    ++seats_.unknown_;
  }
  ++seats_.all_;
  ++seats_.meter_.connections;
}

Seats::Seat::~Seat() {
  const sync::Lock lock(seats_.mutex_);
  leave_the_unknown(State::kKnown);
  --seats_.all_;
  --seats_.meter_.connections;
}

void Seats::Seat::is_known() {
  const sync::Lock lock(seats_.mutex_);
  leave_the_unknown(State::kKnown);
}

void Seats::Seat::leave_the_unknown(State state) {
  if (state_ != State::kUnknown) return;
  state_ = state;
  --seats_.unknown_;
  const auto of_host = seats_.unknown_of_.find(host_);
  of_host->second.erase(place_);
  if (of_host->second.empty()) seats_.unknown_of_.erase(of_host);
}

void Seats::Seat::on_loss(std::function<void()> leave) {
  {
    const sync::Lock lock(seats_.mutex_);
    if (state_ != State::kLost) {
      leave_ = std::move(leave);
      return;
    }
  }
  leave();
}

Result<std::unique_ptr<Seats::Seat>> Seats::take(const Origin& origin, bool known,
                                                 const ServerLimits& limits) {
  const std::size_t limit = limits.max_connections + (is_owner(origin) ? limits::kOwnerConnections : 0);
  std::function<void()> leave;
  std::unique_ptr<Seat> seat;
  {
    const sync::Lock lock(mutex_);
    if (all_ >= limit) {
      return fail(ErrorCode::kOverloaded, std::to_string(limit) + " are connected, which is the limit");
    }
    if (!known) leave = make_room(origin.host, limits);
    seat.reset(new Seat(*this, origin.host, known));
  }
  if (leave) leave();
  return seat;
}

std::function<void()> Seats::make_room(const std::string& host, const ServerLimits& limits) {
  auto of_host = unknown_of_.find(host);
  if (of_host == unknown_of_.end() || of_host->second.size() < max_unauthenticated_per_host(limits)) {
    if (unknown_ < max_unauthenticated(limits)) return {};
    of_host = std::ranges::max_element(unknown_of_, {}, [](const auto& entry) {
      return std::pair(entry.second.size(), UINT64_MAX - entry.second.front()->number_);
    });
  }
  ++meter_.refused;
  Seat& first = *of_host->second.front();
  first.seats_.mutex_.assert_held();  // the seat is one of these seats
  first.leave_the_unknown(Seat::State::kLost);
  return std::exchange(first.leave_, {});
}

}  // namespace holdfast::server
