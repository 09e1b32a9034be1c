#include "schema/convert/messages/settle.h"

#include <memory>
#include <vector>

#include "server/calls/answer.h"
#include "server/calls/broker_service.h"
#include "server/delivery/give_back.h"

namespace holdfast::server {
namespace {

using R = Result<convert::SettleResults>;

// `start(call, done)` makes the engine's call of what the request was read into. `rights`: null if there is
// no access control for who calls.
template <class Context, class Start, class Note>
kj::Promise<void> answer_entries(Peer& peer, const Rights* rights, Context context, Start start, Note note) {
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(peer, context, tl::unexpected(call.error()));
  if (rights != nullptr) conceal_others(*rights, call->receipts, peer.state().queue_names);
  return answer<R>(
      peer, context, 0, [&](auto done) { start(*call, done); }, note);
}

// The delivery is settled, or was over before.
bool is_over(const Result<void>& settled) {
  return settled || settled.error().code == ErrorCode::kReceiptStale ||
         settled.error().code == ErrorCode::kMessageNotFound;
}

// What was refused goes back with the subscription that brought it, which may have ended meanwhile.
void put_back(Peer& peer, std::vector<PrefetchedDeliveries::Taken> taken, const R& result) {
  std::erase_if(
      taken, [&](const PrefetchedDeliveries::Taken& one) { return result && is_over((*result)[one.place]); });
  if (taken.empty()) return;
  State& state = peer.state();
  give_back(state.engine, state.prefetched, state.prefetched.put_back(taken));
}

// Calls that begin or end them.
template <class Context, class Start>
kj::Promise<void> take_over(Peer& peer, const Rights* rights, Context context, Start start) {
  auto taken = std::make_shared<std::vector<PrefetchedDeliveries::Taken>>();
  auto take = [&peer, taken, start](auto& call, auto done) {
    *taken = peer.state().prefetched.take(call.receipts);
    start(call, done);
  };
  return answer_entries(peer, rights, context, take,
                        [&peer, taken](const R& result) { put_back(peer, std::move(*taken), result); });
}

}  // namespace

kj::Promise<void> BrokerService::ackBatch(AckBatchContext context) {
  return take_over(*peer_, rights_.get(), context, [this](const convert::AckCall& call, auto done) {
    SettleOptions options = call.options;
    options.actor = actor(std::move(options.actor));
    state_.engine.async_ack_batch(call.receipts, std::move(options), done);
  });
}

kj::Promise<void> BrokerService::extendBatch(ExtendBatchContext context) {
  const auto extend = [this](const convert::ExtendCall& call, auto done) {
    state_.engine.async_extend_batch(call.receipts, call.lease, call.options, done);
  };
  if (!context.getParams().hasLetsRunOut())
    return answer_entries(*peer_, rights_.get(), context, extend, [](const R&) {});
  // Who says why a delivery is to fail begins it.
  return take_over(*peer_, rights_.get(), context, [this, extend](convert::ExtendCall& call, auto done) {
    state_.prefetched.going_back()->leave_out_of(call.receipts);
    extend(call, done);
  });
}

kj::Promise<void> BrokerService::startBatch(StartBatchContext context) {
  const auto start = [this](convert::StartCall& call, auto done) {
    state_.prefetched.going_back()->leave_out_of(call.receipts);
    state_.engine.async_start_batch(call.receipts, done);
  };
  return take_over(*peer_, rights_.get(), context, start);
}

kj::Promise<void> BrokerService::releaseBatch(ReleaseBatchContext context) {
  return take_over(*peer_, rights_.get(), context, [this](const convert::ReleaseCall& call, auto done) {
    state_.engine.async_release_batch(call.receipts, call.options, done);
  });
}

kj::Promise<void> BrokerService::rejectBatch(RejectBatchContext context) {
  return take_over(*peer_, rights_.get(), context, [this](const convert::RejectCall& call, auto done) {
    state_.engine.async_reject_batch(call.receipts, call.rejection, call.options, done);
  });
}

}  // namespace holdfast::server
