#include "holdfast/delivery_stream.h"

#include <algorithm>
#include <utility>

#include "client/ack_queue.h"
#include "client/caller.h"
#include "client/push.h"

namespace holdfast {
namespace {

std::vector<Receipt> receipts_of(const Deliveries& deliveries) {
  std::vector<Receipt> receipts;
  receipts.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  return receipts;
}

// Of a refused begin: what will not be otherwise for the next one.
bool ends_stream(ErrorCode code) {
  return code == ErrorCode::kClosed || code == ErrorCode::kPermissionDenied;
}

Result<void> check(std::string_view field, std::uint64_t value, std::uint64_t max) {
  if (value <= max) return {};
  return fail(ErrorCode::kInvalidArgument,
              std::string(field) + ": " + std::to_string(value) + ", more than " + std::to_string(max));
}

}  // namespace

class DeliveryStream::Impl {
 public:
  Impl(client::Caller& client, std::string_view queue, SubscribeOptions options)
      : client_(client),
        push_(std::make_shared<client::Push>(std::string(queue),
                                             ReceiveOptions{.max = options.credit,
                                                            .lease = options.lease,
                                                            .consumer = std::move(options.consumer),
                                                            .begun = false},
                                             inbox_)) {}
  ~Impl() { close(); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<void> open() { return client_.subscribe(push_); }

  Result<Deliveries> next(std::size_t max, Duration wait) {
    const auto deadline = std::chrono::steady_clock::now() + wait;
    for (;;) {
      auto taken = inbox_->take(std::min(max, limits::kBatchEntries), deadline);
      if (!taken || taken->empty()) return taken;
      client_.grant(push_, static_cast<std::uint32_t>(taken->size()));
      auto begun = begin(std::move(*taken));
      if (!begun || !begun->empty()) return begun;
    }
  }

  void ack(const Receipt& receipt) { acks_->add(receipt); }
  std::vector<AckFailure> flush() { return acks_->flush(); }

  void close() {
    (void)acks_->flush();
    inbox_->end({ErrorCode::kClosed, "the stream is closed"});
    client_.unsubscribe(push_);
    inbox_->clear();
  }

 private:
  // Those that are still ours. The others are stale: they were taken back, or their leases ran out here.
  Result<Deliveries> begin(Deliveries deliveries) {
    const auto results = client_.wait(client_.verbs().begin_batch(receipts_of(deliveries)));
    Deliveries begun;
    for (std::size_t i = 0; i < deliveries.size(); ++i) {
      if (results[i]) {
        begun.push_back(std::move(deliveries[i]));
      } else if (ends_stream(results[i].error().code)) {
        return tl::unexpected(results[i].error());
      }
    }
    return begun;
  }

  client::Caller& client_;
  const std::shared_ptr<client::Inbox> inbox_ = std::make_shared<client::Inbox>();
  const std::shared_ptr<client::Push> push_;
  const std::shared_ptr<client::AckQueue> acks_ = std::make_shared<client::AckQueue>(
      [this](const std::vector<Receipt>& receipts, client::AckQueue::Answered answered) {
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
void DeliveryStream::close() { impl_->close(); }

Result<DeliveryStream> Client::subscribe(std::string_view queue, SubscribeOptions options) {
  if (auto ok = check("credit", options.credit, limits::kReceiveMax); !ok) return tl::unexpected(ok.error());
  auto impl = std::make_unique<DeliveryStream::Impl>(*impl_, queue, std::move(options));
  if (auto ok = impl->open(); !ok) return tl::unexpected(ok.error());
  return DeliveryStream(std::move(impl));
}

}  // namespace holdfast
