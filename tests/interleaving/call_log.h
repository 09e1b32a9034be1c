// CallLog has a round's calls as the oracle reads them. It also knows which answers a power loss may undo.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/message.h"
#include "tests/crash/log.h"

namespace holdfast::testing {

class CallLog {
 public:
  // `first` is the number of the first call.
  explicit CallLog(std::uint64_t first) : next_(first) {}

  std::uint64_t begin(std::vector<std::string> words) {
    started_at_[next_] = lines_.size();
    lines_.push_back({.settled = false, .op = next_, .words = std::move(words)});
    return next_++;
  }
  // Notes an answer. `is` is how safe the answer says that the call's effect is.
  void settle(std::uint64_t op, std::vector<std::string> words, Durability is) {
    // Commits are written in order. So if this one is on disk, everything that was answered before it began
    // is on disk too.
    if (is == Durability::kFsync) {
      safe_to_ = std::max(safe_to_, started_at_.at(op));
      safe_.insert(lines_.size());
    }
    lines_.push_back({.settled = true, .op = op, .words = std::move(words)});
  }
  // Notes a refusal: the call has no effect, whatever is lost.
  void refuse(std::uint64_t op, std::string error) {
    safe_.insert(lines_.size());
    lines_.push_back({.settled = true, .op = op, .words = {std::move(error)}});
  }

  const std::vector<LogLine>& lines() const { return lines_; }
  // Returns the lines without the answers that a power loss may have taken back.
  std::vector<LogLine> after_power_loss() const {
    std::vector<LogLine> result;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].settled || i < safe_to_ || safe_.contains(i)) result.push_back(lines_[i]);
    }
    return result;
  }

 private:
  std::uint64_t next_;
  std::vector<LogLine> lines_;
  std::map<std::uint64_t, std::size_t> started_at_;
  std::set<std::size_t> safe_;  // lines that stay
  std::size_t safe_to_ = 0;     // lines before this one stay
};

}  // namespace holdfast::testing
