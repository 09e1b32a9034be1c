// What every call goes through, whatever brought it.
#pragma once

#include <kj/async.h>

#include "server/calls/methods.h"

namespace holdfast::server {

// Measures a call, and has `handler`, that of its method, make it if its caller may: rights and drain are
// looked at here. What its limits are, the handler asks the caller's Peer.
//
// The promise is done once the reply is written. Dropping it before gives the call up, which is only for
// those whose traits say so: any other one has to come to its end, whether or not somebody waits for it.
kj::Promise<void> dispatch(AnyCall& call, Handler handler);

}  // namespace holdfast::server
