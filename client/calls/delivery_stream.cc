// DeliveryStream hands out what the server pushes ahead of demand. A pushed delivery waits here until next()
// takes it. It is started only then, and the server may push another one only for a delivery that was started
// or is over, so no more than the credit ever lie here unstarted.
#include "holdfast/delivery_stream.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "client/calls/ack_queue.h"
#include "client/calls/call_sender.h"
#include "client/common/is_retryable.h"
#include "client/connection/push.h"
#include "engine/base/helpers/batch_result.h"

namespace holdfast {
namespace {

using Kept = client::Inbox::Kept;
using SteadyTime = std::chrono::steady_clock::time_point;

std::vector<Receipt> receipts_of(const std::vector<Kept>& deliveries) {
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const Kept& kept : deliveries) receipts.push_back(kept.delivery.receipt);
  return receipts;
}

// Returns the delivery with its renewed lease, which began at some time after `asked`.
Delivery renewed(Kept kept, SteadyTime asked, SteadyTime now) {
  Delivery delivery = std::move(kept.delivery);
  delivery.lease_expires_at += std::chrono::duration_cast<Duration>(asked - kept.since);
  const auto used = std::chrono::ceil<Duration>(now - asked);
  delivery.lease_left = std::max(Duration{0}, delivery.lease_left - used);
  return delivery;
}

// Returns whether the delivery was taken back, or its lease ran out here.
bool is_not_ours(ErrorCode code) {
  return code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound;
}

Result<void> check(std::string_view field, std::uint64_t value, std::uint64_t max) {
  if (value <= max) return {};
  return fail(ErrorCode::kInvalidArgument,
              std::string(field) + ": " + std::to_string(value) + ", more than " + std::to_string(max));
}

}  // namespace

class DeliveryStream::Impl {
 public:
  Impl(client::CallSender& client, std::string_view queue, SubscribeOptions options)
      : client_(client),
        on_ack_failure_(std::move(options.on_ack_failure)),
        push_(std::make_shared<client::Push>(std::string(queue),
                                             ReceiveOptions{.max = options.credit,
                                                            .lease = options.lease,
                                                            .consumer = std::move(options.consumer),
                                                            .prefetch = true},
                                             inbox_)) {}
  ~Impl() {
    const auto failures = close();
    if (!on_ack_failure_) return;
    for (const AckFailure& failure : failures) on_ack_failure_(failure);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> open() { return client_.subscribe(push_); }

  Result<Deliveries> next(std::size_t max, Duration wait) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    for (;;) {
      auto taken = inbox_->take(std::min(max, limits::kBatchEntries), deadline);
      if (!taken) return tl::unexpected(taken.error());
      if (taken->deliveries.empty()) return Deliveries{};
      auto started = start(std::move(*taken));
      if (!started || !started->empty()) return started;
    }
  }

  void ack(const Receipt& receipt) { acks_->add(receipt); }
  std::vector<AckFailure> flush() { return acks_->flush(); }

  std::vector<AckFailure> close() {
    auto failures = acks_->flush();
    end({ErrorCode::kClosed, "the stream is closed"});
    return failures;
  }

 private:
  void end(const Error& error) {
    inbox_->end(error);
    client_.unsubscribe(push_);
  }

  // Starts the deliveries, and returns those that still belong to this client. Deliveries that the server
  // refused to start wait for the next call, and the server waits for credit: otherwise the whole queue would
  // come here and none of it be started.
  Result<Deliveries> start(client::Inbox::Taken taken) {
    const SteadyTime asked = std::chrono::steady_clock::now();
    const std::size_t count = taken.deliveries.size();
    const auto results =
        by_entry(client_.wait(client_.verbs().start_batch(receipts_of(taken.deliveries))), count);
    const SteadyTime answered = std::chrono::steady_clock::now();
    Deliveries started;
    client::Inbox::Taken refused{.deliveries = {}, .opening = taken.opening};
    std::optional<Error> why;
    for (std::size_t i = 0; i < count; ++i) {
      if (results[i]) {
        started.push_back(renewed(std::move(taken.deliveries[i]), asked, answered));
      } else if (!is_not_ours(results[i].error().code)) {
        refused.deliveries.push_back(std::move(taken.deliveries[i]));
        why = results[i].error();
      }
    }
    client_.grant(push_, taken.opening, static_cast<std::uint32_t>(count - refused.deliveries.size()));
    const bool waits = inbox_->put_back(std::move(refused));
    if (!why || !started.empty()) return started;
    if (!client::is_retryable(why->code)) {
      end(*why);
    } else if (!waits) {
      return started;  // a lost connection has taken them along; others will come
    }
    return tl::unexpected(*why);
  }

  client::CallSender& client_;
  const std::function<void(const AckFailure&)> on_ack_failure_;
  const std::shared_ptr<client::Inbox> inbox_ = std::make_shared<client::Inbox>();
  const std::shared_ptr<client::Push> push_;
  const std::shared_ptr<client::AckQueue> acks_ = std::make_shared<client::AckQueue>(
      [this](const std::vector<Receipt>& receipts, BatchCallback<void> answered) {
        client_.verbs().ack_batch(receipts).start(0, std::move(answered));
      },
      [this](std::function<void()> work) { client_.on_loop(std::move(work)); });
};

DeliveryStream::DeliveryStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeliveryStream::DeliveryStream(DeliveryStream&&) noexcept = default;
DeliveryStream& DeliveryStream::operator=(DeliveryStream&&) noexcept = default;
DeliveryStream::~DeliveryStream() = default;

Result<Deliveries> DeliveryStream::next(std::size_t max, Duration wait) {
  if (max == 0) return fail(ErrorCode::kInvalidArgument, "max: 0, not at least 1");
  if (wait < Duration(0) || wait > limits::kWaitMax) {
    return fail(ErrorCode::kInvalidArgument, "wait: not in 0..1 hour");
  }
  return impl_->next(max, wait);
}

void DeliveryStream::ack(const Receipt& receipt) { impl_->ack(receipt); }
std::vector<AckFailure> DeliveryStream::flush() { return impl_->flush(); }
std::vector<AckFailure> DeliveryStream::close() { return impl_->close(); }

Result<DeliveryStream> Client::subscribe(std::string_view queue, SubscribeOptions options) {
  if (auto ok = check("credit", options.credit, limits::kReceiveMax); !ok) return tl::unexpected(ok.error());
  auto impl = std::make_unique<DeliveryStream::Impl>(*impl_, queue, std::move(options));
  if (auto ok = impl->open(); !ok) return tl::unexpected(ok.error());
  return DeliveryStream(std::move(impl));
}

}  // namespace holdfast
