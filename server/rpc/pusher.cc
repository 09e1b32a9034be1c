#include "server/rpc/pusher.h"

#include <algorithm>
#include <utility>

#include "holdfast/limits.h"
#include "schema/convert/messages/push_conversion.h"
#include "schema/convert/values/error_conversion.h"
#include "server/access/tokens.h"
#include "server/calls/reply_size.h"
#include "server/delivery/give_back.h"

namespace holdfast::server {
namespace {

// The most messages of one push. Further ones are on their way before they are asked for anyway.
constexpr std::size_t kBatch = 100;

// The pause after a message could not be read.
constexpr Duration kPauseAfterError = std::chrono::seconds(1);

}  // namespace

Pusher::Pusher(std::shared_ptr<const Caller> caller, std::unique_ptr<Peer::CountedPlace> place,
               std::string_view queue, ReceiveOptions options, wire::DeliverySink::Client sink)
    : caller_(std::move(caller)),
      place_(std::move(place)),
      state_(caller_->state()),
      queue_(queue),
      options_(std::move(options)),
      sink_(kj::mv(sink)),
      credit_(options_.max) {
  state_.pushers.insert(this);
}

Pusher::~Pusher() noexcept(false) {
  state_.pushers.erase(this);
  running_ = nullptr;
  give_back();
}

void Pusher::give_back() {
  ended_ = true;
  server::give_back(state_.engine, state_.prefetched, state_.prefetched.end(prefetched_));
}

void Pusher::drain() {
  if (wants_credit_) std::exchange(wants_credit_, nullptr)->fulfill();
}

// A subscription that is not started yet checks the rights itself, when its receive has come back. Until then
// its call has no answer, and a client that is refused must not get `end` too.
void Pusher::check_rights() {
  if (started_ && !ended_ && caller_->is_revoked()) run(end(revoked(*caller_->rights())));
}

kj::Promise<Result<void>> Pusher::start() {
  return receive(Duration(0)).then([this](Received received) -> Result<void> {
    const auto& result = received->result();
    if (caller_->is_revoked()) return tl::unexpected(revoked(*caller_->rights()));
    started_ = true;
    if (!result && !is_retryable(result.error())) return tl::unexpected(result.error());
    run(pass_on(kj::mv(received)));
    return {};
  });
}

// Replaces what it was doing by `promise`.
void Pusher::run(kj::Promise<void> promise) {
  running_ = promise.eagerlyEvaluate([this](kj::Exception&& e) {
    // The client does not want the messages, or is gone.
    give_back();
    state_.log.debug(caller_->peer()
                         .line("subscription ended")
                         .add("queue", queue_)
                         .add("reason", e.getDescription().cStr())
                         .text());
  });
}

kj::Promise<void> Pusher::grant(GrantContext context) {
  const std::size_t count = context.getParams().getCount();
  credit_ = std::min(credit_ + count, limits::kReceiveMax);
  if (wants_credit_ && credit_ > 0) std::exchange(wants_credit_, nullptr)->fulfill();
  return kj::READY_NOW;
}

kj::Promise<Pusher::Received> Pusher::receive(Duration wait) {
  auto started = state_.promises.make<Received>();
  options_.max = std::min(credit_, kBatch);
  options_.wait = wait;
  auto received = [&engine = state_.engine, done = started.done](Result<Deliveries> result) {
    done(kj::heap<PendingDeliveries>(engine, std::move(result)));
  };
  auto waiting = std::make_unique<CancellableReceives::CancellableReceive>(
      state_.cancellable_receives, state_.engine.async_receive(queue_, options_, std::move(received)));
  return started.promise.then([waiting = std::move(waiting)](Received result) {
    waiting->over();
    return result;
  });
}

kj::Promise<void> Pusher::push_on() {
  if (state_.stopping || state_.draining) return end({ErrorCode::kClosed, "the server is stopping"});
  if (credit_ == 0) return more_credit().then([this] { return push_on(); });
  return receive(limits::kWaitMax).then([this](Received received) { return pass_on(kj::mv(received)); });
}

kj::Promise<void> Pusher::pass_on(Received received) {
  const auto& deliveries = received->result();
  if (caller_->is_revoked()) return end(revoked(*caller_->rights()));
  if (!deliveries && is_retryable(deliveries.error()))
    return state_.port.after(kPauseAfterError).then([this] { return push_on(); });
  if (!deliveries) return end(deliveries.error());
  if (deliveries->empty() || state_.draining) return push_on();
  if (caller_->peer().has_gone()) return KJ_EXCEPTION(DISCONNECTED, "the client has gone");
  const auto size = reply_size(*deliveries);
  if (auto ok = caller_->peer().admit_push(size.wordCount * sizeof(capnp::word)); !ok) {
    if (ok.error().code != ErrorCode::kOverloaded) return end(ok.error());
    // The client has not read what was pushed before, so these deliveries wait here until it has.
    return caller_->peer().replies_sent().then(
        [this, received = kj::mv(received)]() mutable { return pass_on(kj::mv(received)); });
  }
  auto request = sink_.deliverRequest(size);
  convert::write(*deliveries, request);
  credit_ -= deliveries->size();
  if (options_.prefetch) state_.prefetched.add(prefetched_, *deliveries);
  caller_->peer().hold(*deliveries);
  received->taken();
  return request.send().then([this] { return push_on(); });
}

// A message that cannot be read must not hold up messages that can, or that come later.
bool Pusher::is_retryable(const Error& error) const {
  const bool unread = error.code == ErrorCode::kCorruption || error.code == ErrorCode::kStorageFailed;
  return unread && state_.engine.health().writes;
}

kj::Promise<void> Pusher::more_credit() {
  auto pending = kj::newPromiseAndFulfiller<void>();
  wants_credit_ = kj::mv(pending.fulfiller);
  return kj::mv(pending.promise);
}

kj::Promise<void> Pusher::end(const Error& error) {
  give_back();
  auto request = sink_.endRequest();
  convert::write(error, request.initError());
  return request.send().ignoreResult();
}

}  // namespace holdfast::server
