#include "convert/settle.h"

#include <algorithm>

#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

using R = Result<convert::SettleResults>;

// How many deliveries it has ended.
std::size_t ended(const R& settled) {
  return settled ? static_cast<std::size_t>(std::ranges::count_if(*settled, &Result<void>::has_value)) : 0;
}

// `start(call, done)` makes the engine's call of what the request was read into.
template <class Context, class Start, class Note>
kj::Promise<void> answer_entries(Peer& peer, Context context, Start start, Note note) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(peer, context, tl::unexpected(call.error()));
  return answer<R>(
      peer, context, 0, [&](auto done) { start(*call, done); }, note);
}

// Calls that leave the deliveries with their holder.
template <class Context, class Start>
kj::Promise<void> keep(Peer& peer, Context context, Start start) {
  return answer_entries(peer, context, start, [](const R&) {});
}

// Calls that end them.
template <class Context, class Start>
kj::Promise<void> settle(Peer& peer, Context context, Start start) {
  return answer_entries(peer, context, start, [&peer](const R& settled) { peer.let_go(ended(settled)); });
}

}  // namespace

kj::Promise<void> BrokerService::ackBatch(AckBatchContext context) {
  return settle(*peer_, context, [this](const convert::AckCall& call, auto done) {
    state_.unbegun.forget(call.receipts);
    state_.engine.async_ack_batch(call.receipts, call.options, done);
  });
}

kj::Promise<void> BrokerService::extendBatch(ExtendBatchContext context) {
  return keep(*peer_, context, [this](const convert::ExtendCall& call, auto done) {
    state_.engine.async_extend_batch(call.receipts, call.lease, done);
  });
}

kj::Promise<void> BrokerService::beginBatch(BeginBatchContext context) {
  return keep(*peer_, context, [this](const convert::BeginCall& call, auto done) {
    state_.unbegun.forget(call.receipts);
    state_.engine.async_begin_batch(call.receipts, done);
  });
}

kj::Promise<void> BrokerService::releaseBatch(ReleaseBatchContext context) {
  return settle(*peer_, context, [this](const convert::ReleaseCall& call, auto done) {
    state_.unbegun.forget(call.receipts);
    state_.engine.async_release_batch(call.receipts, call.options, done);
  });
}

kj::Promise<void> BrokerService::rejectBatch(RejectBatchContext context) {
  return settle(*peer_, context, [this](const convert::RejectCall& call, auto done) {
    state_.unbegun.forget(call.receipts);
    state_.engine.async_reject_batch(call.receipts, call.rejection, call.options, done);
  });
}

}  // namespace holdfast::server
