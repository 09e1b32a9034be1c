#include "client/connection/call.h"

#include "client/common/is_retryable.h"

namespace holdfast::client {

kj::Promise<void> Call::attempt(Connection& connection) {
  under_way_ = true;
  sent_on_ = connection.number();
  heard_before_ = connection.messages_received();
  return send(connection);
}

void Call::lost() {
  in_doubt_ = in_doubt_ || under_way_;
  under_way_ = false;
}

void Call::refused(Error error) {
  under_way_ = false;
  if (!goes_elsewhere(error.code) && is_answered_by(error.code)) return fail(std::move(error));
  if (error.code == ErrorCode::kClosed && route_ == Route::kServer) {
    // No other server may be asked, and this server does not know about the attempt that was lost.
    return fail({ErrorCode::kOutcomeUnknown,
                 "the connection was lost before the server answered; a repetition was refused: " +
                     to_string(error)});
  }
  if (error.code == ErrorCode::kClosed && effect_ == Effect::kResumed) in_doubt_ = true;
  refusal_ = std::move(error);
}

bool Call::goes_elsewhere(ErrorCode code) const {
  return code == ErrorCode::kClosed && route_ != Route::kServer;
}

bool Call::is_answered_by(ErrorCode code) const {
  if (effect_ == Effect::kNone || !in_doubt_) return true;
  // What an earlier try has leased is gone with the queue.
  if (effect_ == Effect::kLeases && code == ErrorCode::kQueueNotFound) return true;
  return answers_repetition(code);
}

Duration Call::next_pause(const RandomBackoff& first) {
  if (!pauses_) pauses_ = std::make_unique<RandomBackoff>(first);
  return pauses_->next();
}

void Call::fail(Error error) {
  if (ended_) return;
  set_error(std::move(error));
  end();
}

void Call::give_up(ErrorCode otherwise, const std::string& reason) {
  if (!sent()) return fail({otherwise, reason + " before the call could be sent"});
  const auto code = effect_ == Effect::kNone ? otherwise : ErrorCode::kOutcomeUnknown;
  std::string message = reason + " before the server answered";
  if (refusal_) message += "; a repetition was refused: " + to_string(*refusal_);
  fail({code, std::move(message)});
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
  constexpr std::uint64_t kEnvelopeWords = 64;  // the RPC layer's words around the arguments
  return arguments.wordCount + kEnvelopeWords <= transport::reader_options().traversalLimitInWords;
}

PendingCall::~PendingCall() {
  if (call_ && !call_->ended()) call_->give_up(ErrorCode::kClosed, "the client was closed");
}

}  // namespace holdfast::client
