// Keeps account of what happened to each message of a play.
#pragma once

#include <random>
#include <string_view>
#include <vector>

#include "tools/cli/rehearsal/rehearsal.h"

namespace holdfast::rehearsal {

// Number is a message's number, which is also its body.
using Number = std::size_t;

class Traffic {
 public:
  explicit Traffic(const Workload& workload);

  // send() sends the next message, which is due at next_send() unless all are sent.
  bool all_sent() const { return sent_.size() == count_; }
  Timestamp next_send(Timestamp start) const;
  Number send(Timestamp now);

  // Returns whether a delivery that ends `since_start` fails. Draws a random number if chance decides.
  bool fails(Number message, Duration since_start);

  void note_ack(Number message, Timestamp now);
  void note_failure(Number message, Timestamp now);
  void note_quarantined(Number message);

  bool all_settled(std::uint64_t dead) const { return all_sent() && verdict_.acked + dead == count_; }
  // Returns the result. It is complete once every dead letter was noted.
  Verdict verdict();

 private:
  struct Fate {
    Timestamp sent_at{};
    Timestamp last_failed_at{};
    std::uint32_t failures = 0;
    bool poison = false;
  };

  bool by_chance(double share);

  const Workload& workload_;
  const std::size_t count_;
  std::mt19937_64 random_;
  std::vector<Fate> sent_;
  std::vector<Duration> ack_times_;
  std::vector<Duration> quarantine_times_;
  Verdict verdict_;
};

}  // namespace holdfast::rehearsal
