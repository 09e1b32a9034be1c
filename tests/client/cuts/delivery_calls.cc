#include "tests/client/cuts/delivery_calls.h"

#include <stdexcept>

namespace holdfast::testing {

Delivery DeliveryCalls::lease(const std::string& name, bool started) {
  const Peace::Kept peace(context_.site.peace());
  const MessageId id = context_.send_as_owner(context_.queue, context_.body_of(name));
  while (context_.find(context_.queue, id)) {
    for (Delivery& delivery :
         must(context_.owner.receive(context_.queue, {.lease = kLease, .prefetch = !started}))) {
      if (delivery.id == id) return std::move(delivery);
      sends_.put_away(context_.owner, delivery);
    }
  }
  throw std::runtime_error(name + " is not there");
}

void DeliveryCalls::ack() {
  const Delivery delivery = lease(context_.next_name());
  settled("ack", delivery, context_.client.ack(delivery.receipt),
          [&] { return !context_.find(context_.queue, delivery.id); });
}

void DeliveryCalls::release() {
  const Delivery delivery = lease(context_.next_name());
  settled("release", delivery,
          context_.client.release(delivery.receipt, {.delay = Duration(0), .charge = false}),
          [&] { return context_.state_of(context_.queue, delivery.id) == MessageState::kReady; });
}

void DeliveryCalls::reject() {
  const Delivery delivery = lease(context_.next_name());
  settled("reject", delivery, context_.client.reject(delivery.receipt, {.reason = "bad"}),
          [&] { return context_.dead_letters(delivery.id) == 1; });
}

void DeliveryCalls::settled(const std::string& verb, const Delivery& delivery, const Result<void>& result,
                            const std::function<bool()>& is_done) {
  const Peace::Kept peace(context_.site.peace());
  const bool done = is_done();
  context_.ledger.note(verb, std::string(delivery.body), result, done ? 1 : 0);
  // If the call has not done it, the delivery is settled here, so that a first attempt that comes late finds
  // it over.
  if (!done) settle_for_good(delivery, said_by(result));
}

void DeliveryCalls::settle_for_good(const Delivery& delivery, Said said) {
  const auto acked = context_.connected_owner().ack(delivery.receipt);
  EXPECT_TRUE(acked || said == Said::kUnknown) << delivery.body << " was settled after all";
}

void DeliveryCalls::extend() {
  const Delivery delivery = lease(context_.next_name());
  const auto result = context_.client.extend(delivery.receipt, 2 * kLease);
  const Peace::Kept peace(context_.site.peace());
  const auto message = context_.find(context_.queue, delivery.id);
  ASSERT_TRUE(message && message->state == MessageState::kLeased) << delivery.body;
  const bool extended = *message->due > context_.owner.now() + kLease + kLease / 2;
  context_.ledger.note("extend", std::string(delivery.body), result, extended ? 1 : 0);
  settle_for_good(delivery, Said::kDone);
}

void DeliveryCalls::start() {
  const Delivery delivery = lease(context_.next_name(), false);
  const auto result = context_.client.start(delivery.receipt);
  const Peace::Kept peace(context_.site.peace());
  const auto message = context_.find(context_.queue, delivery.id);
  ASSERT_TRUE(message) << delivery.body;
  context_.ledger.note("start", std::string(delivery.body), result, message->deliveries);
  settle_for_good(delivery, Said::kDone);
}

void DeliveryCalls::receive() {
  const std::string name = context_.next_name();
  const MessageId id = context_.send_alone(context_.received, name);
  const auto result = context_.client.receive(context_.received, {.max = 1, .lease = kLease});
  const bool nothing_found = result && result->empty();
  const Peace::Kept peace(context_.site.peace());
  const bool leased = context_.state_of(context_.received, id) == MessageState::kLeased;
  context_.ledger.note("receive", name, result, leased || nothing_found ? 1 : 0);
}

}  // namespace holdfast::testing
