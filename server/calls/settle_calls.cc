#include "convert/settle.h"

#include <algorithm>
#include <memory>
#include <vector>

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

// The delivery is settled, or was over before.
bool is_over(const Result<void>& settled) {
  return settled || settled.error().code == ErrorCode::kReceiptStale ||
         settled.error().code == ErrorCode::kMessageNotFound;
}

// What was refused goes back with the subscription that brought it, which may have ended meanwhile.
void put_back(Peer& peer, std::vector<Unbegun::Taken> taken, const R& result) {
  std::erase_if(taken, [&](const Unbegun::Taken& one) { return result && is_over((*result)[one.place]); });
  if (taken.empty()) return;
  State& state = peer.state();
  const auto left = state.unbegun.put_back(taken);
  if (left.empty()) return;
  peer.let_go(left.size());
  state.engine.async_release_batch(left, {.count = false}, [](const std::vector<Result<void>>&) {});
}

// Calls that begin or end them.
template <class Context, class Start, class Note>
kj::Promise<void> take_over(Peer& peer, Context context, Start start, Note note) {
  auto taken = std::make_shared<std::vector<Unbegun::Taken>>();
  auto take = [&peer, taken, start](const auto& call, auto done) {
    *taken = peer.state().unbegun.take(call.receipts);
    start(call, done);
  };
  return answer_entries(peer, context, take, [&peer, taken, note](const R& result) {
    put_back(peer, std::move(*taken), result);
    note(result);
  });
}

// Calls that end them.
template <class Context, class Start>
kj::Promise<void> settle(Peer& peer, Context context, Start start) {
  return take_over(peer, context, start, [&peer](const R& settled) { peer.let_go(ended(settled)); });
}

}  // namespace

kj::Promise<void> BrokerService::ackBatch(AckBatchContext context) {
  return settle(*peer_, context, [this](const convert::AckCall& call, auto done) {
    state_.engine.async_ack_batch(call.receipts, call.options, done);
  });
}

kj::Promise<void> BrokerService::extendBatch(ExtendBatchContext context) {
  const auto start = [this](const convert::ExtendCall& call, auto done) {
    state_.engine.async_extend_batch(call.receipts, call.lease, done);
  };
  return answer_entries(*peer_, context, start, [](const R&) {});
}

kj::Promise<void> BrokerService::beginBatch(BeginBatchContext context) {
  const auto start = [this](const convert::BeginCall& call, auto done) {
    state_.engine.async_begin_batch(call.receipts, done);
  };
  return take_over(*peer_, context, start, [](const R&) {});
}

kj::Promise<void> BrokerService::releaseBatch(ReleaseBatchContext context) {
  return settle(*peer_, context, [this](const convert::ReleaseCall& call, auto done) {
    state_.engine.async_release_batch(call.receipts, call.options, done);
  });
}

kj::Promise<void> BrokerService::rejectBatch(RejectBatchContext context) {
  return settle(*peer_, context, [this](const convert::RejectCall& call, auto done) {
    state_.engine.async_reject_batch(call.receipts, call.rejection, call.options, done);
  });
}

}  // namespace holdfast::server
