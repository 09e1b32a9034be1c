// Finds out whether everything that was sent is accounted for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "holdfast/broker.h"

namespace holdfast::demo {

// The accounts of a run. The numbers count packages, unless they say messages.
struct Reconciliation {
  std::size_t sent = 0;
  std::size_t processed = 0;  // processed at least once, as the workers' ledgers say
  std::size_t dead = 0;       // in the dead letter queue at the end, and never processed
  std::size_t lost = 0;       // neither processed nor dead
  std::size_t both = 0;       // processed, and also a dead letter, since the ack came too late

  std::size_t sent_twice = 0;       // further messages of a package, after an unknown outcome
  std::size_t processed_again = 0;  // lines "processed" beyond the first one of a message
  std::size_t redelivered = 0;      // messages that were handed out again within one life
  // The part of `redelivered` that a worker had given back unstarted. The rest outlived a worker or server.
  std::size_t given_back = 0;

  std::size_t accepted = 0;     // messages that the broker itself counts as accepted
  std::size_t accounted = 0;    // messages with a ledger line or a dead letter
  std::size_t left_behind = 0;  // messages that are still in the queue

  bool balanced() const {
    return lost == 0 && left_behind == 0 && accepted == accounted && sent == processed + dead;
  }
};

// Makes the accounts. The names of ledgers begin with "producer", "strict" (before the redrive) or "relaxed"
// (after it): a redriven message has a second life, in which its deliveries start again.
Result<Reconciliation> balance(Broker& broker, std::size_t packages, const std::filesystem::path& ledgers);

// Returns every dead letter.
Result<std::vector<DeadLetter>> all_dead_letters(Broker& broker);

}  // namespace holdfast::demo
