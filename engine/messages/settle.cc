// What the verbs that take receipts share.
#include "engine/messages/settle.h"

#include <algorithm>
#include <iterator>

#include "engine/base/validation/validate.h"
#include "engine/messages/kept.h"

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

void answer_without_queue(const HeldRequest& request, std::uint32_t part, std::span<Result<void>> results) {
  while (!results.empty()) {
    const std::size_t answered = answer_again(request, part, results);
    if (answered == 0) break;
    part += static_cast<std::uint32_t>(answered);
    results = results.subspan(answered);
  }
  for (Result<void>& result : results)
    result = fail(ErrorCode::kMessageNotFound, "the message is gone, with its queue");
}

std::size_t answer_again(const HeldRequest& request, std::uint32_t part, std::span<Result<void>> results) {
  if (!request) return 0;
  const auto earlier = request.answered(part);
  if (earlier && !*earlier) return 0;
  if (!earlier) {
    std::ranges::fill(results, Result<void>(tl::unexpected(earlier.error())));
    return results.size();
  }
  const RequestRow& row = **earlier;
  const std::span answered =
      results.first(std::min<std::size_t>(row.entries.value_or(UINT32_MAX), results.size()));
  std::ranges::fill(answered, Result<void>());
  for (const auto& [index, error] : row.failed) {
    if (index < answered.size()) answered[index] = tl::unexpected(error);
  }
  return answered.size();
}

void record_answer(const HeldRequest& request, std::uint32_t part, std::span<const Result<void>> results,
                   Durability durability, bool more) {
  if (!request) return;
  RequestRow row;
  if (more) row.entries = static_cast<std::uint32_t>(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) row.failed.emplace_back(static_cast<std::uint32_t>(i), results[i].error());
  }
  request.record(part, std::move(row), durability);
}

ContentHash content_of(std::string_view verb, std::span<const Receipt> receipts,
                       std::optional<Durability> durability) {
  ContentHash content;
  content.add(verb).add(static_cast<std::uint64_t>(durability.value_or(Durability{})));
  for (const Receipt& receipt : receipts) content.add(receipt);
  return content;
}

Engine::Impl::Settled Engine::Impl::settle(std::span<const Receipt> receipts,
                                           std::optional<Durability> durability, HeldRequest request,
                                           const Settle& settle_one, const Check& check) {
  Settled settled;
  settled.results.resize(receipts.size());
  for_each_queue(catalog, request, receipts, settled.results,
                 [&](const auto& queue, auto run, auto results, std::uint32_t part) {
                   if (answer_again(request, part, results) > 0) return;
                   const LockedQueue locked(pipeline.gate(), *queue);
                   if (queue->deleted()) settled.group = std::max(settled.group, {queue->deletion()});
                   const Timestamp time = now();
                   bool any = false;
                   for (std::size_t i = 0; i < run.size(); ++i) {
                     results[i] =
                         refuse(queue->state.of(run[i].seq).window().check(run[i].seq, run[i].lease));
                     if (check && results[i]) results[i] = check(*queue, run[i].seq);
                     if (!results[i]) continue;
                     settle_one(*queue, run[i].seq, time);
                     any = true;
                   }
                   if (!any) return;
                   const Durability asked = durability.value_or(queue->options().durability);
                   settled.joined(pipeline.join(queue, asked), asked);
                   record_answer(request, part, results, asked);
                   after_change(queue, time);
                 });
  settled.request = std::move(request);
  return settled;
}

Engine::Impl::Settled Engine::Impl::settle_in_steps(std::span<const Receipt> receipts,
                                                    const std::shared_ptr<const std::string>& said,
                                                    const Settle& settle_one, const Check& check) {
  constexpr std::size_t kStepBytes = 4 << 20;
  const std::size_t at_once = said ? std::max<std::size_t>(1, kStepBytes / said->size()) : receipts.size();
  Settled all;
  while (!receipts.empty()) {
    const auto some = receipts.first(std::min(at_once, receipts.size()));
    receipts = receipts.subspan(some.size());
    Settled step = settle(some, Durability::kBuffered, {}, settle_one, check);
    std::ranges::move(step.results, std::back_inserter(all.results));
    if (step.group) all.group = std::max(all.group, step.group);
    if (receipts.empty() || !step.group) continue;
    if (auto ok = pipeline.wait(*step.group); !ok) {
      all.results.resize(all.results.size() + receipts.size(), tl::unexpected(ok.error()));
      break;
    }
  }
  return all;
}

Engine::Impl::Settled Engine::Impl::all_refused(std::size_t count, const Error& error) {
  return {std::vector<Result<void>>(count, tl::unexpected(error)), std::nullopt};
}

std::vector<Result<void>> Engine::Impl::blocking_batch(std::span<const Receipt> receipts,
                                                       const std::string& request_id,
                                                       const SubmitRequest& submit) {
  return blocking_batch(receipts, [&](auto own) {
    const auto request = requests.take(request_id);
    return request ? submit(own, *request) : all_refused(own.size(), request.error());
  });
}

void Engine::Impl::async_batch(std::span<const Receipt> receipts, const std::string& request_id,
                               bool may_block, BatchCallback done, SubmitRequest submit) {
  if (request_id.empty()) {
    return async_batch(receipts, may_block, std::move(done),
                       [submit = std::move(submit)](auto own) { return submit(own, {}); });
  }
  start_request(request_id, may_block,
                [this, own = std::vector(receipts.begin(), receipts.end()), done = std::move(done),
                 submit = std::move(submit)](const Result<HeldRequest>& request) {
                  if (!request) return done(all_refused(own.size(), request.error()).results);
                  async_batch(own, false, done, [&](auto same) { return submit(same, *request); });
                });
}

namespace {

void refuse_the_rest(std::vector<Result<void>>& results, const Error& error) {
  for (Result<void>& result : results) {
    if (result) result = tl::unexpected(error);
  }
}

// With what became of its groups.
std::vector<Result<void>> answer(const CommitPipeline& pipeline, Engine::Impl::Settled& settled,
                                 const Result<void>& committed) {
  if (committed) {
    check_committed(pipeline, *settled.group);
    if (settled.synced) (void)durability_kept(pipeline, *settled.synced, Durability::kFsync);
  } else {
    refuse_the_rest(settled.results, committed.error());
  }
  return std::move(settled.results);
}

}  // namespace

std::vector<Result<void>> Engine::Impl::blocking_batch(std::span<const Receipt> receipts,
                                                       const Submit& submit) {
  const auto call = begin_call();
  if (!call) return all_refused(receipts.size(), call.error()).results;
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok) {
    return all_refused(receipts.size(), ok.error()).results;
  }
  Settled settled = submit(receipts);
  if (!settled.group) return std::move(settled.results);
  return answer(pipeline, settled, pipeline.wait(*settled.group));
}

void Engine::Impl::async_batch(std::span<const Receipt> receipts, bool may_block, BatchCallback done,
                               Submit submit) {
  const auto call = begin_call();
  if (!call) return done(all_refused(receipts.size(), call.error()).results);
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok) {
    return done(all_refused(receipts.size(), ok.error()).results);
  }
  if (may_block) {
    return background.post([this, own = std::vector(receipts.begin(), receipts.end()), done = std::move(done),
                            submit = std::move(submit)] { async_batch(own, false, done, submit); });
  }
  auto settled = std::make_shared<Settled>(submit(receipts));
  if (!settled->group) return done(std::move(settled->results));
  pipeline.on_commit(*settled->group, [this, settled, done = std::move(done)](const Result<void>& committed) {
    settled->request = {};
    done(answer(pipeline, *settled, committed));
  });
}

}  // namespace holdfast
