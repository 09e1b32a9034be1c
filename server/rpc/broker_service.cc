#include "server/rpc/broker_service.h"

#include <limits>
#include <utility>

#include "schema/protocol/protocol_methods.h"
#include "server/calls/answer.h"
#include "server/calls/dispatch.h"
#include "server/rpc/subscribe.h"

namespace holdfast::server {
namespace {

using AnyContext = capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer>;

// No method of the protocol has this number.
constexpr auto kNoMethod = std::numeric_limits<std::uint16_t>::max();

// A call in the messages from which RPC has read it and that RPC will send.
class RpcCall final : public AnyCall {
 public:
  RpcCall(std::shared_ptr<const Caller> caller, std::uint16_t method, AnyContext context)
      : AnyCall(std::move(caller), method), context_(context) {}

  capnp::AnyPointer::Reader params() override { return context_.getParams(); }
  void release_params() override { context_.releaseParams(); }
  capnp::AnyPointer::Builder reply(capnp::MessageSize room) override { return context_.getResults(room); }
  void give(std::shared_ptr<const Caller> caller) override {
    auto broker = kj::heap<BrokerService>(std::move(caller));
    reply(kAnswerRoom).initAs<wire::AuthenticateReply>().setBroker(kj::mv(broker));
  }

 private:
  AnyContext context_;
};

// Returns the handler of a method. A method that passes capabilities has one only here.
Handler handler_of(const Method& method) {
  return method.handler != nullptr ? method.handler : HandlerOf<subscribe>::handle;
}

// Allows a call to be given up. Since 1.0, Cap'n Proto takes this from the result of the dispatch. Its
// annotation for the schema, which would set it there, is unknown to the compilers of earlier versions.
void let_be_given_up(AnyContext& context, BrokerService::DispatchCallResult& dispatched) {
#if CAPNP_VERSION < 1000000
  (void)dispatched;
  context.allowCancellation();
#else
  (void)context;
  dispatched.allowCancellation = true;
#endif
}

}  // namespace

BrokerService::DispatchCallResult BrokerService::dispatchCall(std::uint64_t interface_id,
                                                              std::uint16_t ordinal, AnyContext context) {
  const auto known = protocol::find_method_number(interface_id, ordinal);
  auto call = kj::heap<RpcCall>(caller_, known.value_or(kNoMethod), context);
  if (!known) {
    // The call is counted, and answered that there is no such call.
    call->begin();
    auto unknown = wire::Broker::Server::dispatchCall(interface_id, ordinal, context);
    unknown.promise = unknown.promise.attach(kj::mv(call));
    return unknown;
  }
  const Method& method = *find_method(*known);
  DispatchCallResult dispatched{dispatch(*call, handler_of(method)).attach(kj::mv(call)), false};
  if (method.traits.may_be_given_up) let_be_given_up(context, dispatched);
  return dispatched;
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the returned promise owns the call
}

}  // namespace holdfast::server
