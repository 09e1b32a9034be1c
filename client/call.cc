#include "client/call.h"

namespace holdfast::client {

kj::Promise<void> Call::attempt(Connection& connection) {
  ++attempts_;
  sent_on_ = connection.number();
  heard_before_ = connection.messages_received();
  return send(connection);
}

void Call::fail(Error error) {
  if (ended_) return;
  set_error(std::move(error));
  end();
}

void Call::give_up(ErrorCode otherwise, const std::string& reason) {
  if (!sent()) return fail({otherwise, reason + " before the call could be sent"});
  const auto code = effect_ == Effect::kNone ? otherwise : ErrorCode::kOutcomeUnknown;
  fail({code, reason + " before the server answered"});
}

void Call::cancel() {
  const bool harmless = !sent() || effect_ == Effect::kNone || effect_ == Effect::kLeases;
  fail({harmless ? ErrorCode::kCancelled : ErrorCode::kOutcomeUnknown, "the call was cancelled"});
}

bool Call::met_silence(const Connection& connection) const {
  return sent_on_ == connection.number() && heard_before_ == connection.messages_received();
}

void Call::end() {
  ended_ = true;
  deliver();
}

bool Call::fits_message(capnp::MessageSize arguments) {
  constexpr std::uint64_t kEnvelopeWords = 64;  // what the RPC layer puts around them
  return arguments.wordCount + kEnvelopeWords <= transport::reader_options().traversalLimitInWords;
}

PendingCall::~PendingCall() {
  if (call_ && !call_->ended()) call_->give_up(ErrorCode::kClosed, "the client was closed");
}

}  // namespace holdfast::client
