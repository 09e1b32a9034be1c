#include "transport/abort_notice.h"

#include <capnp/message.h>
#include <capnp/rpc.capnp.h>
#include <kj/debug.h>

#include <cstdint>
#include <cstring>

namespace holdfast::transport {
namespace {

using capnp::rpc::Message;

// Every message passes here, so this looks at one word only: in what the RPC layer builds, the root pointer
// is followed by the root struct, which begins with the union's tag.
bool may_be_abort(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  if (segments.size() == 0 || segments[0].size() < 2) return false;
  std::uint16_t tag = 0;
  std::memcpy(&tag, segments[0].begin() + 1, sizeof(tag));
  return tag == Message::ABORT;
}

}  // namespace

kj::Maybe<kj::Exception> abort_notice(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  if (!may_be_abort(segments)) return nullptr;
  capnp::SegmentArrayMessageReader reader(segments);
  auto message = reader.getRoot<Message>();
  if (!message.isAbort()) return nullptr;
  auto abort = message.getAbort();
  auto type = static_cast<kj::Exception::Type>(abort.getType());
  return kj::Exception(type, __FILE__, __LINE__, kj::str(abort.getReason()));
}

}  // namespace holdfast::transport
