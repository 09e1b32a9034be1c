// What many callers were promised, whose calls overlap; and what may be there after the power went, or the
// process ended. What holds for every message it asks of checker::Promises.
//
// A promise holds after a power loss if it was made of what is on disk: because the answer said so, or
// because a later call began after it, and was answered to be on disk with everything before it.
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
struct Place {
  std::string queue = {};
  std::uint32_t replays = 0;
  friend auto operator<=>(const Place&, const Place&) = default;
};

// One thing that a call does to a message, if it does anything.
struct Deed {
  enum class Kind : std::uint8_t {
    kSent,
    kGone,
    kThere,      // it came to `place`
    kCharged,    // the delivery in `place`
    kUncharged,  // it is taken back, if it was charged
  };
  Kind kind = Kind::kSent;
  std::uint64_t message = 0;
  Place place = {};
  Receipt receipt = {};  // of a delivery
};

// What a call was answered.
struct Promised {
  std::string verb;
  bool done = true;                       // false: refused, and without effect
  Durability asked = Durability::kFsync;  // what the call, or else its queue, asks for
  std::optional<Durability> said = {};    // in answers that say it
  std::optional<Mark> mark = {};          // of a row in its commit
};

struct Survivor {
  std::uint64_t message = 0;
  Place place = {};
  MessageId id = {};
  std::uint32_t charged = 0;
};

class Books {
 public:
  using CallId = std::uint64_t;

  explicit Books(Machine& machine);

  // The process lives until so many calls were answered: the power goes with the last of these answers,
  // before its caller hears of it.
  void begin_life(std::uint64_t answers);
  void wait_until_over();
  bool is_over() const { return over_; }

  std::uint64_t new_number();
  // A call begins, whose effect is these deeds. A transaction has a row with its number too.
  CallId begins(std::vector<Deed> deeds, std::optional<std::uint64_t> transaction = {});
  void answered(CallId call, const Promised& promised);
  // Answered with an error that says nothing: legal only when the power is gone.
  void failed(const char* verb, const Error& error);
  // Of a receive: in its log (buffered), each message was charged, or not.
  void delivered(std::vector<Deed> deeds);
  void complain(const std::string& what);

  // What was found after a life, and the numbers of the transactions that have rows. Gives what is wrong
  // since the last time, a line each.
  std::vector<std::string> audit(bool forgets, std::span<const Survivor> survivors,
                                 const std::set<std::uint64_t>& rows);
  // How often each verb had its effect.
  const std::map<std::string, std::uint64_t>& done() const { return done_; }

 private:
  using Certainty = checker::Certainty;
  // In the order of beginnings and answers.
  using Moment = std::uint64_t;
  struct Call {
    std::vector<Deed> deeds;
    std::optional<std::uint64_t> transaction;
    Moment started = 0;
    std::optional<Moment> answered = {};
    bool done = false;
    bool synced = false;  // and said to be
  };
  // Of a message at a place.
  struct Deliveries {
    std::uint32_t known = 0;  // charged when it was found there
    std::set<Receipt> charged = {};
    std::set<Receipt> uncharged = {};  // or maybe

    std::uint32_t least() const;
  };
  struct Account : checker::Fate {
    std::map<Place, Deliveries> deliveries = {};
  };

  Certainty certainty(const Call& call, bool forgets) const;
  Certainty learn_row(const Call& call, Certainty known, const std::set<std::uint64_t>& rows);
  void apply(const Deed& deed, Certainty certainty);
  void reach(Account& account, const Place& place) const;
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
  Moment synced_until_ = 0;  // what was answered before is on disk
  std::map<CallId, Call> calls_;
  std::map<std::uint64_t, Account> accounts_;
  std::vector<std::string> wrong_;
};

}  // namespace holdfast::testing
