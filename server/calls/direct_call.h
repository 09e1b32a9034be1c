// A call that this process makes itself, in messages of its own: the framing of HTTP, by all its protocols.
#pragma once

#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <kj/async.h>
#include <kj/memory.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "server/calls/call.h"

namespace holdfast::server {

class DirectCall final : public AnyCall {
 public:
  // `method`: by its name in the protocol, which has it.
  DirectCall(std::shared_ptr<const Caller> caller, std::string_view method);

  // --- before it is made ---

  // For who writes the parameters: a struct of the method's type.
  template <class Params>
  typename Params::Builder asked() {
    return params_->getRoot<Params>();
  }
  capnp::DynamicStruct::Builder asked();

  // Makes it, and gives it back once it is answered; only RPC can make those whose parameters or reply need a
  // capability. Dropping the promise gives the call up; those that may not be given up come to their end
  // nevertheless.
  static kj::Promise<kj::Own<DirectCall>> make(kj::Own<DirectCall> call);
  // Makes one that is answered at once, as `authenticate` is.
  void make_at_once();

  // --- once it is answered ---

  template <class Reply>
  typename Reply::Reader answer() {
    return reply(kRoom).getAs<Reply>().asReader();
  }
  capnp::DynamicStruct::Reader answer();
  // What the client has become by it; null if it has not.
  const std::shared_ptr<const Caller>& given() const { return given_; }

  // --- for who answers it ---

  capnp::AnyPointer::Reader params() override;
  void release_params() override { params_.reset(); }
  capnp::AnyPointer::Builder reply(capnp::MessageSize room) override;
  void give(std::shared_ptr<const Caller> caller) override { given_ = std::move(caller); }

 private:
  // What most parameters fit into.
  static constexpr capnp::MessageSize kRoom{128, 0};

  kj::Promise<void> dispatched();

  std::optional<capnp::MallocMessageBuilder> params_{std::in_place, kRoom.wordCount};
  std::optional<capnp::MallocMessageBuilder> reply_;
  std::shared_ptr<const Caller> given_;
};

// The reply to a call, and what it lies in.
template <class Reply>
class DirectReply : public Reply::Reader {
 public:
  explicit DirectReply(kj::Own<DirectCall> call)
      : Reply::Reader(call->template answer<Reply>()), call_(kj::mv(call)) {}

 private:
  kj::Own<DirectCall> call_;
};

// A call whose types are known to who makes it: write the parameters, and send it.
template <class Params, class Reply>
class DirectRequest : public Params::Builder {
 public:
  DirectRequest(std::shared_ptr<const Caller> caller, std::string_view method)
      : DirectRequest(kj::heap<DirectCall>(std::move(caller), method)) {}

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
