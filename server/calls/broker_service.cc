#include "server/calls/broker_service.h"

#include <algorithm>

#include "holdfast/limits.h"
#include "schema/convert/values/error.h"
#include "server/access/tokens.h"
#include "server/calls/answer.h"
#include "server/calls/refused_repetition.h"
#include "server/logging/method_names.h"

namespace holdfast::server {
namespace {

using AnyContext = capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer>;

// Every reply has an `error`.
void write_refusal(std::uint16_t method, AnyContext context, const Error& error) {
  const auto type = capnp::Schema::from<wire::Broker>().getMethods()[method].getResultType();
  auto reply = context.getResults().initAs<capnp::DynamicStruct>(type);
  convert::write(error, reply.init("error").as<wire::Error>());
}

std::string request_id_of(std::uint16_t method, AnyContext context) {
  const auto type = capnp::Schema::from<wire::Broker>().getMethods()[method].getParamType();
  return request_id_in(context.getParams().getAs<capnp::DynamicStruct>(type));
}

// What a server that drains leaves to others.
bool begins_work(std::uint16_t method) {
  static const std::vector<bool> begins = methods_named({"sendBatch", "receive", "subscribe"});
  return method < begins.size() && begins[method];
}

// What only waits: a client that gives it up, or is gone, ends it.
bool may_be_given_up(std::uint16_t method) {
  static const std::vector<bool> waits = methods_named({"receive", "drainStatus"});
  return method < waits.size() && waits[method];
}

// Since 1.0, Cap'n Proto takes this from the result of the dispatch. Its annotation for the schema, which
// sets it there, is unknown to the compilers of earlier versions.
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
                                                              std::uint16_t method, AnyContext context) {
  peer_->begin_request(method);
  auto in_flight = kj::heap<CallInFlight>(peer_, peer_->request());
  if (interface_id == capnp::typeId<wire::Broker>()) {
    if (auto refusal = refusal_of(method, context.getParams())) {
      note_error(*peer_, peer_->request(), refusal->error);
      return {refuse(method, context, *std::move(refusal)).attach(kj::mv(in_flight)), false};
    }
  }
  auto dispatched = wire::Broker::Server::dispatchCall(interface_id, method, context);
  if (interface_id == capnp::typeId<wire::Broker>() && may_be_given_up(method))
    let_be_given_up(context, dispatched);
  dispatched.promise = dispatched.promise.attach(kj::mv(in_flight));
  return dispatched;
}

std::optional<BrokerService::Refusal> BrokerService::refusal_of(std::uint16_t method,
                                                                capnp::AnyPointer::Reader params) {
  if (peer_->is_stranger())
    return Refusal{{ErrorCode::kPermissionDenied,
                    "your user may not use this server: it names those who may in allow-user"}};
  if (rights_) {
    if (are_revoked(rights_.get(), state_.options.tokens.get())) return Refusal{revoked(*rights_)};
    if (auto ok = check_call(*rights_, method, params); !ok)
      return Refusal{ok.error(), !rights_->grants.empty()};
  }
  if (state_.draining && begins_work(method)) return Refusal{{ErrorCode::kClosed, "the server is draining"}};
  return std::nullopt;
}

// Who lacks a right may repeat a call that he had it for.
kj::Promise<void> BrokerService::refuse(std::uint16_t method, AnyContext context, Refusal refusal) {
  const std::string id = refusal.is_of_rights ? request_id_of(method, context) : std::string();
  if (id.empty()) {
    write_refusal(method, context, refusal.error);
    return kj::READY_NOW;
  }
  auto ticket = peer_->admit(0);
  if (!ticket) {
    write_refusal(method, context, ticket.error());
    return kj::READY_NOW;
  }
  auto looked_up = state_.promises.make<std::optional<Error>>();
  boost::asio::post(state_.blocking.get_executor(),
                    [&engine = state_.engine, id, error = refusal.error, done = looked_up.done] {
                      done(of_repetition(engine, id, error));
                    });
  return looked_up.promise
      .then([method, context, error = std::move(refusal.error)](const std::optional<Error>& instead) {
        write_refusal(method, context, instead.value_or(error));
      })
      .attach(kj::mv(*ticket));
}

std::string BrokerService::actor(std::string said) const {
  if (!rights_ || said == rights_->name || said.size() > limits::kActorBytes) return said;
  if (said.empty()) return rights_->name;
  const std::string begin = rights_->name.empty() ? "(" : rights_->name + " (";
  if (begin.size() >= limits::kActorBytes) return rights_->name;
  said.resize(std::min(said.size(), limits::kActorBytes - begin.size() - 1));
  return begin + said + ")";
}

Redaction BrokerService::redaction(Redaction asked) const {
  return rights_ ? both(std::move(asked), rights_->hidden) : asked;
}

Result<void> BrokerService::check_edit(const RedriveEdit& edit) const {
  return rights_ ? server::check_edit(*rights_, edit) : Result<void>();
}

Result<void> BrokerService::check_import(std::string_view queue, std::span<const DeadLetter> letters) const {
  return rights_ ? server::check_import(*rights_, queue, letters) : Result<void>();
}

kj::Promise<void> BrokerService::authenticate(AuthenticateContext context) {
  const auto refuse = [&](const Error& error) {
    note_error(*peer_, peer_->request(), error);
    convert::write(error, context.getResults().initError());
    return kj::Promise<void>(kj::READY_NOW);
  };
  auto place = peer_->admit_authentication();
  if (!place) return refuse(place.error());
  std::shared_ptr<const Rights> rights;
  if (const auto& tokens = state_.options.tokens) {
    const auto token = context.getParams().getToken();
    rights = tokens->rights_of({token.begin(), token.size()});
    if (!rights) return refuse({ErrorCode::kPermissionDenied, "the token is not known here"});
    peer_->set_principal(rights->name);
    peer_->set_authenticated();
    log_limited(state_, spdlog::level::info, peer_->line("authenticated"));
  }
  context.getResults().setBroker(kj::heap<BrokerService>(peer_, std::move(rights), std::move(*place)));
  return kj::READY_NOW;
}

}  // namespace holdfast::server
