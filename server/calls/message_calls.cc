#include "schema/convert/messages/receive.h"
#include "schema/convert/messages/send.h"
#include "schema/convert/values/error.h"
#include "schema/convert/values/hello.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"
#include "server/calls/reply_size.h"
#include "server/delivery/pending_deliveries.h"
#include "server/version.h"

namespace holdfast::server {
namespace {

std::size_t bytes_of(const std::vector<Message>& messages) {
  std::size_t bytes = 0;
  for (const auto& message : messages) {
    bytes += message.body.size();
    for (const auto& [name, value] : message.attributes) bytes += name.size() + value.size();
  }
  return bytes;
}

// Done when no call that is still on its way over those that the client has lost will be made.
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

}  // namespace

kj::Promise<void> BrokerService::hello(HelloContext context) {
  if (state_.log.should_log(spdlog::level::debug))
    state_.log.debug(peer_->line("hello").add("client", convert::client_name(context.getParams())).text());
  const auto connections = convert::client_connections(context.getParams());
  if (connections) peer_->set_name(connections->present);
  if (!connections || connections->lost.empty()) {
    convert::write_hello(kVersion, state_.engine.now(), context.getResults());
    return kj::READY_NOW;
  }
  auto ticket = peer_->admit(0);
  if (!ticket) {
    convert::write(ticket.error(), context.getResults().initError());
    return kj::READY_NOW;
  }
  auto answer = [this, context]() mutable {
    convert::write_hello(kVersion, state_.engine.now(), context.getResults());
  };
  return hung_up_on(state_, *connections).then(kj::mv(answer)).attach(kj::mv(*ticket));
}

kj::Promise<void> BrokerService::sendBatch(SendBatchContext context) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<convert::SendResults>(*peer_, context, tl::unexpected(call.error()));
  return answer<convert::SendResults>(*peer_, context, bytes_of(call->messages), [&](auto done) {
    state_.engine.async_send_batch(call->queue, std::move(call->messages), call->options, done);
  });
}

kj::Promise<void> BrokerService::receive(ReceiveContext context) {
  using R = Result<Deliveries>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  auto ticket = peer_->admit(0);
  if (!ticket) return answer_now<R>(*peer_, context, tl::unexpected(ticket.error()));

  auto started = state_.promises.make<kj::Own<PendingDeliveries>>();
  auto received = [&engine = state_.engine, done = started.done](R result) {
    done(kj::heap<PendingDeliveries>(engine, std::move(result)));
  };
  auto token = state_.engine.async_receive(call->queue, call->options, std::move(received));
  context.releaseParams();
  auto wait = std::make_unique<WaitingReceives::WaitingReceive>(state_.waiting_receives, token, rights_);
  auto reply = [this, request = peer_->request(), context,
                wait = std::move(wait)](kj::Own<PendingDeliveries> pending) mutable {
    wait->over();
    // What came for it in the meantime goes back.
    if (state_.draining || peer_->has_gone()) return write_answer<R>(*peer_, request, context, Deliveries());
    if (are_revoked(rights_.get(), state_.options.tokens.get()))
      return write_answer<R>(*peer_, request, context, tl::unexpected(revoked(*rights_)));
    const auto& deliveries = pending->result();
    auto size = reply_size(deliveries ? *deliveries : Deliveries());
    auto admitted = peer_->admit_reply(size.wordCount * sizeof(capnp::word));
    if (!admitted) return write_answer<R>(*peer_, request, context, tl::unexpected(admitted.error()));
    if (!pending->result()) note_error(*peer_, request, pending->result().error());
    convert::write(pending->result(), context.getResults(size));
    if (!pending->result()) return;
    peer_->hold(*deliveries);
    pending->taken();
  };
  return started.promise.then(kj::mv(reply)).attach(kj::mv(*ticket));
}

}  // namespace holdfast::server
