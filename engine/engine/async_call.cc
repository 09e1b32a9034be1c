#include "engine/engine/engine_impl.h"

namespace holdfast {

void Engine::Impl::start_request(const std::string& id, bool may_block, RequestCall call) {
  const auto open = begin_call();
  if (!open) return call(tl::unexpected(open.error()));
  const auto post = [this](const RequestCall& posted, const HeldRequest& request) {
    background.post([posted, request] { posted(request); });
  };
  auto taken = requests.try_take(id);
  if (!taken) return call(tl::unexpected(taken.error()));
  if (!*taken) {
    return requests.stand_in_line(id, [post, call = std::move(call)](Result<HeldRequest> turn) {
      turn ? post(call, *turn) : call(std::move(turn));
    });
  }
  HeldRequest& request = **taken;
  // A call that looks on disk is not overtaken by one under an id that comes after it.
  const bool needs_no_look = id.empty() || (background.idle() && request.is_new(clock.stored_now()));
  if (may_block || !needs_no_look) return post(call, request);
  call(std::move(request));
}

Engine::CallToken Engine::post_call(std::function<void(const Result<void>& begins)> call) {
  auto work = [call = std::move(call)](const Result<void>& begins, const std::atomic<bool>&) {
    call(begins);
  };
  return {impl_->call_pool.post(std::move(work))};
}

void Engine::cancel_call(CallToken token) { impl_->call_pool.cancel(token.number); }

Engine::CallToken Engine::Impl::post_task(TaskKind kind, std::string_view queue, RedriveOptions task_options,
                                          Callback<Redriven> done) {
  const auto run = [this, kind](const std::string& queue_name, const RedriveOptions& asked,
                                const std::atomic<bool>& cancelled) -> Result<Redriven> {
    const auto call = begin_call();
    if (!call) return tl::unexpected(call.error());
    return run_task(kind, queue_name, asked, cancelled);
  };
  return {call_pool.post(
      [run, queue = std::string(queue), task_options = std::move(task_options), done = std::move(done)](
          const Result<void>& begins, const std::atomic<bool>& cancelled) {
        done(begins ? run(queue, task_options, cancelled) : Result<Redriven>(tl::unexpected(begins.error())));
      })};
}

Engine::CallToken Engine::async_redrive(std::string_view queue, RedriveOptions options,
                                        Callback<Redriven> done) {
  return impl_->post_task(TaskKind::kRedrive, queue, std::move(options), std::move(done));
}

Engine::CallToken Engine::async_park(std::string_view queue, RedriveOptions options,
                                     Callback<Redriven> done) {
  return impl_->post_task(TaskKind::kPark, queue, std::move(options), std::move(done));
}

}  // namespace holdfast
