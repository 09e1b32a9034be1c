// Verbs that a simulation sometimes calls with a callback.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "holdfast/transaction.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class Calls {
 public:
  using Receipts = std::span<const Receipt>;
  using Sends = BatchResult<Sent>;
  using Outcomes = std::vector<Result<void>>;

  explicit Calls(Run& run) : run_(run) {}

  std::string any_request_id();  // returns an empty text in many cases
  // Checks that the answers say no less than was asked for.
  void check_durability(const std::string& queue, const SendOptions& options, const Sends& answers) const;

  Sends call_send(const std::string& queue, const std::vector<Message>& messages, const SendOptions& options);
  Outcomes call_ack(Receipts receipts, const SettleOptions& options);
  Outcomes call_release(Receipts receipts, const ReleaseOptions& options);
  Outcomes call_reject(Receipts receipts, const Rejection& rejection, const SettleOptions& options);
  Outcomes call_start(Receipts receipts);
  Outcomes call_extend(Receipts receipts, Duration lease, const ExtendOptions& options);
  Result<Committed> call_commit(const Transaction& transaction, const TransactionOptions& options);
  Result<Redriven> call_redrive(const std::string& queue, const RedriveOptions& options);

 private:
  bool calls_back();
  static void check_durability(Durability asked, Durability said);

  Run& run_;
  std::uint64_t calls_ = 0;  // how many calls had a request id
};

}  // namespace holdfast::simulation
