// What the parent knows of every message from the child's log, whose calls overlap, and what it then accepts
// to find. After a kill either outcome of a pending operation is legal, and nothing else. What holds for
// every message it asks of checker::Promises; the rest is of what overlaps, and of the records of failures.
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

// A message as it was found after a kill.
struct Survivor {
  std::string key;
  std::string queue;
  MessageId id;
  std::uint32_t replays = 0;
  std::uint32_t charged = 0;  // deliveries without the one that found it
  std::optional<FailureRecord> record = {};
};

class Oracle {
 public:
  Oracle();

  // A line of the child's log, in the order they were written.
  void read(const LogLine& line);
  // What no order of the calls allows, since the last check; it gives that, too.
  const std::vector<std::string>& impossible() const { return wrong_; }

  // Compares with everything that was found. Gives what is wrong, a line each. What was pending and how often
  // each message was delivered is then known, and what is gone forgotten: it may never come back.
  // `transfers`: the rows that transactions have put since the last check, the key that was sent and the one
  // acknowledged for it.
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
    // What the last check found, if it was in this life then. All else is what came since.
    std::uint32_t charged = 0;
    std::optional<FailureRecord> record = {};
    std::vector<std::uint64_t> receives = {};  // settled, the lines of the log
    std::uint32_t spares_tried = 0;            // settled or pending
    std::uint32_t spares_done = 0;             // settled
    std::vector<std::uint64_t> rejects_tried = {};
    std::optional<std::uint64_t> reject_done = {};
    std::vector<std::uint64_t> releases_tried = {};  // charged ones, of before the last check too
  };
  struct Tracked : checker::Fate {
    std::uint32_t acks_pending = 0;
    std::optional<std::uint64_t> acked = {};  // settled, in this line of the log
    std::map<Life, Deeds> lives = {};
  };
  using Words = std::vector<std::string>;
  struct Operation {
    Words words;
    std::uint64_t line = 0;  // of the log, where it began
  };

  void begin(std::uint64_t op, const Words& words);
  void settle(const Operation& operation, std::uint64_t op, const Words& answer);
  void settle_send(const Words& started, const Words& answer);
  void settle_transfer(const Words& started, const Words& answer);
  void settle_message(const Words& started, std::uint64_t op, bool done);
  void received(const Operation& started, const Words& answer);
  void send_begins(const std::string& queue, const std::string& key);
  void send_succeeds(const std::string& key, const std::optional<MessageId>& id);
  void check_durability(const std::string& key, const std::string& asked, const std::string& said);
  static void ack_begins(Tracked& message);
  void ack_ends(const std::string& key, bool done);
  // It has come at least so far.
  void reach(Tracked& message, const Life& life) const;

  // What was pending of transactions is known from their rows.
  void learn_transfers(const std::map<std::string, std::string>& rows);
  std::string judge_found(const Tracked& message, const Survivor& survivor) const;
  // What a message may have been charged of deliveries that were answered before `line`, and of those that
  // may have come before them unseen; empty if it is `charged`.
  std::string judge_count(const Tracked& message, const Life& life, std::uint32_t charged,
                          std::uint64_t line) const;
  // Deliveries of the queue that nobody saw, at most of one message: of receives without an answer, and of
  // those that began anew because what they had leased ran out before they could answer.
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
  std::map<std::string, std::string> transfers_;     // settled since the last check
  std::map<std::string, std::uint32_t> begun_anew_;  // of each queue, how often receives may have, since then
  std::uint32_t redrives_ = 0;
};

}  // namespace holdfast::testing
