// Engine::receive leases messages, or waits in the queue until there are some. A blocked caller waits at a
// mailbox, and an asynchronous one is called back. Both get their messages only once the leases are
// committed.
#include <algorithm>
#include <mutex>
#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/context/deletion.h"
#include "engine/engine/engine_impl.h"
#include "engine/messages/receiver.h"
#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

struct Prepared {
  std::shared_ptr<Queue> queue;
  Receiver::ReceiveRequest request;
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
  prepared.request.lease = options.lease;
  if (options.consumer != Consumer{}) {
    prepared.request.consumer = std::make_shared<const Consumer>(std::move(options.consumer));
  }
  return prepared;
}

// Lets a blocked caller wait for its messages.
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

Result<Deliveries> EngineMessageVerbs::receive(std::string_view queue, ReceiveOptions options) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  auto prepared = prepare(*impl_, queue, std::move(options));
  if (!prepared) return tl::unexpected(prepared.error());

  // Only a receive that waits has a mailbox. It is shared with the waiter, whose `resolve` may still be
  // returning when the caller goes on.
  std::shared_ptr<Mailbox> mailbox;
  auto received = impl_->receiver.lease_batch(prepared->queue, prepared->request, {}, [&] {
    mailbox = std::make_shared<Mailbox>();
    Waiter waiter;
    waiter.resolve = [mailbox](Result<LeasedBatch> result) { mailbox->post(std::move(result)); };
    return waiter;
  });
  const auto failed = [&](const Error& error) {
    const bool is_gone = error.code == ErrorCode::kQueueNotFound;
    return tl::unexpected(is_gone ? after_deletion(impl_->pipeline, *prepared->queue) : error);
  };
  if (!received) return failed(received.error());
  if (received->state == Receiver::Received::State::kWaiting) {
    auto waited = mailbox->take();
    if (!waited) return failed(waited.error());
    received->batch = std::move(*waited);
  }
  const LeasedBatch& batch = received->batch;
  if (batch.grants.empty()) return Deliveries{};
  if (auto ok = impl_->pipeline.wait(batch.group); !ok) return tl::unexpected(ok.error());
  return impl_->receiver.deliver(prepared->queue, prepared->request, batch);
}

Engine::ReceiveToken Engine::async_receive(std::string_view queue_name, ReceiveOptions options,
                                           Callback<Deliveries> done) {
  const auto call = impl_->calls.begin();
  auto prepared = call ? prepare(*impl_, queue_name, std::move(options)) : tl::unexpected(call.error());
  if (!prepared) {
    done(tl::unexpected(prepared.error()));
    return {};
  }
  prepared->request.token = impl_->next_waiter_token.fetch_add(1, std::memory_order_relaxed);
  prepared->request.may_block = false;
  (void)impl_->receiver.start_receive(prepared->queue, prepared->request, {}, std::move(done));
  return {prepared->queue->id, prepared->request.token};
}

void Engine::cancel_receive(ReceiveToken token) {
  const auto call = impl_->calls.begin();
  const auto queue = call ? impl_->catalog.find(token.queue) : nullptr;
  if (!queue) return;
  const LockedQueue locked(impl_->pipeline.gate(), *queue);
  queue->waiters.cancel(token.number);
}

}  // namespace holdfast
