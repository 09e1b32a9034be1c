// Engine::commit submits a transaction and answers once it is committed. Queues that are fuller than allowed
// by then make room in later writes, and the answer waits for these too.
#include "engine/context/request_call.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/kept.h"
#include "engine/transactions/transaction_run.h"
#include "engine/upkeep/room_maker.h"

namespace holdfast {
namespace {

// Answers a transaction whose groups are committed.
Committed answer(const CommitPipeline& pipeline, TransactionRun::Submitted& submitted) {
  check_committed(pipeline, submitted.last);
  return {std::move(submitted.sent), durability_kept(pipeline, submitted.group, submitted.asked)};
}

void start_commit(Engine::Impl& engine, Transaction transaction, const TransactionOptions& options,
                  const Result<HeldRequest>& request, const Callback<Committed>& done) {
  if (!request) return done(tl::unexpected(request.error()));
  const auto call = engine.calls.begin();
  if (!call) return done(tl::unexpected(call.error()));
  auto submitted = TransactionRun(engine, std::move(transaction), options).submit(*request);
  if (!submitted) return done(tl::unexpected(submitted.error()));
  const auto state = std::make_shared<TransactionRun::Submitted>(*std::move(submitted));
  engine.room_maker.start_making_room(state->full, [&engine, done, state](std::optional<GroupNumber> last) {
    state->last = last.value_or(state->last);
    engine.pipeline.on_commit(state->last, [&engine, done, state](const Result<void>& committed) {
      state->request = {};
      state->space = {};
      if (!committed) return done(tl::unexpected(committed.error()));
      if (state->refused) return done(tl::unexpected(*state->refused));
      done(answer(engine.pipeline, *state));
    });
  });
}

}  // namespace

Result<Committed> Engine::commit(Transaction transaction, TransactionOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  auto request = impl_->requests.take(options.request_id);
  if (!request) return tl::unexpected(request.error());
  TransactionRun run(*impl_, std::move(transaction), std::move(options));
  auto submitted = run.submit(std::move(*request));
  if (!submitted) return tl::unexpected(submitted.error());
  submitted->last = impl_->room_maker.make_room(submitted->full).value_or(submitted->last);
  if (auto ok = impl_->pipeline.wait(submitted->last); !ok) return tl::unexpected(ok.error());
  if (submitted->refused) return tl::unexpected(*submitted->refused);
  return answer(impl_->pipeline, *submitted);
}

void Engine::async_commit(Transaction transaction, TransactionOptions options, Callback<Committed> done) {
  const std::string id = options.request_id;
  // The call may block, because it reads what it rejects and expects first.
  start_request(*impl_, id, true,
                [impl = impl_.get(), transaction = std::move(transaction), options = std::move(options),
                 done = std::move(done)](const Result<HeldRequest>& request) {
                  start_commit(*impl, transaction, options, request, done);
                });
}

}  // namespace holdfast
