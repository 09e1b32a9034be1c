// These functions post and cancel calls that run on the engine's threads, and may block.
#include "engine/engine/engine_impl.h"

namespace holdfast {

Engine::CallToken Engine::post_call(std::function<void(const Result<void>& begins)> call) {
  auto work = [call = std::move(call)](const Result<void>& begins, const std::atomic<bool>&) {
    call(begins);
  };
  return {impl_->call_pool.post(std::move(work))};
}

void Engine::cancel_call(CallToken token) { impl_->call_pool.cancel(token.number); }

}  // namespace holdfast
