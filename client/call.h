// One call of a verb, from its caller's thread to the loop's and back.
#pragma once

#include <kj/async.h>

#include <chrono>
#include <memory>
#include <string>

#include "client/connection.h"
#include "holdfast/error.h"

namespace holdfast::client {

// What a call may have done if its connection breaks after it was sent.
enum class Effect {
  kNone,    // nothing: it may be repeated
  kFenced,  // something, but a repetition does no more harm than a first try
  kLeases,  // as kFenced; and what it did undoes itself in time
  kOnce,    // something that a repetition could do twice
};

// Which connection a call is for.
enum class Route {
  kAnywhere,
  // One whose server drains, as long as there is it: it has what the call is about, and answers it.
  kDraining,
  // The same, for a call about the server itself: kClosed is its answer, no other server's would be one.
  kServer,
};

using SteadyTime = std::chrono::steady_clock::time_point;

// From its start on it belongs to the loop's thread.
class Call {
 public:
  Call(Effect effect, Route route, SteadyTime deadline)
      : effect_(effect), route_(route), deadline_(deadline) {}
  virtual ~Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  // Sends it, reads the answer and ends, unless a server that is closing turned it away: then it may be tried
  // elsewhere (Route). Rejected with a kj::Exception if there was no answer.
  kj::Promise<void> attempt(Connection& connection);
  // Ends with an error. Nothing, as all that follows, if it has ended: what the loop runs for a call may do
  // so a few turns after its end.
  void fail(Error error);
  // Ends without an answer: kOutcomeUnknown if it was sent and has an effect, else `otherwise`.
  void give_up(ErrorCode otherwise, const std::string& reason);
  // Ends because its caller wants no answer any more.
  void cancel();

  bool may_repeat() const { return effect_ != Effect::kOnce; }
  Route route() const { return route_; }
  bool sent() const { return attempts_ > 0; }
  bool repeated() const { return attempts_ > 1; }
  // No message has come in on `connection` since the call was sent there.
  bool met_silence(const Connection& connection) const;
  bool ended() const { return ended_; }
  SteadyTime deadline() const { return deadline_; }

 protected:
  virtual kj::Promise<void> send(Connection& connection) = 0;
  virtual void set_error(Error error) = 0;
  // Tells the caller.
  virtual void deliver() = 0;
  void end();
  // The answer says that this attempt had no effect.
  void turned_away() { --attempts_; }
  bool may_go_elsewhere() const { return route_ != Route::kServer; }
  static bool fits_message(capnp::MessageSize arguments);

 private:
  const Effect effect_;
  const Route route_;
  const SteadyTime deadline_;
  unsigned attempts_ = 0;
  std::uint64_t sent_on_ = 0;  // the connection's number
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
