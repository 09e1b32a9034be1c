// Draining: taking a server out of service while its clients finish the work that they have.
#pragma once

#include <chrono>
#include <cstdint>

#include "holdfast/time.h"

namespace holdfast {

struct DrainOptions {
  // How long clients may still settle the deliveries that they hold: 0..limits::kDelayMax.
  Duration timeout = std::chrono::seconds(30);
  // True: the server ends when the drain is over. False: it stays drained until Client::resume.
  bool exit = true;

  friend bool operator==(const DrainOptions&, const DrainOptions&) = default;
};

struct DrainStatus {
  // False: the server works normally, and of the other fields only in_flight has a meaning.
  bool draining = false;
  bool exits = false;  // whether the server ends when the drain is over (DrainOptions::exit)
  bool over = false;   // no delivery is in flight any more, or the time is up
  // Deliveries that clients got over connections that they still have, that nobody has settled and whose
  // leases have not run out.
  std::uint64_t in_flight = 0;
  Duration left{};  // what is left of DrainOptions::timeout
  // The server has ended, and this is its last answer: its data directory, its addresses and its pid file are
  // free.
  bool ended = false;

  friend bool operator==(const DrainStatus&, const DrainStatus&) = default;
};

}  // namespace holdfast
