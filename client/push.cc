#include "client/push.h"

#include <utility>

#include "convert/error.h"
#include "convert/push.h"

namespace holdfast::client {

// What the server calls.
class Push::Sink final : public wire::DeliverySink::Server {
 public:
  Sink(std::weak_ptr<Push> push, std::uint64_t opening, std::shared_ptr<Frames> frames,
       std::function<void()> closing)
      : push_(std::move(push)), opening_(opening), frames_(std::move(frames)), closing_(std::move(closing)) {}

  kj::Promise<void> deliver(DeliverContext context) override {
    if (const auto push = current()) {
      const auto params = context.getParams();
      push->inbox_->add(convert::read(params, frames_->of(params)));
    }
    return kj::READY_NOW;
  }

  kj::Promise<void> end(EndContext context) override {
    const auto push = current();
    if (!push) return kj::READY_NOW;
    const auto error = convert::read(context.getParams().getError());
    if (error.code == ErrorCode::kClosed) {
      closing_();
    } else {
      push->inbox_->end(error);
    }
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
  const std::function<void()> closing_;
};

kj::Promise<Result<void>> Push::open(Connection& connection, std::function<void()> closing) {
  auto request = connection.broker().subscribeRequest();
  convert::write(queue_, options_, request);
  owed_ = 0;
  inbox_->reopen(++opening_);
  request.setSink(kj::heap<Sink>(weak_from_this(), opening_, connection.frames(), std::move(closing)));
  return request.send().then([self = shared_from_this(), opening = opening_](auto&& reply) -> Result<void> {
    if (reply.isError()) return tl::unexpected(convert::read(reply.getError()));
    if (self->opening_ != opening) return {};
    self->subscription_ = reply.getSubscription();
    // Deliveries may come before the reply, and all of the credit be taken by now.
    self->grant_owed();
    return {};
  });
}

void Push::lost() {
  subscription_ = nullptr;
  granting_ = kj::READY_NOW;
  inbox_->reopen(++opening_);
}

void Push::grant(std::uint64_t opening, std::uint32_t count) {
  if (opening != opening_) return;
  owed_ += count;
  grant_owed();
}

void Push::grant_owed() {
  // The server has the other half of the credit meanwhile.
  if (owed_ < (options_.max + 1) / 2) return;
  KJ_IF_MAYBE (subscription, subscription_) {
    auto request = subscription->grantRequest();
    request.setCount(std::exchange(owed_, 0));
    // A failure means that the connection is lost, which the session learns by itself.
    auto granted = request.send().ignoreResult().catch_([](kj::Exception&&) {});
    granting_ = granting_.then([granted = kj::mv(granted)]() mutable { return kj::mv(granted); })
                    .eagerlyEvaluate(nullptr);
  }
}

}  // namespace holdfast::client
