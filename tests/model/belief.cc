#include "tests/model/belief.h"

#include <algorithm>
#include <utility>

namespace holdfast::testing {

Verdict Belief::observe(Event event, bool changes) {
  Verdict verdict;
  std::erase_if(states_, [&](Model& state) {
    Verdict wrong = event(state);
    if (wrong.empty()) return false;
    verdict = std::move(wrong);
    return true;
  });
  if (remember_) events_.push_back({std::move(event), changes});
  return states_.empty() ? verdict : Verdict();
}

void Belief::synced() {
  if (!remember_) return;
  events_.clear();
  synced_ = states_;
}

void Belief::crashed() {
  if (!remember_) return;
  states_.clear();
  for (const Model& base : synced_) {
    std::vector<Model> path{base};
    const bool possible = std::ranges::all_of(events_, [&](const Remembered& next) {
      if (next.changes) path.push_back(path.back());
      return next.event(path.back()).empty();
    });
    if (possible) std::ranges::move(path, std::back_inserter(states_));
  }
  merge();
  events_.clear();
  synced_ = states_;
}

void Belief::merge() {
  std::vector<Model> different;
  for (Model& state : states_) {
    const bool known =
        std::ranges::any_of(different, [&](const Model& other) { return state.equivalent(other); });
    if (!known) different.push_back(std::move(state));
  }
  states_ = std::move(different);
}

}  // namespace holdfast::testing
