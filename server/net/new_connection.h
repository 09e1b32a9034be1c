// NewConnection is a client that was let in.
#pragma once

#include <memory>

#include "server/bounds/seats.h"
#include "server/net/listener.h"

namespace holdfast::server {

// The members are destroyed in reverse order: the socket is closed first, and only then is there a seat for
// another.
struct NewConnection {
  std::unique_ptr<Seats::Seat> seat;
  Origin origin;
  AcceptedSocket socket;
};

}  // namespace holdfast::server
