// Knows what was sent, what was answered and what is pending, message by message, and so what one caller may
// see after that, step by step. It knows nothing of how the engine works, only what docs/testing.md says is
// promised. It asks checker::Promises for what holds for every message; the rest is about time and leases.
// Turns adds the order, and Reasons what was said of failures.
//
// Where the outcome is open (a write that failed, unsynced writes before a power loss) the ledger allows
// both, and the next time the message is seen settles it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "holdfast/message.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"
#include "tests/checker/promises.h"
#include "tests/simulation/world/violation.h"

namespace holdfast::simulation {

using checker::Certainty;

struct Lease {
  Receipt receipt;
  Timestamp until{};

  friend bool operator==(const Lease&, const Lease&) = default;
};

// An Account is what is known about one message. Bodies are unique: they name messages whose ids are unknown.
struct Account : checker::Fate {
  Timestamp visible_at = {};                 // it is not delivered earlier in this life
  std::optional<Timestamp> expires_at = {};  // it is not delivered from then on in this life
  std::optional<Lease> lease = {};
  bool lease_unknown = false;  // another lease may be the valid one, or none
  bool prefetched = false;     // the lease is of a delivery that is not charged yet
  Duration renewal = {};       // the least length of the lease, counted from the start of the delivery
  Duration retry = {};  // the least time for which the message waits if the delivery that holds it fails
  std::uint32_t deliveries = 0;  // the fewest charged deliveries of this life
  std::uint32_t most_deliveries = 0;
  std::string group = {};
  std::uint32_t priority = 0;
  bool prompt = false;     // sent without a delay
  bool fleeting = false;   // it may be dropped whenever nobody holds it
  bool abandoned = false;  // retention may take it whenever nobody holds it, into the archive
  bool moved = false;      // it may have died or come back, so its place in its group is not known
  bool redriven = false;   // it was redriven, and has not moved since
  bool restless = false;   // it may die without anybody's doing, since it expires or makes room
  // `edited` is what a redrive has written into the attribute kEditedAttribute, if one did. Each edit is a
  // replay, so this stays the same as long as the replays do.
  std::optional<std::string> edited = {};
  bool edit_unknown = false;

  // Returns whether it must be in a queue.
  bool is_certain() const { return must_be_there() && !abandoned; }
  // Returns an account in which both are possible.
  static Account either(const Account& a, const Account& b);
};

enum class Settling : std::uint8_t { kAck, kRelease, kReleaseUncharged, kReject, kDiscard, kExtend, kStart };

// Returns the attributes with which a message of this body is sent. Some messages have one.
Attributes sent_with(const std::string& body);
// kEditedAttribute is the attribute that redrives set.
inline constexpr const char* kEditedAttribute = "edited";

// A Home is what the ledger knows of a queue.
struct Home {
  checker::Promises::Queue promised = {};
  std::uint32_t max_deliveries = 0;  // the fewest deliveries after which a message may have died
  bool dead_letters = false;
  bool brakes = false;     // a failed delivery may not be charged
  RetryPolicy retry = {};  // how long a message waits after a failed delivery
  bool archives = false;   // retention takes what has failed for too long into the archive
};

class Ledger {
 public:
  void declare(const std::string& queue, Home home);

  // Tells of a send. `answered` says whether the call is known to have had its effect.
  void sent(const std::string& body, Account account, bool answered);
  // Tells of a delivery. `started` says that it is charged already. The engine's own time lies between
  // `earliest` and `now`.
  void delivered(const std::string& queue, const Delivery& delivery, bool started, Timestamp earliest,
                 Timestamp now);
  // Sight is a look at a message where it is.
  struct Sight {
    std::string body;
    MessageId id = {};
    std::uint32_t replays = 0;
    Attributes attributes = {};
  };
  void shown(const std::string& queue, const Sight& sight);

  // Tells of a call with a receipt that a delivery gave. `until` is the lease's new end, or the end of the
  // delay; for a start it is the earliest time at which the lease may have started again.
  void settled(const Receipt& receipt, Settling settling, const Result<void>& answer, Timestamp now,
               Timestamp until = {});
  // Tells that the message may be gone, since it expired or overflowed and was dropped.
  void may_drop(const std::string& body);
  // Tells that retention may take the message whenever nobody holds it.
  void abandoned(const std::string& body);
  // Tells that the message got another status, so that retention may not take it any more. It may be in the
  // archive all the same: a message may have been written there and have stayed in its queue.
  void taken_up(const std::string& body);
  // Tells that retention has written the message into its archive, perhaps more than once.
  void archived(const std::string& body, const Attributes& attributes);
  // Tells that the message is gone although nobody held it: it was a dead letter, and was discarded.
  void discarded(const std::string& body, Timestamp now);
  // Places are the queues in which some messages lie, by their bodies.
  using Places = std::unordered_map<std::string, std::string>;
  // Tells that everything in the queue may be gone. `dead` are dead letters that no redrive takes out of
  // their queues.
  void purged(const std::string& queue, const Places& dead);
  // Tells that the message's queue was deleted, and with it the message if it was there.
  void deleted(const std::string& body);
  // Tells that redrives from now on may write this into a message.
  void may_edit(const RedriveEdit& edit);
  // Tells that the message was moved back to where it was sent, for the `replays`th time.
  void redriven(const std::string& body, std::uint32_t replays, const RedriveEdit& edit);
  // Tells that a discarded dead letter was brought back. If not `answered`, it may have been.
  void imported(const std::string& queue, const std::string& body, bool answered);
  // Tells that the message was sent anew, so its place in its group is not known.
  void lost_its_place(const std::string& body);
  // Tells that a receive from the queue failed: what it handed out is nobody's, but held all the same.
  void may_be_leased(const std::string& queue, Timestamp now);

  // Tells that everything so far is on disk.
  void synced() { unsynced_.clear(); }
  // Tells that the machine died: what was not synced may be lost, the newest first.
  void crashed();
  // Tells that the directory was salvaged: earlier receipts settle nothing any more.
  void salvaged();

  // Bounds are the least and the greatest number of messages that there may be.
  struct Bounds {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  Bounds live() const { return {certain_, certain_ + open_}; }

  // Tells that the message was taken out for good, at the end.
  void found(const std::string& body);
  // Checks that nothing is missing and nothing was double. Called after everything was taken out and the
  // archive was read.
  void all_found();

  const std::unordered_map<std::string, Account>& accounts() const { return accounts_; }
  const Account& account(const std::string& body) const { return accounts_.at(body); }
  // Returns whether the message may be held, or may not be free at once when its lease runs out.
  bool may_be_held(const std::string& body) const;
  // Returns whether the receipt belongs to a delivery that holds its message, whatever was lost.
  bool surely_holds(const Receipt& receipt, Timestamp now) const;
  // Returns whether the receipt may belong to a delivery that holds its message.
  bool may_hold(const Receipt& receipt) const;
  std::optional<std::string> body_of(const Receipt& receipt) const;
  // Returns how long a message waits at least if `settling` gives this delivery back without a delay of its
  // own.
  Duration retry_after(const Receipt& receipt, Settling settling) const;

 private:
  template <class Change>
  void change(const std::string& body, Change&& change);
  void count(const Account& account, int sign);
  // Returns whether the message may come to a queue that gives up what has failed for too long.
  bool may_outlive(const std::string& source) const;
  Account& seen(const std::string& queue, const std::string& body, const MessageId& id);
  void check_way(const Account& account, const std::string& queue, const Delivery& delivery) const;
  // Checks the attributes. Returns what a redrive has written into the message.
  std::optional<std::string> check_attributes(const std::string& body, const Attributes& attributes) const;
  void check_edit(const Account& account, const std::string& body, std::uint32_t replays,
                  const std::optional<std::string>& edited) const;

  std::unordered_map<std::string, Account> accounts_;
  // `unsynced_` has the accounts that have changed since the last sync. Each allows everything that the
  // message was since then.
  std::unordered_map<std::string, Account> unsynced_;
  std::map<std::string, Home> homes_;
  checker::Promises promises_;
  std::map<Receipt, std::string> receipts_;
  std::unordered_set<std::string> found_;
  std::unordered_set<std::string> archived_;
  std::unordered_set<std::string> ever_abandoned_;
  std::unordered_set<std::string> edits_;  // all edits that were asked for
  std::uint64_t certain_ = 0;
  std::uint64_t open_ = 0;
};

}  // namespace holdfast::simulation
