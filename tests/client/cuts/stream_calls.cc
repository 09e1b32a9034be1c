#include "tests/client/cuts/stream_calls.h"

#include <thread>

namespace holdfast::testing {

using namespace std::chrono_literals;

void StreamCalls::ack_pushed() {
  if (!stream_ && !subscribe()) return;
  {
    const Peace::Kept peace(context_.site.peace());
    context_.send_as_owner(context_.pushed, "x");
  }
  const auto deliveries = stream_->next(1, 100ms);
  if (!deliveries) return stream_.reset();
  for (const Delivery& delivery : *deliveries) {
    stream_->ack(delivery.receipt);
    Result<void> result;
    for (const AckFailure& failure : stream_->flush()) result = tl::unexpected(failure.error);
    const Peace::Kept peace(context_.site.peace());
    context_.ledger.note("ack of a stream", delivery.id.to_string(), result,
                         context_.state_of(context_.pushed, delivery.id) ? 0 : 1);
  }
  if (context_.random.one_in(4)) stream_.reset();
}

bool StreamCalls::subscribe() {
  const std::string name = context_.next_name();
  std::uint64_t kills = 0;
  const MessageId id = context_.send_alone(context_.pushed, name, &kills);
  auto stream = context_.client.subscribe(context_.pushed, {.credit = 2, .lease = kLease});
  const Peace::Kept peace(context_.site.peace());
  context_.ledger.note("subscribe", name, stream, stream ? 1 : 0);
  if (!stream) {
    context_.doing.is("subscribe: a message to come back");
    while (context_.site.kills() == kills && context_.state_of(context_.pushed, id) != MessageState::kReady)
      std::this_thread::yield();
    return false;
  }
  stream_.emplace(*std::move(stream));
  return true;
}

}  // namespace holdfast::testing
