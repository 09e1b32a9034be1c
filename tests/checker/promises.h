// What is promised of every message, and so what a checker accepts to see. Every campaign is judged by it:
// the simulation's ledger follows one caller step by step, the kill test's oracle reads the log of callers
// that overlap, and both ask here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/message.h"

namespace holdfast::checker {

// kMaybe: the call has no answer, or its outcome is not known.
enum class Certainty : std::uint8_t { kNo, kMaybe, kYes };

inline Certainty either(Certainty a, Certainty b) { return a == b ? a : Certainty::kMaybe; }

// What is known of one message.
struct Fate {
  Certainty sent = Certainty::kNo;
  Certainty gone = Certainty::kNo;   // for good: acked, discarded, dropped
  std::string source = {};           // where it was sent
  std::string queue = {};            // how far it has come at least since its last redrive; empty: not known
  std::optional<MessageId> id = {};  // known once the send was answered or the message seen
  std::uint32_t replays = 0;         // at least

  bool must_be_there() const { return sent == Certainty::kYes && gone == Certainty::kNo; }
  bool may_be_there() const { return sent != Certainty::kNo && gone != Certainty::kYes; }
};

// How many deliveries a message was charged in one queue since its last redrive.
struct Charges {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

// The judgements give what is wrong, as the end of a sentence about the message; empty if nothing is.
class Promises {
 public:
  struct Queue {
    std::vector<std::string> next = {};  // where its messages go when they die or are parked
    // How often one may be delivered there; without it, without end.
    std::optional<std::uint32_t> most_deliveries = {};
  };

  void declare(const std::string& queue, Queue terms) { queues_[queue] = std::move(terms); }

  // By deaths, none or some.
  bool leads_to(const std::string& from, const std::string& to) const;

  std::string judge_presence(const Fate& fate, const std::string& queue, const MessageId& id) const;
  static std::string judge_absence(const Fate& fate);
  // Between two redrives a message goes one way only: to dead letter queues.
  std::string judge_way(const Fate& fate, const std::string& queue, std::uint32_t replays) const;
  static std::string judge_charges(const std::string& queue, Charges known, std::uint32_t charged);
  // What an answer says it got, of a call that asked for `asked`, or whose queue does.
  static std::string judge_durability(Durability asked, Durability said);
  std::string judge_delivery(const std::string& queue, std::uint32_t deliveries) const;

 private:
  std::map<std::string, Queue> queues_;
};

}  // namespace holdfast::checker
