// Answers the calls that a connection begins with. A client names the connections that it has lost, and the
// server hangs up on them before it answers, so that no call on one of them can come after its own
// repetition.
#include <array>
#include <memory>
#include <string>

#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/hello_conversion.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/version.h"

namespace holdfast::server {
namespace {

// Hangs up on the connections that the client has lost. Once the promise is fulfilled, no call that was still
// on its way over one of them will be made.
kj::Promise<void> hung_up_on(State& state, const convert::ClientConnections& client) {
  LostConnections::Names lost;
  for (const std::uint64_t number : client.lost) {
    const bool is_this_one = number == client.present.number;
    if (!is_this_one) lost.push_back({client.present.high, client.present.low, number});
  }
  auto all = state.promises.make<bool>();
  state.all.lost.hang_up(lost, {nullptr, [done = all.done](void*) { done(true); }});
  return all.promise.ignoreResult();
}

kj::Promise<void> hello(Call<wire::HelloRequest, wire::HelloReply> call) {
  auto welcome = [call] { convert::write_hello(kVersion, call->engine().now(), call.reply(kAnswerRoom)); };
  if (call->state().log.should_log(spdlog::level::debug)) {
    const auto client = convert::client_name(call.params());
    call->state().log.debug(call->peer().line("hello").add("client", client).text());
  }
  const auto connections = convert::client_connections(call.params());
  if (connections) call->peer().set_name(connections->present);
  if (!connections || connections->lost.empty()) {
    welcome();
    return kj::READY_NOW;
  }
  if (auto ok = call->admit(); !ok) {
    note_error(*call, ok.error());
    convert::write(ok.error(), call.reply(kAnswerRoom).initError());
    return kj::READY_NOW;
  }
  return hung_up_on(call->state(), *connections).then(kj::mv(welcome));
}

kj::Promise<void> authenticate(Call<wire::AuthenticateRequest, wire::AuthenticateReply> call) {
  const auto token = call.params().getToken();
  auto caller = caller_with_token(call->caller().shared_peer(), {token.begin(), token.size()});
  if (caller) {
    call->give(*std::move(caller));
    return kj::READY_NOW;
  }
  note_error(*call, caller.error());
  convert::write(caller.error(), call.reply(kAnswerRoom).initError());
  return kj::READY_NOW;
}

}  // namespace

std::span<const Method> greeting_methods() {
  static const std::array methods = {
      method<hello>("hello", {Need::kNothing, {}, Content::kNone}, {.admits_itself = true}),
      method<authenticate>("authenticate", {Need::kNothing, {}, Content::kNone}, {.admits_itself = true}),
  };
  return methods;
}

}  // namespace holdfast::server
