// DeliveryLog has the deliveries that a simulation was given, and their receipts.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class DeliveryLog {
 public:
  explicit DeliveryLog(Run& run) : run_(run) {}

  // Notes the answer of a receive.
  void note_answer(const char* verb, const Subject& queue, const Result<Deliveries>& answer, bool started);
  void take_in(const Subject& queue, const Deliveries& deliveries, bool started);

  // Returns the receipts of the newest deliveries.
  const std::deque<Receipt>& receipts() const { return receipts_; }
  // Returns some of them, and mostly forgets them.
  std::vector<Receipt> take_receipts();
  void keep(const Receipt& receipt) { receipts_.push_back(receipt); }

  // Returns a reason why deliveries fail, which the run remembers.
  Failure any_failure(std::span<const Receipt> receipts);
  Settling outcome_of_reject(const Receipt& receipt) const;

 private:
  Run& run_;
  std::deque<Receipt> receipts_;
};

}  // namespace holdfast::simulation
