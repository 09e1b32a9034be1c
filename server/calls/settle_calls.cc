#include "convert/settle.h"

#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

// `start(call, done)` makes the engine's call of what the request was read into.
template <class Context, class Start>
kj::Promise<void> settle(Peer& peer, Context context, Start start) {
  using R = Result<convert::SettleResults>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(peer, context, tl::unexpected(call.error()));
  return answer<R>(peer, context, 0, [&](auto done) { start(*call, done); });
}

}  // namespace

kj::Promise<void> BrokerService::ackBatch(AckBatchContext context) {
  return settle(*peer_, context, [this](const convert::AckCall& call, auto done) {
    state_.unbegun.forget(call.receipts);
    state_.engine.async_ack_batch(call.receipts, call.options, done);
  });
}

kj::Promise<void> BrokerService::extendBatch(ExtendBatchContext context) {
  return settle(*peer_, context, [this](const convert::ExtendCall& call, auto done) {
    state_.engine.async_extend_batch(call.receipts, call.lease, done);
  });
}

kj::Promise<void> BrokerService::beginBatch(BeginBatchContext context) {
  return settle(*peer_, context, [this](const convert::BeginCall& call, auto done) {
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
