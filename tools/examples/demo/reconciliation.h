// Whether everything that was sent is accounted for.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "holdfast/broker.h"

namespace holdfast::demo {

// Packages, unless it says messages.
struct Reconciliation {
  std::size_t sent = 0;
  std::size_t processed = 0;  // at least once, by the workers' ledgers
  std::size_t dead = 0;       // in the dead letter queue at the end, and not processed
  std::size_t lost = 0;       // neither
  std::size_t both = 0;       // of `processed`: also a dead letter; its ack came too late

  std::size_t sent_twice = 0;  // messages beyond the first of a package: a send whose outcome was unknown
  std::size_t processed_again = 0;  // "processed" lines beyond the first of a message
  std::size_t redelivered = 0;      // messages handed out again within one life, of which
  std::size_t given_back = 0;  // a worker had given back unstarted; the others outlived a worker or server

  std::size_t accepted = 0;     // messages, by the broker's own count
  std::size_t accounted = 0;    // messages with a ledger line or a dead letter
  std::size_t left_behind = 0;  // messages still in the queue

  bool balanced() const {
    return lost == 0 && left_behind == 0 && accepted == accounted && sent == processed + dead;
  }
};

// Ledgers begin with "producer", "strict" (before the redrive) or "relaxed" (after it): a redriven message
// has a second life, in which its deliveries start again.
Result<Reconciliation> balance(Broker& broker, std::size_t packages, const std::filesystem::path& ledgers);

// Every dead letter, page by page.
Result<std::vector<DeadLetter>> all_dead_letters(Broker& broker);

}  // namespace holdfast::demo
