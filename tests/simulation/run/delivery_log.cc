#include "tests/simulation/run/delivery_log.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <utility>

namespace holdfast::simulation {
namespace {

constexpr std::size_t kRememberedReceipts = 200;

}  // namespace

void DeliveryLog::note_answer(const char* verb, const Subject& queue, const Result<Deliveries>& answer,
                              bool started) {
  if (!answer) {
    run_.note(verb, queue.name, error_info(answer.error().code).name);
    // The messages of the failed write are nobody's, but may be leased all the same.
    return run_.ledger.may_be_leased(queue.name, run_.world->now());
  }
  std::vector<std::string> bodies;
  for (const Delivery& delivery : *answer) {
    bodies.emplace_back(delivery.body);
    receipts_.push_back(delivery.receipt);
  }
  run_.note(verb, queue.name, bodies);
  for (const Delivery& delivery : *answer)
    run_.mark(Mark::kEdited, !find_attribute(delivery.attributes, kEditedAttribute).empty());
  take_in(queue, *answer, started);
  while (receipts_.size() > kRememberedReceipts) receipts_.pop_front();
}

void DeliveryLog::take_in(const Subject& queue, const Deliveries& deliveries, bool started) {
  if (queue.options.grouping.mode == Grouping::kOrdered)
    run_.turns.check_order(queue.name, deliveries, run_.world->now(), fewest_until_death(queue.options));
  if (queue.options.priority.levels > 1 && queue.options.priority.aging == Duration{0})
    run_.turns.check_priorities(queue.name, deliveries);
  for (const Delivery& delivery : deliveries) {
    Delivery stored = delivery;
    stored.lease_expires_at = run_.world->now_at_least() + delivery.lease_left;
    run_.ledger.delivered(queue.name, stored, started, run_.world->now_at_least(), run_.world->now());
  }
}

std::vector<Receipt> DeliveryLog::take_receipts() {
  std::vector<Receipt> taken;
  for (std::uint64_t n = std::min<std::uint64_t>(run_.random.between(1, 5), receipts_.size()); n > 0; --n) {
    const auto at = receipts_.begin() + static_cast<std::ptrdiff_t>(run_.random.below(receipts_.size()));
    taken.push_back(*at);
    // Sometimes a receipt is kept, and is used again.
    if (!run_.random.one_in(10)) receipts_.erase(at);
  }
  std::ranges::sort(taken);
  taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
  return taken;
}

Failure DeliveryLog::any_failure(std::span<const Receipt> receipts) {
  std::unordered_set<std::string> bodies;
  for (const Receipt& receipt : receipts) bodies.insert(run_.ledger.body_of(receipt).value());
  Failure failure{.reason = Reasons::said_of(run_.reasons.may_say(std::move(bodies)))};
  if (run_.random.one_in(2)) failure.category = "c";
  if (run_.random.one_in(4)) failure.stack_trace = std::string(run_.random.below(20'000), 's');
  return failure;
}

Settling DeliveryLog::outcome_of_reject(const Receipt& receipt) const {
  const std::string& queue = run_.ledger.account(*run_.ledger.body_of(receipt)).queue;
  const bool discards = std::ranges::any_of(run_.queues, [&](const Subject& subject) {
    return subject.name == queue && subject.options.dead_letters.discard_rejected;
  });
  return discards ? Settling::kDiscard : Settling::kReject;
}

}  // namespace holdfast::simulation
