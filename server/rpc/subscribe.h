// Handles the one call that only RPC has: it takes a capability to push to, and returns one that ends the
// pushing.
#pragma once

#include <kj/async.h>

#include "holdfast/wire/push.capnp.h"
#include "server/calls/call.h"

namespace holdfast::server {

kj::Promise<void> subscribe(Call<wire::SubscribeRequest, wire::SubscribeReply> call);

}  // namespace holdfast::server
