#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/kept.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

struct Prepared {
  std::shared_ptr<Queue> queue;
  Engine::Impl::ReceiveRequest request;
};

Result<Prepared> prepare(EngineContext& engine, std::string_view queue_name, ReceiveOptions options) {
  if (options.max == 0) return fail(ErrorCode::kInvalidArgument, "max must be at least 1");
  if (options.max > limits::kReceiveMax) {
    return fail(ErrorCode::kLimitExceeded, "max is " + std::to_string(options.max) + ", the limit is " +
                                               std::to_string(limits::kReceiveMax));
  }
  if (auto ok = validate_wait(options.wait); !ok) return tl::unexpected(ok.error());
  if (options.lease) {
    if (auto ok = validate_lease(*options.lease); !ok) return tl::unexpected(ok.error());
  }
  if (auto ok = validate(options.consumer); !ok) return tl::unexpected(ok.error());
  auto queue = engine.catalog.find(queue_name);
  if (!queue) return tl::unexpected(queue.error());

  Prepared prepared{*queue, {}};
  prepared.request.max = options.max;
  prepared.request.wait = options.wait;
  prepared.request.prefetch = options.prefetch;
  prepared.request.lease = options.lease ? *options.lease : [&] {
    const LockedQueue locked(engine.pipeline.gate(), **queue);
    return (*queue)->options().lease;
  }();
  if (options.consumer != Consumer{}) {
    prepared.request.consumer = std::make_shared<const Consumer>(std::move(options.consumer));
  }
  return prepared;
}

// Where a blocked caller waits for its messages.
class Mailbox {
 public:
  void post(Result<LeasedBatch> batch) {
    const sync::Lock lock(mutex_);
    batch_ = std::move(batch);
    arrived_.notify_one();
  }
  Result<LeasedBatch> take() {
    sync::Lock lock(mutex_);
    while (!batch_) arrived_.wait(lock);
    return std::move(*batch_);
  }

 private:
  sync::Mutex mutex_;
  sync::ConditionVariable arrived_;
  std::optional<Result<LeasedBatch>> batch_ HOLDFAST_GUARDED_BY(mutex_);
};

}  // namespace

Result<Deliveries> Engine::receive(std::string_view queue, ReceiveOptions options) {
  const auto call = impl_->begin_call();
  if (!call) return tl::unexpected(call.error());
  auto prepared = prepare(*impl_, queue, std::move(options));
  if (!prepared) return tl::unexpected(prepared.error());

  // Shared with the waiter, whose resolve may still be returning when the mailbox's owner goes on.
  const auto mailbox = std::make_shared<Mailbox>();
  auto received = impl_->lease_batch(prepared->queue, prepared->request, {}, [&] {
    Waiter waiter;
    waiter.resolve = [mailbox](Result<LeasedBatch> result) { mailbox->post(std::move(result)); };
    return waiter;
  });
  const auto failed = [&](const Error& error) {
    const bool is_gone = error.code == ErrorCode::kQueueNotFound;
    return tl::unexpected(is_gone ? impl_->after_deletion(prepared->queue) : error);
  };
  if (!received) return failed(received.error());
  if (received->state == Engine::Impl::Received::State::kWaiting) {
    auto waited = mailbox->take();
    if (!waited) return failed(waited.error());
    received->batch = std::move(*waited);
  }
  const LeasedBatch& batch = received->batch;
  if (batch.grants.empty()) return Deliveries{};
  if (auto ok = impl_->pipeline.wait(batch.group); !ok) return tl::unexpected(ok.error());
  return impl_->deliver(prepared->queue, prepared->request, batch);
}

void Engine::Impl::finish_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                                  Result<LeasedBatch> batch, ReceiveCallback done) {
  const bool any = batch && !batch->grants.empty();
  const GroupNumber group = any ? batch->group : pipeline.open_group();
  if (!batch) {
    pipeline.on_commit(group, [done = std::move(done), error = batch.error()](const Result<void>&) {
      done(tl::unexpected(error));
    });
    return;
  }
  pipeline.on_commit(
      group, [this, queue, request, done = std::move(done),
              leased = std::make_shared<LeasedBatch>(std::move(*batch))](const Result<void>& committed) {
        if (!committed) return done(tl::unexpected(committed.error()));
        if (!leased->grants.empty()) check_committed(pipeline, leased->group);
        if (is_cached(queue->id, *leased)) {
          UnreadChunks none;
          return done(assemble(*queue, *leased, none));
        }
        background.post([this, queue, request, done, leased] { done(deliver(queue, request, *leased)); });
      });
}

bool Engine::Impl::start_receive(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                                 LeasedBatch batch, ReceiveCallback done) {
  auto received = lease_batch(queue, request, std::move(batch), [&] {
    Waiter waiter;
    waiter.token = request.token;
    // Weak, since the waiter belongs to the queue; which is alive when it resolves its waiter.
    waiter.resolve = [this, weak = std::weak_ptr(queue), request, done](Result<LeasedBatch> result) {
      finish_receive(weak.lock(), request, std::move(result), done);
    };
    return waiter;
  });
  // Also an error: that the queue was deleted is not said before it is committed.
  if (!received) {
    finish_receive(queue, request, tl::unexpected(received.error()), std::move(done));
    return false;
  }
  switch (received->state) {
    case Received::State::kDone:
      finish_receive(queue, request, std::move(received->batch), std::move(done));
      return false;
    case Received::State::kWaiting:
      return false;
    case Received::State::kMustLoad:
      break;
  }
  // Shared, since a function object must be copyable.
  background.post([this, queue, request = request, done = std::move(done),
                   so_far = std::make_shared<LeasedBatch>(std::move(received->batch))]() mutable {
    request.may_block = true;
    go_on_receiving(queue, request, std::move(*so_far), std::move(done));
  });
  return true;
}

void Engine::Impl::go_on_receiving(const std::shared_ptr<Queue>& queue, const ReceiveRequest& request,
                                   LeasedBatch so_far, ReceiveCallback done) {
  const auto call = begin_call();
  if (!call && so_far.grants.empty()) return done(tl::unexpected(call.error()));
  // What was granted before is delivered: its lease has begun.
  if (!call) return finish_receive(queue, request, std::move(so_far), std::move(done));
  if (start_receive(queue, request, std::move(so_far), std::move(done))) return;
  const LockedQueue locked(pipeline.gate(), *queue);
  queue->loading.erase(request.token);
}

Engine::ReceiveToken Engine::async_receive(std::string_view queue_name, ReceiveOptions options,
                                           Callback<Deliveries> done) {
  const auto call = impl_->begin_call();
  auto prepared = call ? prepare(*impl_, queue_name, std::move(options)) : tl::unexpected(call.error());
  if (!prepared) {
    done(tl::unexpected(prepared.error()));
    return {};
  }
  prepared->request.token = impl_->next_waiter_token.fetch_add(1, std::memory_order_relaxed);
  prepared->request.may_block = false;
  (void)impl_->start_receive(prepared->queue, prepared->request, {}, std::move(done));
  return {prepared->queue->id, prepared->request.token};
}

void Engine::cancel_receive(ReceiveToken token) {
  const auto call = impl_->begin_call();
  const auto queue = call ? impl_->catalog.find(token.queue) : nullptr;
  if (!queue) return;
  const LockedQueue locked(impl_->pipeline.gate(), *queue);
  queue->loading.erase(token.number);
  const auto waiter = std::ranges::find(queue->waiters, token.number, &Waiter::token);
  if (waiter == queue->waiters.end()) return;
  waiter->resolve(LeasedBatch{});
  queue->waiters.erase(waiter);
}

}  // namespace holdfast
