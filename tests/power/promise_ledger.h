// PromiseLedger knows what many callers were promised, whose calls overlap, and what may be there after the
// power went or the process ended. checker::Promises judges what holds for every message.
//
// A promise holds after a power loss if what was promised was on disk. That is so if the answer said it, or
// if a later call began after the answer, and was itself answered to be on disk, with everything before it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "holdfast/broker.h"
#include "tests/checker/promises.h"
#include "tests/power/machine.h"

namespace holdfast::testing {

// A message lives once in each queue between two redrives.
struct MessageLife {
  std::string queue = {};
  std::uint32_t replays = 0;
  friend auto operator<=>(const MessageLife&, const MessageLife&) = default;
};

// Deed is one thing that a call does to a message, if it does anything.
struct Deed {
  enum class Kind : std::uint8_t {
    kSent,
    kGone,
    kThere,      // the message reached `life`
    kCharged,    // the delivery in `life` is charged
    kUncharged,  // its charge, if any, is taken back
  };
  Kind kind = Kind::kSent;
  std::uint64_t message = 0;
  MessageLife life = {};
  Receipt receipt = {};  // of the delivery
};

// Promised is what a call was answered.
struct Promised {
  std::string verb;
  bool done = true;                       // false if it was refused, without an effect
  Durability asked = Durability::kFsync;  // by the call, or otherwise by its queue
  std::optional<Durability> said = {};    // what the answer says, if it says it
  std::optional<Mark> mark = {};          // the mark of a row in its commit
};

struct Survivor {
  std::uint64_t message = 0;
  MessageLife life = {};
  MessageId id = {};
  std::uint32_t charged = 0;
};

class PromiseLedger {
 public:
  using CallId = std::uint64_t;

  explicit PromiseLedger(Machine& machine);

  // The process lives until so many calls were answered. The power goes with the last of these answers,
  // before its caller hears of it.
  void begin_life(std::uint64_t answers);
  void wait_until_over();
  bool is_over() const { return over_; }

  std::uint64_t new_number();
  // Notes that a call begins whose effect is these deeds. A transaction also has a row with its number.
  CallId begins(std::vector<Deed> deeds, std::optional<std::uint64_t> transaction = {});
  void answered(CallId id, const Promised& promised);
  // Notes an error that does not say what was done. It is legal only when the power is gone.
  void failed(const char* verb, const Error& error);
  // Notes the deliveries of a receive, whose log entry is buffered. Each message was charged, or was not.
  void delivered(std::vector<Deed> deeds);
  void complain(const std::string& what);

  // Judges what was found after a life, with the numbers of the transactions that have rows. Returns what is
  // wrong since the last audit, one line for each.
  std::vector<std::string> audit(bool forgets, std::span<const Survivor> survivors,
                                 const std::set<std::uint64_t>& rows);
  // Returns how often each verb had its effect.
  const std::map<std::string, std::uint64_t>& done() const { return done_; }

 private:
  using Certainty = checker::Certainty;
  // Moment is a number in the order of beginnings and answers.
  using Moment = std::uint64_t;
  struct Call {
    std::vector<Deed> deeds;
    std::optional<std::uint64_t> transaction;
    Moment started = 0;
    std::optional<Moment> answered = {};
    bool done = false;
    bool synced = false;  // the answer said that it is synced
  };
  // The deliveries of a message in one of its lives.
  struct Deliveries {
    std::uint32_t known = 0;  // how many were charged when it was found there
    std::set<Receipt> charged = {};
    std::set<Receipt> uncharged = {};  // these may be uncharged

    std::uint32_t least() const;
  };
  struct Account : checker::Fate {
    std::map<MessageLife, Deliveries> deliveries = {};
  };

  Certainty certainty(const Call& call, bool forgets) const;
  Certainty learn_row(const Call& call, Certainty known, const std::set<std::uint64_t>& rows);
  void apply(const Deed& deed, Certainty certainty);
  void reach(Account& account, const MessageLife& life) const;
  void judge(const Survivor& survivor);
  static void settle(Account& account, const Survivor* survivor);

  Machine& machine_;
  checker::Promises promises_;
  mutable std::mutex mutex_;
  std::condition_variable ends_;
  std::atomic<bool> over_ = false;
  std::uint64_t answers_left_ = 0;
  std::map<std::string, std::uint64_t> done_;
  std::uint64_t numbers_ = 0;
  Moment now_ = 0;
  Moment synced_until_ = 0;  // everything that was answered before is on disk
  std::map<CallId, Call> calls_;
  std::map<std::uint64_t, Account> accounts_;
  std::vector<std::string> wrong_;
};

}  // namespace holdfast::testing
