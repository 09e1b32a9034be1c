// Noticing that our side of the RPC layer gives up on a connection.
#pragma once

#include <capnp/common.h>
#include <kj/array.h>
#include <kj/common.h>
#include <kj/exception.h>

namespace holdfast::transport {

// What an outgoing message tells the peer if it is the RPC layer's abort, its last one; else null.
kj::Maybe<kj::Exception> abort_notice(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);

}  // namespace holdfast::transport
