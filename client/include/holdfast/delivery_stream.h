// Streams of deliveries: the server pushes messages as they come.
//
//   auto stream = client.subscribe("orders", {.credit = 200});
//   if (!stream) return report(stream.error());
//   for (;;) {
//     auto deliveries = stream->next(50);
//     if (!deliveries) return report(deliveries.error());
//     for (const auto& delivery : *deliveries) {
//       handle(delivery);
//       stream->ack(delivery.receipt);
//     }
//   }
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/limits.h"

namespace holdfast {

// An AckFailure is an ack that failed, and why.
struct AckFailure {
  Receipt receipt;
  Error error;
};

struct SubscribeOptions {
  // At most this many messages wait in the stream: 1..limits::kReceiveMax. Their leases run meanwhile, so set
  // no more than the consumer handles within half a lease.
  std::size_t credit = 100;
  std::optional<Duration> lease = {};  // default: the queue's; limits::kLeaseMin..kLeaseMax
  Consumer consumer = {};              // for the failure record, should a delivery fail

  // Gets the failed acks that neither flush() nor close() has returned, when the stream is destroyed: the
  // first limits::kBatchEntries of them, on the thread that destroys it. It must not throw and must not use
  // the stream.
  std::function<void(const AckFailure&)> on_ack_failure = {};
};

// A DeliveryStream is a movable handle. Any number of threads may use it at once. The client must outlive it.
//
// Messages that wait in the stream are not charged; next() starts them. When the connection is lost, messages
// that were not started go back to their queue at once. The stream goes on over the next connection, where
// messages that were started can be settled. If the server is at a limit then, the stream asks again after
// ClientOptions::reconnect_delay, and next() waits meanwhile.
class DeliveryStream {
 public:
  DeliveryStream(DeliveryStream&&) noexcept;
  DeliveryStream& operator=(DeliveryStream&&) noexcept;
  ~DeliveryStream();  // calls close(); see SubscribeOptions::on_ack_failure

  // Returns the next messages, in the order in which they came, and starts them. It returns 1..`max`
  // messages, or none if none comes within `wait` (0..limits::kWaitMax). After kOverloaded, kUnavailable or
  // kOutcomeUnknown the stream goes on: the messages could not be started now, and the next call tries again.
  // Any other error ends the stream: kQueueNotFound if the queue was deleted, kClosed after close(), or why
  // the server refused it.
  Result<Deliveries> next(std::size_t max = 1, Duration wait = limits::kWaitMax);

  // Acknowledges a message with its queue's durability, and does not wait for the answer. While acks are in
  // flight, further ones are gathered and sent together. Reject, release and extend are calls of the client.
  void ack(const Receipt& receipt);

  // Waits until all acks so far are answered. Returns those that have failed since the last call, at most
  // limits::kBatchEntries of them.
  std::vector<AckFailure> flush();

  // Waits until all acks are answered, and ends the subscription. Messages that wait in the stream go back to
  // their queue, uncharged. Returns the failed acks as flush() does. May be called twice.
  std::vector<AckFailure> close();

 private:
  friend class Client;
  class Impl;
  explicit DeliveryStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
