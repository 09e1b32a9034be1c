// Promises say what is promised of every message, and so what a checker accepts to see. The simulation's
// ledger follows one caller step by step, and the kill test's oracle reads the log of callers that overlap.
// Every campaign is judged here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/message.h"

namespace holdfast::checker {

// kMaybe means that the call has no answer, or that its outcome is not known.
enum class Certainty : std::uint8_t { kNo, kMaybe, kYes };

inline Certainty either(Certainty a, Certainty b) { return a == b ? a : Certainty::kMaybe; }

// A Fate is what is known of one message.
struct Fate {
  Certainty sent = Certainty::kNo;
  Certainty gone = Certainty::kNo;   // for good: acked, discarded or dropped
  std::string source = {};           // where it was sent
  std::string queue = {};            // how far it has come at least since its last redrive; empty if unknown
  std::optional<MessageId> id = {};  // known once the send was answered or the message seen
  std::uint32_t replays = 0;         // at least so many

  bool must_be_there() const { return sent == Certainty::kYes && gone == Certainty::kNo; }
  bool may_be_there() const { return sent != Certainty::kNo && gone != Certainty::kYes; }
};

// Charges say how many deliveries a message was charged in one queue since its last redrive.
struct Charges {
  std::uint32_t least = 0;
  std::uint32_t most = 0;
};

// The judgements return what is wrong, as the end of a sentence about the message. They are empty if nothing
// is wrong.
class Promises {
 public:
  struct Queue {
    std::vector<std::string> next = {};  // where its messages go when they die or are parked
    // A message may be delivered there this often. Without a value there is no limit.
    std::optional<std::uint32_t> most_deliveries = {};
  };

  void declare(const std::string& queue, Queue terms) { queues_[queue] = std::move(terms); }

  // Returns whether deaths, none or some, lead from one queue to the other.
  bool leads_to(const std::string& from, const std::string& to) const;

  std::string judge_presence(const Fate& fate, const std::string& queue, const MessageId& id) const;
  static std::string judge_absence(const Fate& fate);
  // Between two redrives a message goes one way only, to dead letter queues.
  std::string judge_way(const Fate& fate, const std::string& queue, std::uint32_t replays) const;
  static std::string judge_charges(const std::string& queue, Charges known, std::uint32_t charged);
  // Judges the durability that an answer says. The call, or its queue, asked for `asked`.
  static std::string judge_durability(Durability asked, Durability said);
  std::string judge_delivery(const std::string& queue, std::uint32_t deliveries) const;

 private:
  std::map<std::string, Queue> queues_;
};

}  // namespace holdfast::checker
