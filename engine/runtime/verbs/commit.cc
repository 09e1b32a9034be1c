#include "runtime/engine_impl.h"
#include "runtime/transaction_run.h"

namespace holdfast {

Result<Committed> Engine::commit(Transaction transaction, TransactionOptions options) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  TransactionRun run(*impl_, std::move(transaction), std::move(options));
  auto submitted = run.submit();
  if (!submitted) return tl::unexpected(submitted.error());
  if (auto ok = impl_->pipeline.wait(submitted->last); !ok) return tl::unexpected(ok.error());
  return Committed{std::move(submitted->sent), impl_->pipeline.durability_of(submitted->group)};
}

void Engine::Impl::start_commit(Transaction transaction, const TransactionOptions& commit_options,
                                const Callback<Committed>& done) {
  const auto call = begin_call();
  if (!call) return done(tl::unexpected(call.error()));
  auto submitted = TransactionRun(*this, std::move(transaction), commit_options).submit();
  if (!submitted) return done(tl::unexpected(submitted.error()));
  pipeline.on_commit(submitted->last,
                     [this, done, state = std::make_shared<TransactionRun::Submitted>(std::move(*submitted))](
                         const Result<void>& committed) {
                       if (!committed) return done(tl::unexpected(committed.error()));
                       done(Committed{std::move(state->sent), pipeline.durability_of(state->group)});
                     });
}

void Engine::async_commit(Transaction transaction, TransactionOptions options, Callback<Committed> done) {
  const auto call = impl_->begin_call();
  if (!call) return done(tl::unexpected(call.error()));
  // What it rejects and expects is read first.
  impl_->background.post([impl = impl_.get(), transaction = std::move(transaction),
                          options = std::move(options),
                          done = std::move(done)] { impl->start_commit(transaction, options, done); });
}

}  // namespace holdfast
