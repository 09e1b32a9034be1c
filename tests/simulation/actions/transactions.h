// Transactions in a simulation: everything in one happens, or nothing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "holdfast/transaction.h"
#include "tests/simulation/run/calls.h"
#include "tests/simulation/run/delivery_log.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"
#include "tests/simulation/run/sent_messages.h"

namespace holdfast::simulation {

class Transactions {
 public:
  Transactions(Run& run, DeliveryLog& deliveries, Recovery& recovery, Calls& calls, SentMessages& sent)
      : run_(run), deliveries_(deliveries), recovery_(recovery), calls_(calls), sent_(sent) {}

  // Must be called before the others.
  void declare_family();
  void transact();
  void add_and_drop_family();
  void check_row();

 private:
  struct Transfer;

  std::optional<std::vector<std::string>> family_names();
  std::optional<std::string> row();
  Transfer any_transfer();
  void note_transfer(const Transfer& transfer, const Result<Committed>& done);
  // Notes that the transfer has happened. `committed` is null if only what is there shows that.
  void happened(const Transfer& transfer, const Committed* committed);
  void check_refusal(const Transfer& transfer, const Error& error);

  Run& run_;
  DeliveryLog& deliveries_;
  Recovery& recovery_;
  Calls& calls_;
  SentMessages& sent_;
  ApplicationFamily family_;        // the family of every transaction
  std::optional<std::string> row_;  // the row of the last transaction
};

}  // namespace holdfast::simulation
