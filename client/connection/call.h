// One call of a verb, from its caller's thread to the loop's and back.
#pragma once

#include <kj/async.h>

#include <memory>
#include <optional>
#include <string>

#include "client/common/backoff.h"
#include "client/connection/connection.h"
#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast::client {

// What a call may have done if its connection breaks after it was sent.
enum class Effect {
  kNone,     // nothing: it may be repeated
  kFenced,   // something, but a repetition does no more harm than a first try
  kResumed,  // as kFenced; and a server that closes in the middle of it says kClosed: the next one goes on
  kLeases,   // as kFenced; and what it did undoes itself in time
  kOnce,     // something that a repetition could do twice
};

// Which connection a call is for.
enum class Route {
  kAnywhere,
  // One whose server drains, as long as there is it: it has what the call is about, and answers it.
  kDraining,
  // The same, for a call about the server itself: kClosed is its answer, no other server's would be one.
  kServer,
};

// From its start on it belongs to the loop's thread.
class Call {
 public:
  // `deadline`: by the client's clock (ClientOptions::clock), which is steady.
  Call(Effect effect, Route route, Duration deadline) : effect_(effect), route_(route), deadline_(deadline) {}
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Sends it, reads the answer and ends, unless that is a refusal which does not answer it: see refused().
  // Rejected with a kj::Exception if there was no answer.
  kj::Promise<void> attempt(Connection& connection);
  // The connection of the present attempt is lost, and so may be its answer.
  void lost();
  // The server refused the present attempt. That ends the call, but for two refusals, after which it is to be
  // tried again and refusal() says why: a server that closes turned it away, and others may not (Route); or
  // it has an effect that an earlier attempt may have had, of which this refusal says nothing
  // (answers_repetition()). So no caller is told that nothing was done by a call that may have done it.
  void refused(Error error);
  // Of the last attempt; there was one.
  const Error& refusal() const { return *refusal_; }
  // How long to pause after it. The pauses grow as `first` does.
  Duration next_pause(const Backoff& first);
  // Ends with an error. Nothing, as all that follows, if it has ended: what the loop runs for a call may do
  // so a few turns after its end.
  void fail(Error error);
  // Ends without an answer: kOutcomeUnknown if it was sent and has an effect, else `otherwise`.
  void give_up(ErrorCode otherwise, const std::string& reason);
  // Ends because its caller wants no answer any more.
  void cancel();

  // Not a question about the server itself either: the next connection may be to the server after it.
  bool may_repeat() const {
    return effect_ != Effect::kOnce && !(effect_ == Effect::kNone && route_ == Route::kServer);
  }
  Route route() const { return route_; }
  // It may have had its effect.
  bool sent() const { return under_way_ || in_doubt_; }
  // Its repetition may meet the attempt that was lost.
  bool may_have_had_effect() const { return effect_ != Effect::kNone && sent(); }
  // No message has come in on `connection` since the call was sent there.
  bool met_silence(const Connection& connection) const;
  bool ended() const { return ended_; }
  Duration deadline() const { return deadline_; }

 protected:
  virtual kj::Promise<void> send(Connection& connection) = 0;
  virtual void set_error(Error error) = 0;
  // Tells the caller.
  virtual void deliver() = 0;
  void end();
  // An earlier attempt may have had its effect.
  bool in_doubt() const { return in_doubt_; }
  static bool fits_message(capnp::MessageSize arguments);

 private:
  bool goes_elsewhere(ErrorCode code) const;
  bool is_answered_by(ErrorCode code) const;

  const Effect effect_;
  const Route route_;
  const Duration deadline_;
  bool under_way_ = false;  // an attempt was sent and is not answered
  bool in_doubt_ = false;
  std::optional<Error> refusal_;
  std::unique_ptr<Backoff> pauses_;  // null before the first
  std::uint64_t sent_on_ = 0;        // the connection's number
  std::uint64_t heard_before_ = 0;
  bool ended_ = false;
};

// Whoever holds it has the call to end. Dropping it ends the call too, so that no caller waits for ever,
// wherever in the loop's machinery the call is when the client closes.
class PendingCall {
 public:
  explicit PendingCall(std::shared_ptr<Call> call) : call_(std::move(call)) {}
  ~PendingCall();
  PendingCall(PendingCall&&) noexcept = default;
  PendingCall& operator=(PendingCall&&) = delete;

  Call& operator*() const { return *call_; }
  Call* operator->() const { return call_.get(); }

 private:
  std::shared_ptr<Call> call_;
};

}  // namespace holdfast::client
