// Dispatches calls: what every call goes through, whatever brought it.
#pragma once

#include <kj/async.h>

#include "server/calls/methods.h"

namespace holdfast::server {

// Measures a call, and has `handler`, the handler of its method, answer it if the caller may make it. Rights,
// draining and the limit of calls are checked here (for the limit, see MethodTraits::admits_itself). The
// handler checks what only it knows: the bytes of a send, the size of an answer, the place of a subscription.
//
// The promise is fulfilled once the reply is written. Dropping it earlier gives the call up, which only calls
// with MethodTraits::may_be_given_up allow: any other call must go on to its end, whether or not somebody
// waits for it.
kj::Promise<void> dispatch(AnyCall& call, Handler handler);

}  // namespace holdfast::server
