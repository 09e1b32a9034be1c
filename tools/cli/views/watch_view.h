// WatchView has what `dlq watch` shows, and what its keys do. It knows neither terminal nor broker.
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
#include "tools/cli/views/pressed_keys.h"

namespace holdfast::command {

// Says what must be looked at.
struct WatchRequest {
  DeadLetterFilter filter = {};
  std::size_t wanted = 200;        // how many of the newest dead letters that pass the filter
  std::optional<Seq> detail = {};  // a dead letter to show with everything

  friend bool operator==(const WatchRequest&, const WatchRequest&) = default;
};

// WatchSeen is what a look has seen.
struct WatchSeen {
  Timestamp at{};
  QueueInfo info;
  DeadLetterStatistics statistics;
  QueueStatistics rates;
  DeadLetterGroups groups;
  std::vector<DeadLetter> letters = {};  // newest first
  bool filtered = false;                 // a filter chose the letters and the groups
  bool more = false;                     // there may be more letters than these
  std::optional<DeadLetter> detail = {};
};

// WatchChange is a change of dead letters that a person asks for.
struct WatchChange {
  enum class Kind : std::uint8_t { kAssign, kRedrive, kAbandon };
  Kind kind = Kind::kAssign;
  DeadLetterFilter which = {};
  bool several = false;  // it concerns all dead letters that look alike, and not a single one
  std::string assignee = {};
};

// Narrows `base` by what a person typed, such as "category=timeout status=new no answer". Words without a
// name are a part of the reason. kInvalidArgument.
Result<DeadLetterFilter> narrowed(const DeadLetterFilter& base, std::string_view typed);

// Returns the lines above the lists: totals, rates, and the alerts that hold.
std::vector<std::string> watch_heads(const WatchSeen& seen, const Screen& screen);

class WatchView {
 public:
  // No key takes away `filter`. Letters are assigned to `actor` unless somebody else is typed.
  WatchView(DeadLetterFilter filter, std::string actor);

  // Returns what to look at next.
  const WatchRequest& request() const { return request_; }
  // Takes what a look has seen. What was chosen stays chosen, wherever it is now. Returns whether to look
  // again at once, since more is read on the way to the end.
  bool take(const WatchSeen& seen);

  enum class Outcome : std::uint8_t {
    kDraw,    // only the display has changed
    kLook,    // request() has changed
    kChange,  // change() must be carried out
    kQuit,
  };
  Outcome press(const Key& key, const WatchSeen& seen);
  const WatchChange& change() const { return change_; }

  // Sets what the person is told about the outcome of a change.
  void say(std::string text) { said_ = std::move(text); }

  // Returns the lines, which fit the screen in number and length. `trouble` says why what was seen is old.
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
  void hold_group(const WatchSeen& seen);
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
  std::size_t chosen_ = 0;            // the row
  std::optional<Seq> chosen_letter_;  // the letter in the row, once a key has chosen it
  std::string chosen_group_;          // the group in the row, by its value; empty if none was seen
  bool to_end_ = false;               // more is read until the last letter is chosen or a key is pressed
  std::size_t top_ = 0;               // the first row that is shown
  std::size_t page_ = 10;             // how many rows were shown last
  std::size_t detail_top_ = 0;
  std::string input_;         // what is typed at a prompt
  bool is_proposed_ = false;  // input_ is a proposal, which typing replaces
  std::string question_;      // the question of a prompt
  std::string filter_text_;   // the filter as it was typed
  WatchChange change_;
  std::string said_;
};

}  // namespace holdfast::command
