// What the verbs that take receipts share.
#include "runtime/settle.h"

#include "base/validate.h"

namespace holdfast {

Result<void> refuse(ReceiptCheck check) {
  switch (check) {
    case ReceiptCheck::kValid:
      return {};
    case ReceiptCheck::kStale:
      return fail(ErrorCode::kReceiptStale, "the delivery is over: its lease ran out or it was settled");
    case ReceiptCheck::kGone:
      break;
  }
  return fail(ErrorCode::kMessageNotFound, "the message is gone");
}

Engine::Impl::Settled Engine::Impl::settle(std::span<const Receipt> receipts,
                                           std::optional<Durability> durability, const Settle& settle_one) {
  Settled settled;
  settled.results.resize(receipts.size());
  for_each_queue(catalog, receipts, settled.results, [&](const auto& queue, auto run, auto results) {
    const LockedQueue locked(pipeline.gate(), *queue);
    const Timestamp time = now();
    bool any = false;
    for (std::size_t i = 0; i < run.size(); ++i) {
      results[i] = refuse(queue->state.check(run[i].seq, run[i].lease));
      if (!results[i]) continue;
      settle_one(*queue, run[i].seq, time);
      any = true;
    }
    if (!any) return;
    settled.group = pipeline.join(queue, durability.value_or(queue->options().durability));
    after_change(queue, time);
  });
  return settled;
}

Engine::Impl::Settled Engine::Impl::all_refused(std::size_t count, const Error& error) {
  return {std::vector<Result<void>>(count, tl::unexpected(error)), std::nullopt};
}

namespace {

void refuse_the_rest(std::vector<Result<void>>& results, const Error& error) {
  for (Result<void>& result : results) {
    if (result) result = tl::unexpected(error);
  }
}

}  // namespace

std::vector<Result<void>> Engine::Impl::blocking_batch(std::span<const Receipt> receipts,
                                                       const Submit& submit) {
  const auto call = begin_call();
  if (!call) return all_refused(receipts.size(), call.error()).results;
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok) {
    return all_refused(receipts.size(), ok.error()).results;
  }
  Settled settled = submit();
  if (!settled.group) return std::move(settled.results);
  if (auto ok = pipeline.wait(*settled.group); !ok) refuse_the_rest(settled.results, ok.error());
  return std::move(settled.results);
}

void Engine::Impl::async_batch(std::span<const Receipt> receipts, BatchCallback done, const Submit& submit) {
  const auto call = begin_call();
  if (!call) return done(all_refused(receipts.size(), call.error()).results);
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok) {
    return done(all_refused(receipts.size(), ok.error()).results);
  }
  Settled settled = submit();
  if (!settled.group) return done(std::move(settled.results));
  pipeline.on_commit(*settled.group,
                     [results = std::make_shared<std::vector<Result<void>>>(std::move(settled.results)),
                      done = std::move(done)](const Result<void>& committed) {
                       if (!committed) refuse_the_rest(*results, committed.error());
                       done(std::move(*results));
                     });
}

}  // namespace holdfast
