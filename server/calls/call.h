// One call: a method, its parameters and its reply, whatever brought it to the server.
//
// What brings calls is a framing: it says who calls and which method, where the parameters are and where the
// reply goes. RPC is one (server/rpc), HTTP another (direct_call.h). A call is dispatched (dispatch.h), and
// answered by the handler of its method (methods.h), neither of which knows by which framing it came.
#pragma once

#include <capnp/any.h>
#include <capnp/message.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "server/calls/call_log.h"
#include "server/calls/caller.h"

namespace holdfast::server {

// A call of any method. It must outlive the promise that dispatch() gives. The loop's thread only.
class AnyCall {
 public:
  // `method`: its ordinal.
  AnyCall(std::shared_ptr<const Caller> caller, std::uint16_t method)
      : caller_(std::move(caller)), method_(method) {}
  virtual ~AnyCall() noexcept(false) = default;  // because KJ's may throw
  AnyCall(const AnyCall&) = delete;
  AnyCall& operator=(const AnyCall&) = delete;

  // --- what the framing says ---

  virtual capnp::AnyPointer::Reader params() = 0;
  // Their memory is free for others from then on. Nobody reads them any more.
  virtual void release_params() = 0;
  // The same each time. `room`: how large it will be, as far as that is known when it is asked for first.
  virtual capnp::AnyPointer::Builder reply(capnp::MessageSize room) = 0;
  // What the client has become by this call: it can make its next calls as that. The reply of `authenticate`
  // stands for it.
  virtual void give(std::shared_ptr<const Caller> caller) = 0;

  // --- what all calls have ---

  const Caller& caller() const { return *caller_; }
  Peer& peer() const { return caller_->peer(); }
  State& state() const { return caller_->state(); }
  Engine& engine() const { return state().engine; }
  std::uint16_t method() const { return method_; }
  // As the log names it; once it has begun.
  const LoggedCall& logged() const { return logged_; }

  // It has arrived: from now on it is counted, measured, and slow if it takes long. Once.
  void begin();
  // It is answered, or nobody wants the answer any more.
  void end() { in_flight_.reset(); }
  // It changes nothing, as other calls of its method do: its answer shows what is stored, see admit_answer().
  void note_that_it_only_looks() { only_looks_ = true; }
  bool only_looks() const { return only_looks_; }

 private:
  const std::shared_ptr<const Caller> caller_;
  const std::uint16_t method_;
  bool only_looks_ = false;
  LoggedCall logged_;
  std::optional<CallInFlight> in_flight_;
};

// A call of a method that takes `Params` and replies with `Reply`, structs of the protocol. Refers to it.
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
