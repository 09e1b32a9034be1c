#include "schema/transport/abort_notice.h"

#include <capnp/message.h>
#include <kj/debug.h>

#include "schema/transport/frames/rpc_tag.h"

namespace holdfast::transport {
kj::Maybe<kj::Exception> abort_notice(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  using capnp::rpc::Message;
  if (!may_be(Message::ABORT, segments)) return nullptr;
  capnp::SegmentArrayMessageReader reader(segments);
  auto message = reader.getRoot<Message>();
  if (!message.isAbort()) return nullptr;
  auto abort = message.getAbort();
  auto type = static_cast<kj::Exception::Type>(abort.getType());
  return kj::Exception(type, __FILE__, __LINE__, kj::str(abort.getReason()));
}

}  // namespace holdfast::transport
