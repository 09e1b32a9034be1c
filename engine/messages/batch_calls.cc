#include "engine/messages/batch_calls.h"

#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/context/request_call.h"
#include "engine/messages/kept.h"

namespace holdfast {
namespace {

// Returns the answer to a call, once it is known what became of its groups.
BatchResult<void> answer(const CommitPipeline& pipeline, Settled& settled, const Result<void>& committed) {
  if (!committed) return tl::unexpected(committed.error());
  check_committed(pipeline, *settled.group);
  if (settled.synced) (void)durability_kept(pipeline, *settled.synced, Durability::kFsync);
  return std::move(settled.results);
}

}  // namespace

BatchResult<void> BatchCalls::blocking_batch(std::span<const Receipt> receipts, const std::string& request_id,
                                             const SubmitRequest& submit) {
  return blocking_batch(receipts, [&](auto own) -> Result<Settled> {
    const auto request = engine_.requests.take(request_id);
    if (!request) return tl::unexpected(request.error());
    return submit(own, *request);
  });
}

void BatchCalls::async_batch(std::span<const Receipt> receipts, const std::string& request_id, bool may_block,
                             BatchCallback<void> done, SubmitRequest submit) {
  if (request_id.empty()) {
    return async_batch(receipts, may_block, std::move(done),
                       [submit = std::move(submit)](auto own) { return submit(own, {}); });
  }
  start_request(engine_, request_id, may_block,
                [this, own = std::vector(receipts.begin(), receipts.end()), done = std::move(done),
                 submit = std::move(submit)](const Result<HeldRequest>& request) {
                  if (!request) return done(tl::unexpected(request.error()));
                  async_batch(own, false, done, [&](auto same) { return submit(same, *request); });
                });
}

BatchResult<void> BatchCalls::blocking_batch(std::span<const Receipt> receipts, const Submit& submit) {
  const auto call = engine_.calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok) return tl::unexpected(ok.error());
  auto settled = submit(receipts);
  if (!settled) return tl::unexpected(settled.error());
  if (!settled->group) return std::move(settled->results);
  return answer(engine_.pipeline, *settled, engine_.pipeline.wait(*settled->group));
}

void BatchCalls::async_batch(std::span<const Receipt> receipts, bool may_block, BatchCallback<void> done,
                             Submit submit) {
  const auto call = engine_.calls.begin();
  if (!call) return done(tl::unexpected(call.error()));
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok)
    return done(tl::unexpected(ok.error()));
  if (may_block) {
    return engine_.background.post([this, own = std::vector(receipts.begin(), receipts.end()),
                                    done = std::move(done),
                                    submit = std::move(submit)] { async_batch(own, false, done, submit); });
  }
  auto submitted = submit(receipts);
  if (!submitted) return done(tl::unexpected(submitted.error()));
  if (!submitted->group) return done(std::move(submitted->results));
  const auto settled = std::make_shared<Settled>(*std::move(submitted));
  engine_.pipeline.on_commit(*settled->group,
                             [this, settled, done = std::move(done)](const Result<void>& committed) {
                               settled->request = {};
                               done(answer(engine_.pipeline, *settled, committed));
                             });
}

}  // namespace holdfast
