// What was sent, what was answered and what is pending, message by message; and what one caller may see after
// that, step by step. It knows nothing of how the engine works, only what docs/testing.md says is promised:
// what holds for every message it asks of checker::Promises, the rest is of time, leases and order.
//
// Where the outcome is open (a write that failed, unsynced writes before a power loss) the ledger allows
// both, and the next time the message is seen settles it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/message.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"
#include "tests/checker/promises.h"

namespace holdfast::simulation {

// A promise was broken.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using checker::Certainty;

struct Lease {
  Receipt receipt;
  Timestamp until{};

  friend bool operator==(const Lease&, const Lease&) = default;
};

// One message. Bodies are unique, and name it also where its id is not known.
struct Account : checker::Fate {
  Timestamp visible_at = {};                 // not to be delivered before, in this life
  std::optional<Timestamp> expires_at = {};  // not to be delivered from then on, in this life
  std::optional<Lease> lease = {};
  bool lease_unknown = false;    // another lease may be the valid one, or none
  bool prefetched = false;       // the lease is of a delivery that is not charged yet
  Duration renewal = {};         // how long the lease is at least from its begin on
  Duration retry = {};           // how long it waits at least if the delivery that holds it fails
  std::uint32_t deliveries = 0;  // charged in this life; at least
  std::uint32_t most_deliveries = 0;
  std::string group = {};
  std::uint32_t priority = 0;
  bool prompt = false;     // sent without a delay
  bool fleeting = false;   // it may be dropped whenever nobody holds it
  bool abandoned = false;  // retention may take it whenever nobody holds it, into the archive
  bool moved = false;      // it may have died or come back, so its place in its group is not known
  bool redriven = false;   // and has not moved since
  bool restless = false;   // it may die without anybody's doing: it expires, or makes room
  // What a redrive has written into the attribute kEditedAttribute, if one did. Each edit is a replay, so as
  // long as the replays are the same, so is this.
  std::optional<std::string> edited = {};
  bool edit_unknown = false;

  // Both are possible.
  static Account either(const Account& a, const Account& b);
};

enum class Settling : std::uint8_t { kAck, kRelease, kReleaseUncharged, kReject, kDiscard, kExtend, kStart };

// What a message with this body is sent with: some have an attribute.
Attributes sent_with(const std::string& body);
// That redrives set.
inline constexpr const char* kEditedAttribute = "edited";

// What the ledger knows of a queue.
struct Home {
  checker::Promises::Queue promised = {};
  std::uint32_t max_deliveries = 0;  // the least that a message may have died after
  bool dead_letters = false;
  bool brakes = false;     // a failed delivery may not be charged
  RetryPolicy retry = {};  // how long a message waits after a failed delivery
  bool archives = false;   // what failed for too long is given up: retention takes it into the archive
};

class Ledger {
 public:
  void declare(const std::string& queue, Home home);

  // `answered`: whether the call is known to have had its effect.
  void sent(const std::string& body, Account account, bool answered);
  // `begun`: it is charged already. The engine's own time lies between `earliest` and `now`.
  void delivered(const std::string& queue, const Delivery& delivery, bool started, Timestamp earliest,
                 Timestamp now);
  // It was looked at where it is.
  struct Sight {
    std::string body;
    MessageId id = {};
    std::uint32_t replays = 0;
    Attributes attributes = {};
  };
  void shown(const std::string& queue, const Sight& sight);

  // Of an ordered queue: the message was sent behind the earlier ones of its group.
  void lined_up(const std::string& queue, const std::string& group, const std::string& body) {
    lines_[{queue, group}].push_back(body);
  }
  // What one receive of an ordered queue gave, before it is told to delivered(): nothing came before its
  // turn, nor while another delivery holds its group. A message may have died after `max_deliveries`.
  void check_order(const std::string& queue, const Deliveries& deliveries, Timestamp now,
                   std::uint32_t max_deliveries) const;
  // What one receive of a queue with strict priorities gave, before it is told to delivered(): no message was
  // overtaken by one of a lower level while both were there and fresh.
  void check_priorities(const std::string& queue, const Deliveries& deliveries) const;
  // A call with a receipt that a delivery gave. `until`: the lease's new end, or the end of the delay; of a
  // begin, when the lease began anew at the earliest.
  void settled(const Receipt& receipt, Settling settling, const Result<void>& answer, Timestamp now,
               Timestamp until = {});
  // It may be gone: an expiry or an overflow that drops.
  void may_drop(const std::string& body);
  // Retention may take it whenever nobody holds it.
  void abandoned(const std::string& body);
  // It was given another status, so retention may take it no more. It may be in the archive all the same:
  // what was written there may have stayed in its queue.
  void taken_up(const std::string& body);
  // Retention wrote it into its archive, maybe more than once.
  void archived(const std::string& body, const Attributes& attributes);
  // It is gone, though nobody held it: a dead letter was discarded.
  void discarded(const std::string& body, Timestamp now);
  // The queue that each of some messages lies in, by their bodies.
  using Places = std::unordered_map<std::string, std::string>;
  // All that may be there may be gone. `dead`: dead letters that no redrive takes out of their queues.
  void purged(const std::string& queue, const Places& dead);
  // Its queue was deleted, with it if it was there.
  void deleted(const std::string& body);
  // Redrives that are asked for from now on may write this into a message.
  void may_edit(const RedriveEdit& edit);
  // It was moved back to where it was sent, for the `replays`th time.
  void redriven(const std::string& body, std::uint32_t replays, const RedriveEdit& edit);
  // A dead letter that was discarded was brought back, or may have been.
  void imported(const std::string& queue, const std::string& body, bool answered);
  // It was sent anew: where it stands in its group is not known.
  void lost_its_place(const std::string& body);
  // A receive there failed: what it handed out is nobody's, and held all the same.
  void may_be_leased(const std::string& queue, Timestamp now);

  // The number of a call that may say why deliveries of these failed: said_of() it.
  std::uint64_t may_say(const std::vector<Receipt>& receipts);
  static std::string said_of(std::uint64_t call) { return "said in call " + std::to_string(call); }
  // The record of a dead letter: each failure that is told was said of this message, and each charged release
  // has said why.
  void check_said(const std::string& body, const FailureRecord& record) const;

  // Everything so far is on disk.
  void synced() { unsynced_.clear(); }
  // The machine died: what was not synced may be lost, the newest first.
  void crashed();
  // The directory was salvaged: no receipt of before settles anything.
  void salvaged();

  // How many messages there must be and may be.
  struct Bounds {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  Bounds live() const { return {certain_, certain_ + open_}; }

  // The message was taken out for good, at the end.
  void found(const std::string& body);
  // After everything was taken out and the archive was read: nothing is missing, nothing was double.
  void all_found();

  const Account& account(const std::string& body) const { return accounts_.at(body); }
  // Nor is it free at once when its lease runs out.
  bool may_be_held(const std::string& body) const;
  // The receipt is of a delivery that holds its message, whatever was lost.
  bool surely_holds(const Receipt& receipt, Timestamp now) const;
  // The receipt may be of one.
  bool may_hold(const Receipt& receipt) const;
  std::optional<std::string> body_of(const Receipt& receipt) const;
  // How long a message waits at least that this delivery's `settling` gives back without a delay of its own.
  Duration retry_after(const Receipt& receipt, Settling settling) const;

 private:
  template <class Change>
  void change(const std::string& body, Change&& change);
  void count(const Account& account, int sign);
  // Whether it may come to a queue that gives up what failed for too long.
  bool may_outlive(const std::string& source) const;
  Account& seen(const std::string& queue, const std::string& body, const MessageId& id);
  void check_way(const Account& account, const std::string& queue, const Delivery& delivery) const;
  // Gives what a redrive has written into it.
  std::optional<std::string> check_attributes(const std::string& body, const Attributes& attributes) const;
  void check_edit(const Account& account, const std::string& body, std::uint32_t replays,
                  const std::optional<std::string>& edited) const;

  std::unordered_map<std::string, Account> accounts_;
  // Changed since the last sync: all that each was since then, in one.
  std::unordered_map<std::string, Account> unsynced_;
  std::map<std::string, Home> homes_;
  checker::Promises promises_;
  std::map<Receipt, std::string> receipts_;
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> lines_;  // bodies, as sent
  std::unordered_set<std::string> found_;
  std::unordered_set<std::string> archived_;
  std::unordered_set<std::string> ever_abandoned_;
  std::unordered_set<std::string> edits_;              // that were asked for
  std::vector<std::unordered_set<std::string>> said_;  // of which messages, in each call that says why
  std::uint64_t certain_ = 0;
  std::uint64_t open_ = 0;
};

}  // namespace holdfast::simulation
