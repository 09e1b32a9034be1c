#include "server/calls/dispatch.h"

#include <boost/asio/post.hpp>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/helpers/check.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/protocol/protocol_methods.h"
#include "server/access/guard.h"
#include "server/access/tokens.h"
#include "server/calls/answer.h"
#include "server/calls/refused_repetition.h"

namespace holdfast::server {
namespace {

using capnp::DynamicStruct;

// Says why a call is refused before it starts.
struct Refusal {
  Error error;
  bool is_of_rights = false;  // the caller has rights, but not the one that the call needs
};

capnp::InterfaceSchema::Method schema_of(const AnyCall& call) { return protocol::methods()[call.method()]; }

DynamicStruct::Reader request_of(AnyCall& call) {
  return call.params().getAs<DynamicStruct>(schema_of(call).getParamType());
}

std::optional<Refusal> refusal_of(AnyCall& call, const Method& method) {
  if (call.peer().is_stranger())
    return Refusal{{ErrorCode::kPermissionDenied,
                    "your user may not use this server; its option allow-user names those who may"}};
  if (const Rights* rights = call.caller().rights().get()) {
    if (call.caller().is_revoked()) return Refusal{revoked(*rights)};
    if (auto ok = check_call(*rights, method.rule, request_of(call)); !ok)
      return Refusal{ok.error(), !rights->grants.empty()};
  }
  if (call.state().draining && method.traits.begins_work)
    return Refusal{{ErrorCode::kClosed, "the server is draining"}};
  return std::nullopt;
}

// Every reply has an `error`.
void write_refusal(AnyCall& call, const Error& error) {
  auto reply = call.reply(kAnswerRoom).initAs<DynamicStruct>(schema_of(call).getResultType());
  convert::write(error, reply.init("error").as<wire::Error>());
}

// The client may repeat a call that it made while it still had the right. Its answer then says that the
// outcome of a call with this request id is unknown, not that nothing was done.
kj::Promise<void> refuse(AnyCall& call, Refusal refusal) {
  std::string id;
  if (refusal.is_of_rights) id = call.caller().request_id(request_id_in(request_of(call)));
  if (id.empty()) {
    write_refusal(call, refusal.error);
    return kj::READY_NOW;
  }
  if (auto ok = call.admit(); !ok) {
    write_refusal(call, ok.error());
    return kj::READY_NOW;
  }
  auto looked_up = call.state().promises.make<std::optional<Error>>();
  boost::asio::post(call.state().blocking.get_executor(),
                    [&engine = call.engine(), id, error = refusal.error, done = looked_up.done] {
                      done(of_repetition(engine, id, error));
                    });
  return looked_up.promise.then(
      [&call, error = std::move(refusal.error)](const std::optional<Error>& instead) {
        write_refusal(call, instead.value_or(error));
      });
}

kj::Promise<void> make(AnyCall& call, Handler handler) {
  const Method* method = find_method(call.method());
  HOLDFAST_CHECK(method != nullptr && handler != nullptr,
                 "a call is one of the protocol's, with its handler");
  if (auto refusal = refusal_of(call, *method)) {
    note_error(call, refusal->error);
    return refuse(call, *std::move(refusal));
  }
  const auto admitted = method->traits.admits_itself ? Result<void>() : call.admit();
  if (admitted) return handler(call);
  note_error(call, admitted.error());
  write_refusal(call, admitted.error());
  return kj::READY_NOW;
}

}  // namespace

kj::Promise<void> dispatch(AnyCall& call, Handler handler) {
  call.begin();
  auto ended = kj::defer([&call] { call.end(); });  // also if make() throws
  return make(call, handler).attach(kj::mv(ended));
}

}  // namespace holdfast::server
