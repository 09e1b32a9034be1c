// What `dlq watch` shows, and what the keys do. Knows neither terminal nor broker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter_query.h"
#include "holdfast/dead_letter_statistics.h"
#include "holdfast/queue.h"
#include "holdfast/statistics.h"
#include "tools/cli/terminal/terminal.h"
#include "tools/cli/views/keys.h"

namespace holdfast::command {

// What is to be looked at.
struct WatchRequest {
  DeadLetterFilter filter = {};
  std::size_t wanted = 200;        // of the newest that the filter lets through
  std::optional<Seq> detail = {};  // this one with everything

  friend bool operator==(const WatchRequest&, const WatchRequest&) = default;
};

// What was seen.
struct WatchSeen {
  Timestamp at{};
  QueueInfo info;
  DeadLetterStatistics statistics;
  QueueStatistics rates;
  DeadLetterGroups groups;
  std::vector<DeadLetter> letters = {};  // newest first
  bool filtered = false;                 // letters and groups are those that a filter lets through
  bool more = false;                     // there may be more than these
  std::optional<DeadLetter> detail = {};
};

// What a person asks to be done to dead letters.
struct WatchChange {
  enum class Kind : std::uint8_t { kAssign, kRedrive, kAbandon };
  Kind kind = Kind::kAssign;
  DeadLetterFilter which = {};
  bool several = false;  // all that look alike, instead of one
  std::string assignee = {};
};

// `base` narrowed by what a person typed: "category=timeout status=new no answer", where words without a name
// are a part of the reason. kInvalidArgument.
Result<DeadLetterFilter> narrowed(const DeadLetterFilter& base, std::string_view typed);

// The lines above the lists: totals, rates, and the alerts that hold.
std::vector<std::string> watch_heads(const WatchSeen& seen, const Screen& screen);

class WatchView {
 public:
  // `filter`: that no key takes away; `actor`: to whom letters are assigned unless somebody else is typed.
  WatchView(DeadLetterFilter filter, std::string actor);

  // What is looked at next.
  const WatchRequest& request() const { return request_; }
  // After each look: what was chosen stays so, wherever it is now. Whether to look again at once: more is
  // read on the way to the end.
  bool take(const WatchSeen& seen);

  enum class Outcome : std::uint8_t {
    kDraw,    // nothing but what is shown has changed
    kLook,    // request() has changed
    kChange,  // change() is to be done
    kQuit,
  };
  Outcome press(const Key& key, const WatchSeen& seen);
  const WatchChange& change() const { return change_; }

  // What came of it, for the person.
  void say(std::string text) { said_ = std::move(text); }

  // No more lines, and none longer, than the screen has room for. `trouble`: why what was seen is old.
  std::vector<std::string> lines(const WatchSeen& seen, const Screen& screen, Timestamp now,
                                 const std::string& trouble);

 private:
  enum class Mode : std::uint8_t { kLetters, kGroups, kDetail, kFilter, kAssign, kConfirm };

  Outcome press_in_list(const Key& key, const WatchSeen& seen);
  Outcome press_in_detail(const Key& key);
  Outcome press_in_prompt(const Key& key, const WatchSeen& seen);
  Outcome confirm(const Key& key);
  Outcome open(const WatchSeen& seen);
  Outcome ask(const Key& key, const WatchSeen& seen);
  Outcome end_filter(std::string_view typed);
  Outcome move(const Key& key, const WatchSeen& seen);
  Outcome read_on(const WatchSeen& seen);
  void erase(const Key& key);
  bool is_prompt() const {
    return mode_ == Mode::kFilter || mode_ == Mode::kAssign || mode_ == Mode::kConfirm;
  }
  bool shows_groups() const { return (is_prompt() ? before_prompt_ : mode_) == Mode::kGroups; }
  bool shows_detail() const { return (is_prompt() ? before_prompt_ : mode_) == Mode::kDetail; }
  std::size_t count(const WatchSeen& seen) const;
  std::vector<std::string> list_body(const WatchSeen& seen, const Screen& screen, std::size_t rows,
                                     Timestamp now);
  std::vector<std::string> detail_body(const WatchSeen& seen, const Screen& screen, std::size_t rows,
                                       Timestamp now);
  std::string last_line(const WatchSeen& seen) const;

  const DeadLetterFilter base_;
  const std::string actor_;
  WatchRequest request_;
  Mode mode_ = Mode::kLetters;
  Mode before_prompt_ = Mode::kLetters;
  std::size_t chosen_ = 0;            // row
  std::optional<Seq> chosen_letter_;  // in the row, once a key has chosen it
  bool to_end_ = false;               // more is read until the last letter is chosen, or a key is pressed
  std::size_t top_ = 0;               // the first row that is shown
  std::size_t page_ = 10;             // rows that were shown last
  std::size_t detail_top_ = 0;
  std::string input_;         // what is typed at a prompt
  bool is_proposed_ = false;  // input_ is a proposal, in whose place goes what is typed
  std::string question_;      // of it
  std::string filter_text_;   // as it was typed
  WatchChange change_;
  std::string said_;
};

}  // namespace holdfast::command
