// One call: a method, its parameters and its reply, whatever brought it to the server.
//
// A framing brings calls: it says who calls which method, where the parameters are and where the reply goes.
// RPC is one framing (server/rpc), HTTP another (direct_call.h). A call is dispatched (dispatch.h), and
// answered by the handler of its method (methods.h). Neither knows which framing brought it.
#pragma once

#include <capnp/any.h>
#include <capnp/message.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "server/calls/call_log.h"
#include "server/calls/caller.h"
#include "server/logging/method_names.h"

namespace holdfast::server {

// An AnyCall is a call of any method. It must outlive dispatch()'s promise. Only the loop's thread uses it.
class AnyCall {
 public:
  // `method` is the method's number. The log and the meters know the call by its method, or by the name of
  // the number `name` (logging/method_names.h).
  AnyCall(std::shared_ptr<const Caller> caller, std::uint16_t method)
      : AnyCall(std::move(caller), method, name_of_method(method)) {}
  AnyCall(std::shared_ptr<const Caller> caller, std::uint16_t method, std::uint16_t name)
      : caller_(std::move(caller)), method_(method), name_(name) {}
  virtual ~AnyCall() noexcept(false) = default;  // KJ's destructors may throw
  AnyCall(const AnyCall&) = delete;
  AnyCall& operator=(const AnyCall&) = delete;

  // --- what the framing says ---

  virtual capnp::AnyPointer::Reader params() = 0;
  // Frees the memory of the parameters. Nobody may read them afterwards.
  virtual void release_params() = 0;
  // Returns the reply, the same one at each call. `room` is its size, as far as that is known at the first
  // call.
  virtual capnp::AnyPointer::Builder reply(capnp::MessageSize room) = 0;
  // Tells the framing what the client has become by this call: it can make its next calls as that caller. The
  // reply of `authenticate` stands for it.
  virtual void give(std::shared_ptr<const Caller> caller) = 0;

  // --- what all calls have ---

  const Caller& caller() const { return *caller_; }
  const std::shared_ptr<const Caller>& shared_caller() const { return caller_; }
  Peer& peer() const { return caller_->peer(); }
  State& state() const { return caller_->state(); }
  Engine& engine() const { return state().engine; }
  std::uint16_t method() const { return method_; }
  // Returns how the log names the call. Requires that begin() was called.
  const LoggedCall& logged() const { return logged_; }

  // Says that the call has arrived: it is counted and measured from now on, and is slow if it takes long.
  // It must be called once.
  void begin();
  // Admits the call: until end() it is one of the calls that its client has in flight, and a stop of the
  // server waits for it. kClosed if the server stops, kOverloaded at a limit.
  Result<void> admit();
  // Admits the messages that the call sends, of `bytes` in all, too. Requires that the call is admitted.
  // kOverloaded at a limit.
  Result<void> admit_send(std::size_t bytes);
  // Says that the call is answered, or that nobody wants the answer any more.
  void end();
  // Says that this call changes nothing, although other calls of its method do. Its answer shows what is
  // stored: see admit_answer().
  void note_that_it_only_looks() { only_looks_ = true; }
  bool only_looks() const { return only_looks_; }

 private:
  const std::shared_ptr<const Caller> caller_;
  const std::uint16_t method_;
  const std::uint16_t name_;
  bool only_looks_ = false;
  LoggedCall logged_;
  std::optional<CallInFlight> in_flight_;
  std::unique_ptr<Peer::Admission> admission_;  // null until the call is admitted
};

// Refers to a call of a method that takes `Params` and replies with `Reply`, both structs of the protocol.
template <class Params, class Reply>
class Call {
 public:
  explicit Call(AnyCall& call) : call_(&call) {}

  typename Params::Reader params() const { return call_->params().getAs<Params>(); }
  typename Reply::Builder reply(capnp::MessageSize room) const { return call_->reply(room).getAs<Reply>(); }

  AnyCall& operator*() const { return *call_; }
  AnyCall* operator->() const { return call_; }

 private:
  AnyCall* call_;
};

}  // namespace holdfast::server
