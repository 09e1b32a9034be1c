// Answers calls that settle deliveries. A prefetched delivery is the server's to give back until its client
// starts or ends it. So it is taken out of the prefetched ones first, and put back if the engine refuses.
#include "schema/convert/messages/settle_conversion.h"

#include <array>
#include <memory>
#include <vector>

#include "server/access/guard.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/read_request.h"
#include "server/delivery/give_back.h"

namespace holdfast::server {
namespace {

using R = BatchResult<void>;

// Answers a call about several receipts. `start(asked, done)` makes the engine's call with the parameters
// that were read.
template <class Params, class Start, class Note>
kj::Promise<void> answer_entries(Call<Params, wire::SettleReply> call, Start start, Note note) {
  auto asked = read_request(call);
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  if (const Rights* rights = call->caller().rights().get())
    conceal_others(*rights, asked->receipts, call->engine());
  return answer<R>(
      call, [&](auto done) { start(*asked, done); }, note);
}

// Returns whether the delivery was settled, or was over before.
bool is_over(const Result<void>& settled) {
  return settled || settled.error().code == ErrorCode::kReceiptStale ||
         settled.error().code == ErrorCode::kMessageNotFound;
}

// Puts those of the taken deliveries back that the engine refused to begin or to end. If the subscription
// that brought a delivery has ended meanwhile, the delivery goes back to its queue.
void put_back(State& state, std::vector<PrefetchedDeliveries::Taken> taken, const R& result) {
  std::erase_if(
      taken, [&](const PrefetchedDeliveries::Taken& one) { return result && is_over((*result)[one.place]); });
  if (taken.empty()) return;
  give_back(state.engine, state.prefetched, state.prefetched.put_back(taken));
}

// Answers a call that begins or ends prefetched deliveries.
template <class Params, class Start>
kj::Promise<void> take_over(Call<Params, wire::SettleReply> call, Start start) {
  State& state = call->state();
  auto taken = std::make_shared<std::vector<PrefetchedDeliveries::Taken>>();
  auto take = [&state, taken, start](auto& asked, auto done) {
    *taken = state.prefetched.take(asked.receipts);
    start(asked, done);
  };
  return answer_entries(call, take,
                        [&state, taken](const R& result) { put_back(state, std::move(*taken), result); });
}

kj::Promise<void> ack_batch(Call<wire::AckRequest, wire::SettleReply> call) {
  return take_over(call, [call](const convert::AckCall& asked, auto done) {
    call->engine().async_ack_batch(asked.receipts, asked.options, done);
  });
}

kj::Promise<void> extend_batch(Call<wire::ExtendRequest, wire::SettleReply> call) {
  const auto extend = [call](const convert::ExtendCall& asked, auto done) {
    call->engine().async_extend_batch(asked.receipts, asked.lease, asked.options, done);
  };
  if (!call.params().hasLetsRunOut()) return answer_entries(call, extend, [](const R&) {});
  // A client that says why a delivery is to fail begins the delivery.
  return take_over(call, [call, extend](convert::ExtendCall& asked, auto done) {
    call->state().prefetched.going_back()->leave_out_of(asked.receipts);
    extend(asked, done);
  });
}

kj::Promise<void> start_batch(Call<wire::StartRequest, wire::SettleReply> call) {
  return take_over(call, [call](convert::StartCall& asked, auto done) {
    call->state().prefetched.going_back()->leave_out_of(asked.receipts);
    call->engine().async_start_batch(asked.receipts, done);
  });
}

kj::Promise<void> release_batch(Call<wire::ReleaseRequest, wire::SettleReply> call) {
  return take_over(call, [call](const convert::ReleaseCall& asked, auto done) {
    call->engine().async_release_batch(asked.receipts, asked.options, done);
  });
}

kj::Promise<void> reject_batch(Call<wire::RejectRequest, wire::SettleReply> call) {
  return take_over(call, [call](const convert::RejectCall& asked, auto done) {
    call->engine().async_reject_batch(asked.receipts, asked.rejection, asked.options, done);
  });
}

}  // namespace

std::span<const Method> settle_methods() {
  static const std::array methods = {
      method<ack_batch>("ackBatch", {Need::kReceipts, Right::kConsume, Content::kNone}),
      method<extend_batch>("extendBatch", {Need::kReceipts, Right::kConsume, Content::kNone}),
      method<start_batch>("startBatch", {Need::kReceipts, Right::kConsume, Content::kNone}),
      method<release_batch>("releaseBatch", {Need::kReceipts, Right::kConsume, Content::kNone}),
      method<reject_batch>("rejectBatch", {Need::kReceipts, Right::kConsume, Content::kNone}),
  };
  return methods;
}

}  // namespace holdfast::server
