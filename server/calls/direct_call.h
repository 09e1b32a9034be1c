// A call that this process makes itself, in messages of its own. It is the framing of HTTP, for all protocols
// of the HTTP port.
#pragma once

#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <kj/async.h>
#include <kj/memory.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "server/calls/call.h"

namespace holdfast::server {

class DirectCall final : public AnyCall {
 public:
  // `method` is a method's name in the protocol. `name` is as AnyCall says.
  DirectCall(std::shared_ptr<const Caller> caller, std::string_view method);
  DirectCall(std::shared_ptr<const Caller> caller, std::string_view method, std::uint16_t name);

  // --- before the call is made ---

  // Returns the parameters, to be written. `Params` is the struct of the method's parameters.
  template <class Params>
  typename Params::Builder asked() {
    return params_->getRoot<Params>();
  }
  capnp::DynamicStruct::Builder asked();

  // Makes the call, and returns it once it is answered. Calls whose parameters or reply need a capability can
  // be made only by RPC. Dropping the promise gives the call up; a call that may not be given up goes on to
  // its end all the same.
  static kj::Promise<kj::Own<DirectCall>> make(kj::Own<DirectCall> call);
  // Makes a call that is answered at once, as `authenticate` is.
  void make_at_once();

  // --- once the call is answered ---

  template <class Reply>
  typename Reply::Reader answer() {
    return reply(kRoom).getAs<Reply>().asReader();
  }
  capnp::DynamicStruct::Reader answer();
  // Returns what the client has become by the call; null if it has not become another caller.
  const std::shared_ptr<const Caller>& given() const { return given_; }

  // --- for the handler that answers the call ---

  capnp::AnyPointer::Reader params() override;
  void release_params() override { params_.reset(); }
  capnp::AnyPointer::Builder reply(capnp::MessageSize room) override;
  void give(std::shared_ptr<const Caller> caller) override { given_ = std::move(caller); }

 private:
  // kRoom is the room that most parameters fit into.
  static constexpr capnp::MessageSize kRoom{128, 0};

  kj::Promise<void> dispatched();

  std::optional<capnp::MallocMessageBuilder> params_{std::in_place, kRoom.wordCount};
  std::optional<capnp::MallocMessageBuilder> reply_;
  std::shared_ptr<const Caller> given_;
};

// The reply to a call, with the call that holds it.
template <class Reply>
class DirectReply : public Reply::Reader {
 public:
  explicit DirectReply(kj::Own<DirectCall> call)
      : Reply::Reader(call->template answer<Reply>()), call_(kj::mv(call)) {}

 private:
  kj::Own<DirectCall> call_;
};

// A call whose types are known at compile time: its maker writes the parameters and calls send().
template <class Params, class Reply>
class DirectRequest : public Params::Builder {
 public:
  DirectRequest(std::shared_ptr<const Caller> caller, std::string_view method)
      : DirectRequest(kj::heap<DirectCall>(std::move(caller), method)) {}
  DirectRequest(std::shared_ptr<const Caller> caller, std::string_view method, std::uint16_t name)
      : DirectRequest(kj::heap<DirectCall>(std::move(caller), method, name)) {}

  kj::Promise<DirectReply<Reply>> send() {
    return DirectCall::make(kj::mv(call_)).then([](kj::Own<DirectCall> answered) {
      return DirectReply<Reply>(kj::mv(answered));
    });
  }

 private:
  explicit DirectRequest(kj::Own<DirectCall> call)
      : Params::Builder(call->template asked<Params>()), call_(kj::mv(call)) {}

  kj::Own<DirectCall> call_;
};

}  // namespace holdfast::server
