// Oracle is what the parent knows of every message from the child's log, whose calls overlap, and what it
// accepts to find. After a kill, a pending operation may have either outcome, and nothing else is legal.
// checker::Promises judges what holds for every message. The rest here is about calls that overlap, and about
// the records of failures.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/dead_letter.h"
#include "tests/checker/promises.h"
#include "tests/crash/log.h"

namespace holdfast::testing {

// Survivor is a message as it was found after a kill.
struct Survivor {
  std::string key;
  std::string queue;
  MessageId id;
  std::uint32_t replays = 0;
  std::uint32_t charged = 0;  // deliveries, without the one that found it
  std::optional<FailureRecord> record = {};
};

class Oracle {
 public:
  Oracle();

  // Reads a line of the child's log. Lines come in the order in which they were written.
  void read(const LogLine& line);
  // Returns what no order of the calls allows, since the last check. check() returns that too.
  const std::vector<std::string>& impossible() const { return wrong_; }

  // Compares with everything that was found. Returns what is wrong, one line for each. After that, the oracle
  // knows how pending calls ended and how often each message was delivered. It forgets messages that are
  // gone: they may never come back.
  // `transfers` are the rows that transactions have put since the last check. Each maps the key that was sent
  // to the key that was acknowledged for it.
  std::vector<std::string> check(const std::vector<Survivor>& survivors,
                                 const std::map<std::string, std::string>& transfers);

 private:
  // A message lives once in each queue between two redrives.
  struct Life {
    std::string queue;
    std::uint32_t replays;
    friend auto operator<=>(const Life&, const Life&) = default;
  };
  struct Deeds {
    // These are from the last check, if the message was in this life then. The others are from what came
    // since.
    std::uint32_t charged = 0;
    std::optional<FailureRecord> record = {};
    std::vector<std::uint64_t> receives = {};  // settled ones, by their lines of the log
    std::uint32_t spares_tried = 0;            // settled or pending
    std::uint32_t spares_done = 0;             // settled
    std::vector<std::uint64_t> rejects_tried = {};
    std::optional<std::uint64_t> reject_done = {};
    std::vector<std::uint64_t> releases_tried = {};  // charged ones, also from before the last check
  };
  struct Tracked : checker::Fate {
    std::uint32_t acks_pending = 0;
    std::optional<std::uint64_t> acked = {};  // the line of the log that settled the ack
    std::map<Life, Deeds> lives = {};
  };
  using Words = std::vector<std::string>;
  struct Operation {
    Words words;
    std::uint64_t line = 0;  // the line of the log where it began
  };

  void begin(std::uint64_t op, const Words& words);
  void settle(const Operation& operation, std::uint64_t op, const Words& answer);
  void settle_send(const Words& started, const Words& answer);
  void settle_transfer(const Words& started, const Words& answer);
  // Return the life that an operation on one delivery is about, and what was done in it.
  static Life life_of(const Words& words);
  Deeds& deeds_of(const Words& words);
  void received(const Operation& started, const Words& answer);
  void send_begins(const std::string& queue, const std::string& key);
  void send_succeeds(const std::string& key, const std::optional<MessageId>& id);
  void check_durability(const std::string& key, const std::string& asked, const std::string& said);
  static void ack_begins(Tracked& message);
  void ack_ends(const std::string& key, bool done);
  // Notes that the message has come at least so far.
  void reach(Tracked& message, const Life& life) const;

  // Learns from the rows how pending transactions ended.
  void learn_transfers(const std::map<std::string, std::string>& rows);
  std::string judge_found(const Tracked& message, const Survivor& survivor) const;
  // Judges how often a message was charged. It may be charged for the deliveries that were answered before
  // `line`, and for those that may have come before them unseen. Returns an empty text if `charged` is
  // possible.
  std::string judge_count(const Tracked& message, const Life& life, std::uint32_t charged,
                          std::uint64_t line) const;
  // Returns how many deliveries of the queue nobody has seen, at most of one message. They are those of
  // receives without an answer, and those of receives that started again because what they had leased ran out
  // before they could answer.
  std::uint32_t unseen_deliveries(const std::string& queue) const;
  std::string judge_record(const Tracked& message, const Survivor& survivor) const;
  std::string judge_death(const Tracked& message, const Survivor& survivor,
                          const FailureRecord& record) const;
  static std::string judge_reasons(const Deeds& deeds, const Deeds& since, const FailureRecord& record);
  static void learn(Tracked& message, const Survivor& survivor);

  checker::Promises promises_;
  std::map<std::string, Tracked> messages_;
  std::map<std::uint64_t, Operation> pending_;
  std::uint64_t line_ = 0;
  std::vector<std::string> wrong_;
  std::map<std::string, std::string> transfers_;  // settled since the last check
  std::map<std::string, std::uint32_t>
      started_again_;  // how often receives of each queue may have, since then
  std::uint32_t redrives_ = 0;
};

}  // namespace holdfast::testing
