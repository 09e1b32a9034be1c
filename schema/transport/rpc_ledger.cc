#include "schema/transport/rpc_ledger.h"

#include <capnp/message.h>
#include <kj/debug.h>

#include "holdfast/limits.h"
#include "schema/transport/frames/rpc_tag.h"

namespace holdfast::transport {
namespace {

using capnp::rpc::Message;

// The exception is thrown without KJ_REQUIRE's record of the place, since the peer and the log read it.
[[noreturn]] void refuse_message(kj::String why) {
  kj::throwFatalException(kj::Exception(kj::Exception::Type::FAILED, __FILE__, __LINE__, kj::mv(why)));
}

void check(std::size_t count, std::size_t limit, const char* what) {
  if (count > limit) refuse_message(kj::str("it has more than ", limit, ' ', what));
}

// A step takes no bytes in a message, so a small message can claim to have millions of them. The RPC layer
// would copy each.
void check_path(capnp::rpc::PromisedAnswer::Reader answer) {
  check(answer.getTransform().size(), limits::kCapabilitySteps, "steps to a capability");
}

void check_target(capnp::rpc::MessageTarget::Reader target) {
  if (target.isPromisedAnswer()) check_path(target.getPromisedAnswer());
}

void check_capability(capnp::rpc::CapDescriptor::Reader capability) {
  if (capability.isReceiverAnswer()) check_path(capability.getReceiverAnswer());
}

void check_capabilities(capnp::rpc::Payload::Reader payload) {
  const auto table = payload.getCapTable();
  check(table.size(), limits::kCallCapabilities, "capabilities in one message");
  for (const auto capability : table) check_capability(capability);
}

void check_call(capnp::rpc::Call::Reader call) {
  check_target(call.getTarget());
  check_capabilities(call.getParams());
  // The results would be kept where no bound on unread replies sees them.
  if (!call.getSendResultsTo().isCaller()) refuse_message(kj::str("it wants results kept on this side"));
}

std::size_t bytes_of(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  std::size_t bytes = 0;
  for (const auto& segment : segments) bytes += segment.asBytes().size();
  return bytes;
}

// From version 1.1 on, the answering side may say that it has forgotten the call already.
template <class Answer>
bool needs_no_finish(const Answer& answer) {
  if constexpr (requires { answer.getNoFinishNeeded(); }) return answer.getNoFinishNeeded();
  return false;
}

}  // namespace

void RpcLedger::received(Message::Reader message, std::size_t max_calls) {
  // More calls may have been pushed than the peer has answered. Those that it will not answer show when it
  // goes on sending.
  check(unanswered_calls_, limits::kUnansweredPushes, "unanswered pushes");
  switch (message.which()) {
    case Message::BOOTSTRAP:
      return begin(message.getBootstrap().getQuestionId(), max_calls);
    case Message::CALL:
      check_call(message.getCall());
      return begin(message.getCall().getQuestionId(), max_calls);
    case Message::FINISH:
      return finish(message.getFinish().getQuestionId());
    case Message::RETURN:
      if (message.getReturn().isResults()) check_capabilities(message.getReturn().getResults());
      if (unanswered_calls_ > 0) --unanswered_calls_;
      return;
    case Message::RESOLVE:
      if (message.getResolve().isCap()) check_capability(message.getResolve().getCap());
      return;
    case Message::DISEMBARGO:
      return check_target(message.getDisembargo().getTarget());
    case Message::RELEASE:
    case Message::ABORT:
    case Message::UNIMPLEMENTED:
      return;  // nothing is remembered of these
    default:
      // The RPC layer answers other kinds with a copy of the whole message. The copy may be a million times
      // as large as the message, where pointers of the message share what they point to.
      refuse_message(kj::str("it sends messages of a kind that has no use here"));
  }
}

void RpcLedger::sent(kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  if (may_be(Message::CALL, segments)) ++unanswered_calls_;
  if (!may_be(Message::RETURN, segments)) return;
  capnp::SegmentArrayMessageReader reader(segments);
  answer(reader.getRoot<Message>().getReturn(), bytes_of(segments));
}

void RpcLedger::begin(std::uint32_t call, std::size_t max_calls) {
  check(calls_.size() + 1, max_calls, "unfinished calls");
  calls_.try_emplace(call);
}

void RpcLedger::finish(std::uint32_t call) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return;
  found->second.finished = true;
  if (!found->second.answered) return;
  unfinished_bytes_ -= found->second.bytes;
  calls_.erase(found);
}

void RpcLedger::answer(capnp::rpc::Return::Reader answer, std::size_t bytes) {
  const auto found = calls_.find(answer.getAnswerId());
  if (found == calls_.end()) return;
  if (found->second.finished || needs_no_finish(answer)) {
    calls_.erase(found);
    return;
  }
  found->second.answered = true;
  found->second.bytes = bytes;
  unfinished_bytes_ += bytes;
}

}  // namespace holdfast::transport
