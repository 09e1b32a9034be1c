// One call of a verb, on its way from its caller's thread to the loop's thread and back.
#pragma once

#include <kj/async.h>

#include <memory>
#include <optional>
#include <string>

#include "client/common/random_backoff.h"
#include "client/connection/connection.h"
#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast::client {

// An Effect is what a call may have done if its connection breaks after the call was sent.
enum class Effect {
  kNone,    // nothing: it may be repeated
  kFenced,  // something, but it is safe to repeat
  // Something, but it is safe to repeat. If a server closes during the call and answers kClosed, the next
  // server continues the call.
  kResumed,
  kLeases,  // something, but it is safe to repeat, and what it did undoes itself in time
  kOnce,    // something that a repetition could do twice
};

// A Route says which connection a call may use.
enum class Route {
  kAnywhere,
  // A server that drains, as long as there is a connection to it: it has what the call is about, and answers.
  kDraining,
  // The server that drains, for a call about that server itself. kClosed is then the answer: no other server
  // could give one.
  kServer,
};

// A call belongs to the loop's thread once it has started.
class Call {
 public:
  // `deadline` is a time of the client's clock (ClientOptions::clock), which is steady.
  Call(Effect effect, Route route, Duration deadline) : effect_(effect), route_(route), deadline_(deadline) {}
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Sends the call and reads the answer. The call ends, unless the answer is a refusal after which it must be
  // tried again (see refused()). Rejected with a kj::Exception if there was no answer.
  kj::Promise<void> attempt(Connection& connection);
  // Notes that the connection of the present attempt is lost, and the answer perhaps with it.
  void lost();
  // Takes the server's refusal of the present attempt. The call ends, except after two kinds of refusal, when
  // it must be tried again and refusal() says why. Either a server that closes turned the call away, and the
  // call's Route allows another server. Or the call has an effect that an earlier attempt may have had, and
  // this refusal does not say whether it had (answers_repetition()). So no caller is told that a call did
  // nothing when it may have done something.
  void refused(Error error);
  // Returns the refusal of the last attempt. Requires that there was one.
  const Error& refusal() const { return *refusal_; }
  // Returns how long to pause after the refusal. The pauses grow as those of `first` do.
  Duration next_pause(const RandomBackoff& first);
  // Ends the call with an error. It does nothing if the call has ended, and neither do give_up() and
  // cancel(): what the loop runs for a call may come a few turns after the call's end.
  void fail(Error error);
  // Ends the call without an answer: with kOutcomeUnknown if it was sent and has an effect, or else with
  // `otherwise`.
  void give_up(ErrorCode otherwise, const std::string& reason);
  // Ends the call because its caller no longer wants an answer.
  void cancel();

  // Returns whether the call may be repeated over another connection. A question about the server itself may
  // not: the next connection may lead to the server's successor.
  bool may_repeat() const {
    return effect_ != Effect::kOnce && !(effect_ == Effect::kNone && route_ == Route::kServer);
  }
  Route route() const { return route_; }
  // Returns whether the call may have had its effect.
  bool sent() const { return under_way_ || in_doubt_; }
  // Returns whether a repetition may meet the effect of an attempt that was lost.
  bool may_have_had_effect() const { return effect_ != Effect::kNone && sent(); }
  // Returns whether no message has come in on `connection` since the call was sent over it.
  bool met_silence(const Connection& connection) const;
  bool ended() const { return ended_; }
  Duration deadline() const { return deadline_; }

 protected:
  virtual kj::Promise<void> send(Connection& connection) = 0;
  virtual void set_error(Error error) = 0;
  // Gives the result to the caller.
  virtual void deliver() = 0;
  void end();
  // Returns whether an earlier attempt may have had its effect.
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
  std::unique_ptr<RandomBackoff> pauses_;  // null before the first pause
  std::uint64_t sent_on_ = 0;              // the connection's number
  std::uint64_t heard_before_ = 0;
  bool ended_ = false;
};

// Holds a call that must end. If the holder is destroyed first, it ends the call, so that no caller waits for
// ever, wherever in the loop's machinery the call is when the client closes.
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
