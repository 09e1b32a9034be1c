#include "server/calls/direct_call.h"

#include "schema/protocol/protocol_methods.h"
#include "server/calls/dispatch.h"

namespace holdfast::server {
namespace {

capnp::InterfaceSchema::Method schema_of(const DirectCall& call) {
  return protocol::methods()[call.method()];
}

}  // namespace

DirectCall::DirectCall(std::shared_ptr<const Caller> caller, std::string_view method)
    : AnyCall(std::move(caller), protocol::method_number(method)) {}

DirectCall::DirectCall(std::shared_ptr<const Caller> caller, std::string_view method, std::uint16_t name)
    : AnyCall(std::move(caller), protocol::method_number(method), name) {}

capnp::DynamicStruct::Builder DirectCall::asked() {
  return params_->getRoot<capnp::DynamicStruct>(schema_of(*this).getParamType());
}

capnp::DynamicStruct::Reader DirectCall::answer() {
  return reply(kRoom).getAs<capnp::DynamicStruct>(schema_of(*this).getResultType()).asReader();
}

capnp::AnyPointer::Reader DirectCall::params() { return params_->getRoot<capnp::AnyPointer>().asReader(); }

capnp::AnyPointer::Builder DirectCall::reply(capnp::MessageSize room) {
  if (!reply_) reply_.emplace(static_cast<unsigned>(room.wordCount));
  return reply_->getRoot<capnp::AnyPointer>();
}

kj::Promise<void> DirectCall::dispatched() { return dispatch(*this, find_method(method())->handler); }

kj::Promise<kj::Own<DirectCall>> DirectCall::make(kj::Own<DirectCall> call) {
  const bool may_be_given_up = find_method(call->method())->traits.may_be_given_up;
  auto answered = kj::evalNow([&] { return call->dispatched(); });
  if (may_be_given_up) return answered.then([call = kj::mv(call)]() mutable { return kj::mv(call); });
  auto pending = kj::newPromiseAndFulfiller<kj::Own<DirectCall>>();
  answered
      .then([call = kj::mv(call), &waiting = *pending.fulfiller]() mutable { waiting.fulfill(kj::mv(call)); })
      .detach([waiting = kj::mv(pending.fulfiller)](kj::Exception&& why) mutable {
        waiting->reject(kj::mv(why));
      });
  return kj::mv(pending.promise);
}

void DirectCall::make_at_once() {
  const auto over = dispatched();
  (void)over;
}

}  // namespace holdfast::server
