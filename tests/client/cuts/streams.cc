// Streams, and acks of what they bring.
#include "tests/client/cuts/caller.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

void Caller::ack_pushed() {
  if (!stream_ && !subscribe()) return;
  {
    const Peace::Kept peace(site_.peace());
    send_as_owner(pushed_, "x");
  }
  const auto deliveries = stream_->next(1, 100ms);
  if (!deliveries) return stream_.reset();
  for (const Delivery& delivery : *deliveries) {
    stream_->ack(delivery.receipt);
    Result<void> result;
    for (const AckFailure& failure : stream_->flush()) result = tl::unexpected(failure.error);
    const Peace::Kept peace(site_.peace());
    ledger_.note("ack of a stream", delivery.id.to_string(), result, state_of(pushed_, delivery.id) ? 0 : 1);
  }
  if (random_.one_in(4)) stream_.reset();
}

bool Caller::subscribe() {
  const std::string name = next_name();
  std::uint64_t kills = 0;
  const MessageId id = send_alone(pushed_, name, &kills);
  auto stream = client_.subscribe(pushed_, {.credit = 2, .lease = kLease});
  const Peace::Kept peace(site_.peace());
  ledger_.note("subscribe", name, stream, stream ? 1 : 0);
  if (!stream) {
    doing_.is("subscribe: a message to come back");
    while (site_.kills() == kills && state_of(pushed_, id) != MessageState::kReady) std::this_thread::yield();
    return false;
  }
  stream_.emplace(*std::move(stream));
  return true;
}

}  // namespace holdfast::testing
