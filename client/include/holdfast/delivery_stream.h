// Messages that the server pushes, as they come.
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

// An ack that failed.
struct AckFailure {
  Receipt receipt;
  Error error;
};

struct SubscribeOptions {
  // How many messages wait here at most, 1..limits::kReceiveMax. Their leases run meanwhile: no more than are
  // handled within half a lease.
  std::size_t credit = 100;
  std::optional<Duration> lease = {};  // default: the queue's; limits::kLeaseMin..kLeaseMax
  Consumer consumer = {};              // for the failure record, should a delivery fail

  // Hears of the failed acks that neither flush() nor close() has given, of the first limits::kBatchEntries
  // of them, when the stream is destroyed, on the thread that does that; must not throw, nor use the stream.
  std::function<void(const AckFailure&)> on_ack_failure = {};
};

// A movable handle, shared by any number of threads. The client must outlive it.
//
// What waits here is not charged: next() starts it. When the connection is lost, what was not started goes
// back to its queue at once, and the stream goes on over the next connection; what was started can be settled
// there. A server that is at a limit then is asked again (ClientOptions::reconnect_delay), while next()
// waits.
class DeliveryStream {
 public:
  DeliveryStream(DeliveryStream&&) noexcept;
  DeliveryStream& operator=(DeliveryStream&&) noexcept;
  ~DeliveryStream();  // closes; see SubscribeOptions::on_ack_failure

  // The next messages, started, in the order in which they came: at least one, or none after `wait`
  // (0..limits::kWaitMax); at most `max`. An error ends the stream: kQueueNotFound when the queue was
  // deleted, kClosed after close(), or what the server refused. But kOverloaded, kUnavailable and
  // kOutcomeUnknown only say that what waits here could not be started now: the next call tries again.
  Result<Deliveries> next(std::size_t max = 1, Duration wait = limits::kWaitMax);

  // Acknowledges without waiting for the answer. Acks leave together: while some are in flight the next ones
  // gather. Reject, release and extend are the client's calls.
  void ack(const Receipt& receipt);

  // Waits until all acks so far are answered, and gives those that have failed since the last call, at most
  // limits::kBatchEntries of them.
  std::vector<AckFailure> flush();

  // Ends the subscription, after the acks are answered, and gives those that failed, as flush() does. What
  // waits here goes back to its queue, uncharged. Safe to call twice.
  std::vector<AckFailure> close();

 private:
  friend class Client;
  class Impl;
  explicit DeliveryStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace holdfast
