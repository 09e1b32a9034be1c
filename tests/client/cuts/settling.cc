// Receives, and the calls that end deliveries, while nobody else has them.
#include "tests/client/cuts/caller.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

Delivery Caller::lease(const std::string& name, bool started) {
  const Peace::Kept peace(site_.peace());
  const MessageId id = send_as_owner(queue_, body_of(name));
  while (find(queue_, id)) {
    for (Delivery& delivery : must(owner_.receive(queue_, {.lease = kLease, .prefetch = !started}))) {
      if (delivery.id == id) return std::move(delivery);
      put_away(owner_, delivery);
    }
  }
  throw std::runtime_error(name + " is not there");
}

void Caller::ack() {
  const Delivery delivery = lease(next_name());
  settled("ack", delivery, client_.ack(delivery.receipt), [&] { return !find(queue_, delivery.id); });
}

void Caller::release() {
  const Delivery delivery = lease(next_name());
  settled("release", delivery, client_.release(delivery.receipt, {.delay = Duration(0), .count = false}),
          [&] { return state_of(queue_, delivery.id) == MessageState::kReady; });
}

void Caller::reject() {
  const Delivery delivery = lease(next_name());
  settled("reject", delivery, client_.reject(delivery.receipt, {.reason = "bad"}),
          [&] { return dead_letters(delivery.id) == 1; });
}

void Caller::settled(const std::string& verb, const Delivery& delivery, const Result<void>& result,
                     const std::function<bool()>& is_done) {
  const Peace::Kept peace(site_.peace());
  const bool done = is_done();
  ledger_.note(verb, std::string(delivery.body), result, done ? 1 : 0);
  // If the call has not done it, the delivery is settled here, so that a first attempt that comes late finds
  // it over.
  if (!done) settle_for_good(delivery, said_by(result));
}

void Caller::settle_for_good(const Delivery& delivery, Said said) {
  const auto acked = owner().ack(delivery.receipt);
  EXPECT_TRUE(acked || said == Said::kUnknown) << delivery.body << " was settled after all";
}

void Caller::extend() {
  const Delivery delivery = lease(next_name());
  const auto result = client_.extend(delivery.receipt, 2 * kLease);
  const Peace::Kept peace(site_.peace());
  const auto message = find(queue_, delivery.id);
  ASSERT_TRUE(message && message->state == MessageState::kLeased) << delivery.body;
  const bool extended = *message->due > owner_.now() + kLease + kLease / 2;
  ledger_.note("extend", std::string(delivery.body), result, extended ? 1 : 0);
  settle_for_good(delivery, Said::kDone);
}

void Caller::start() {
  const Delivery delivery = lease(next_name(), false);
  const auto result = client_.start(delivery.receipt);
  const Peace::Kept peace(site_.peace());
  const auto message = find(queue_, delivery.id);
  ASSERT_TRUE(message) << delivery.body;
  ledger_.note("start", std::string(delivery.body), result, message->deliveries);
  settle_for_good(delivery, Said::kDone);
}

void Caller::receive() {
  const std::string name = next_name();
  const MessageId id = send_alone(received_, name);
  const auto result = client_.receive(received_, {.max = 1, .lease = kLease});
  const bool nothing_found = result && result->empty();
  const Peace::Kept peace(site_.peace());
  const bool leased = state_of(received_, id) == MessageState::kLeased;
  ledger_.note("receive", name, result, leased || nothing_found ? 1 : 0);
}

MessageId Caller::send_alone(const std::string& queue, const std::string& name, std::uint64_t* kills) {
  const Peace::Kept peace(site_.peace());
  if (kills != nullptr) *kills = site_.kills();
  must(owner().purge_queue(queue));
  send_as_owner(queue, body_of(name));
  return must(owner_.peek(queue)).items.at(0).id;
}

}  // namespace holdfast::testing
