// Notices when this side's RPC layer gives up on a connection.
#pragma once

#include <capnp/common.h>
#include <kj/array.h>
#include <kj/common.h>
#include <kj/exception.h>

namespace holdfast::transport {

// Returns what an outgoing message tells the peer if it is the RPC layer's abort, which is its last message;
// null otherwise.
kj::Maybe<kj::Exception> abort_notice(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);

}  // namespace holdfast::transport
