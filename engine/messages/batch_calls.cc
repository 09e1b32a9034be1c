#include "engine/messages/batch_calls.h"

#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/context/request_call.h"
#include "engine/messages/kept.h"

namespace holdfast {
namespace {

void refuse_the_rest(std::vector<Result<void>>& results, const Error& error) {
  for (Result<void>& result : results) {
    if (result) result = tl::unexpected(error);
  }
}

// With what became of its groups.
std::vector<Result<void>> answer(const CommitPipeline& pipeline, Settled& settled,
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

std::vector<Result<void>> BatchCalls::blocking_batch(std::span<const Receipt> receipts,
                                                     const std::string& request_id,
                                                     const SubmitRequest& submit) {
  return blocking_batch(receipts, [&](auto own) {
    const auto request = engine_.requests.take(request_id);
    return request ? submit(own, *request) : all_refused(own.size(), request.error());
  });
}

void BatchCalls::async_batch(std::span<const Receipt> receipts, const std::string& request_id, bool may_block,
                             Engine::BatchCallback done, SubmitRequest submit) {
  if (request_id.empty()) {
    return async_batch(receipts, may_block, std::move(done),
                       [submit = std::move(submit)](auto own) { return submit(own, {}); });
  }
  start_request(engine_, request_id, may_block,
                [this, own = std::vector(receipts.begin(), receipts.end()), done = std::move(done),
                 submit = std::move(submit)](const Result<HeldRequest>& request) {
                  if (!request) return done(all_refused(own.size(), request.error()).results);
                  async_batch(own, false, done, [&](auto same) { return submit(same, *request); });
                });
}

std::vector<Result<void>> BatchCalls::blocking_batch(std::span<const Receipt> receipts,
                                                     const Submit& submit) {
  const auto call = engine_.calls.begin();
  if (!call) return all_refused(receipts.size(), call.error()).results;
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok) {
    return all_refused(receipts.size(), ok.error()).results;
  }
  Settled settled = submit(receipts);
  if (!settled.group) return std::move(settled.results);
  return answer(engine_.pipeline, settled, engine_.pipeline.wait(*settled.group));
}

void BatchCalls::async_batch(std::span<const Receipt> receipts, bool may_block, Engine::BatchCallback done,
                             Submit submit) {
  const auto call = engine_.calls.begin();
  if (!call) return done(all_refused(receipts.size(), call.error()).results);
  if (auto ok = validate_batch_entries(receipts.size(), "receipts"); !ok) {
    return done(all_refused(receipts.size(), ok.error()).results);
  }
  if (may_block) {
    return engine_.background.post([this, own = std::vector(receipts.begin(), receipts.end()),
                                    done = std::move(done),
                                    submit = std::move(submit)] { async_batch(own, false, done, submit); });
  }
  auto settled = std::make_shared<Settled>(submit(receipts));
  if (!settled->group) return done(std::move(settled->results));
  engine_.pipeline.on_commit(*settled->group,
                             [this, settled, done = std::move(done)](const Result<void>& committed) {
                               settled->request = {};
                               done(answer(engine_.pipeline, *settled, committed));
                             });
}

}  // namespace holdfast
