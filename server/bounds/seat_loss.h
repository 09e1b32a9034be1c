// Tells the thread of a connection that the connection has lost its seat.
#pragma once

#include <kj/async.h>

#include <memory>

#include "schema/transport/mailbox.h"
#include "server/bounds/seats.h"

namespace holdfast::server {

inline constexpr const char* kSeatLost =
    "its place was given to a newer one: too many connections have not shown a token";

// Returns a promise that is fulfilled when the seat is given to another connection, which may never happen.
// It replaces the promise of an earlier call: there is one at a time for a seat. `mailbox` belongs to the
// loop that waits.
kj::Promise<void> when_lost(Seats::Seat& seat, const std::shared_ptr<transport::Mailbox>& mailbox);

// Throws the exception that rejects a promise whose seat is lost.
[[noreturn]] void fail_for_lost_seat();

}  // namespace holdfast::server
