#include "client/connection/push.h"

#include <utility>

#include "schema/convert/messages/push_conversion.h"
#include "schema/convert/values/error_conversion.h"

namespace holdfast::client {

// The object that the server calls.
class Push::Sink final : public wire::DeliverySink::Server {
 public:
  Sink(std::weak_ptr<Push> push, std::uint64_t opening, std::shared_ptr<Frames> frames, Ended ended)
      : push_(std::move(push)), opening_(opening), frames_(std::move(frames)), ended_(std::move(ended)) {}

  kj::Promise<void> deliver(DeliverContext context) override {
    if (const auto push = current()) {
      const auto params = context.getParams();
      push->inbox_->add(convert::read(params, frames_->of(params)));
    }
    return kj::READY_NOW;
  }

  kj::Promise<void> end(EndContext context) override {
    if (const auto push = current()) ended_(push, convert::read(context.getParams().getError()));
    return kj::READY_NOW;
  }

 private:
  std::shared_ptr<Push> current() const {
    auto push = push_.lock();
    return push && push->opening_ == opening_ ? push : nullptr;
  }

  const std::weak_ptr<Push> push_;
  const std::uint64_t opening_;
  const std::shared_ptr<Frames> frames_;
  const Ended ended_;
};

kj::Promise<Result<void>> Push::open(Connection& connection, Ended ended) {
  auto request = connection.broker().subscribeRequest();
  convert::write(queue_, options_, request);
  owed_ = 0;
  inbox_->reopen(++opening_);
  request.setSink(kj::heap<Sink>(weak_from_this(), opening_, connection.frames(), std::move(ended)));
  return request.send().then([self = shared_from_this(), opening = opening_](auto&& reply) -> Result<void> {
    if (self->opening_ != opening) return {};  // the reply is of no use any more
    if (reply.isError()) return tl::unexpected(convert::read(reply.getError()));
    self->subscription_ = reply.getSubscription();
    // Deliveries may come before the reply, so all of the credit may be used up by now.
    self->grant_owed();
    return {};
  });
}

void Push::end(const Error& error) {
  let_go();
  ended_ = true;
  inbox_->end(error);
}

void Push::lost() {
  let_go();
  inbox_->reopen(opening_);
}

void Push::let_go() {
  subscription_ = nullptr;
  granting_ = kj::READY_NOW;
  ++opening_;
}

void Push::grant(std::uint64_t opening, std::uint32_t count) {
  if (opening != opening_) return;
  owed_ += count;
  grant_owed();
}

void Push::grant_owed() {
  // Meanwhile the server has the other half of the credit.
  if (owed_ < (options_.max + 1) / 2) return;
  KJ_IF_MAYBE (subscription, subscription_) {
    auto request = subscription->grantRequest();
    request.setCount(std::exchange(owed_, 0));
    // A failure means that the connection is lost, which the session notices by itself.
    auto granted = request.send().ignoreResult().catch_([](kj::Exception&&) {});
    granting_ = granting_.then([granted = kj::mv(granted)]() mutable { return kj::mv(granted); })
                    .eagerlyEvaluate(nullptr);
  }
}

}  // namespace holdfast::client
