#include "server/bounds/seat_loss.h"

namespace holdfast::server {

// The promise owns its fulfiller, so both are destroyed on the loop's thread, whichever thread calls
// meanwhile.
kj::Promise<void> when_lost(Seats::Seat& seat, const std::shared_ptr<transport::Mailbox>& mailbox) {
  auto pending = kj::newPromiseAndFulfiller<void>();
  using Fulfiller = kj::Own<kj::PromiseFulfiller<void>>;
  auto fulfiller = std::make_shared<Fulfiller>(kj::mv(pending.fulfiller));
  seat.on_loss([mailbox, waiting = std::weak_ptr<Fulfiller>(fulfiller)] {
    mailbox->post([waiting] {
      if (const auto still = waiting.lock()) (*still)->fulfill();
    });
  });
  return pending.promise.attach(std::move(fulfiller));
}

void fail_for_lost_seat() {
  kj::throwFatalException(
      kj::Exception(kj::Exception::Type::FAILED, __FILE__, __LINE__, kj::heapString(kSeatLost)));
}

}  // namespace holdfast::server
