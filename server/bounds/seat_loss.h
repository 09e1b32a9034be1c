// The loss of a seat, on the thread of the connection that loses it.
#pragma once

#include <kj/async.h>

#include <memory>

#include "schema/transport/mailbox.h"
#include "server/bounds/seats.h"

namespace holdfast::server {

inline constexpr const char* kSeatLost =
    "its place is another's: it has not shown a token, and as many as may be have not";

// Done when the seat is another's, which may never be. In place of the promise that was given before; of one
// seat there is one at a time. `mailbox`: of the loop that waits.
kj::Promise<void> when_lost(Seats::Seat& seat, const std::shared_ptr<transport::Mailbox>& mailbox);

// For a promise that is to be rejected then.
[[noreturn]] void fail_for_lost_seat();

}  // namespace holdfast::server
