// Tells which of the RPC layer's messages a message is.
#pragma once

#include <capnp/common.h>
#include <capnp/rpc.capnp.h>
#include <kj/array.h>

#include <cstdint>
#include <cstring>

namespace holdfast::transport {

// Returns whether a message may be of this kind. Every message passes here, so this looks at one word only:
// in messages that the RPC layer builds, the root pointer is followed by the root struct, which begins with
// the union's tag. For other messages the result means nothing.
inline bool may_be(capnp::rpc::Message::Which which,
                   kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  if (segments.size() == 0 || segments[0].size() < 2) return false;
  std::uint16_t tag = 0;
  std::memcpy(&tag, segments[0].begin() + 1, sizeof(tag));
  return tag == which;
}

}  // namespace holdfast::transport
