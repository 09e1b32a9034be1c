// A Belief says what the engine's state may be. Usually that is one model. After a crash that lost unsynced
// writes it is any state between the last sync and the crash. Each later answer rules out the states that it
// does not fit, and one state must remain.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/model.h"

namespace holdfast::testing {

class Belief {
 public:
  // Event is something that the engine did and answered. It is told to a model, and again to other models
  // after a crash.
  using Event = std::function<Verdict(Model&)>;

  // If `remember` is true, a crash may lose what was not synced. Otherwise it loses nothing.
  explicit Belief(bool remember) : remember_(remember), states_(1), synced_(1) {}

  // Tells that the engine's state has changed. Returns what is wrong with the event if no possible state
  // allows it, or else an empty text.
  Verdict apply(Event event) { return observe(std::move(event), true); }
  // Tells that something was seen, which changes nothing in the engine. Returns what apply() returns.
  Verdict check(Event event) { return observe(std::move(event), false); }

  // Tells that everything so far is on disk.
  void synced();
  // Tells that whatever was not synced may be gone, the newest first.
  void crashed();

  // Forgets states that no answer can tell from others any more.
  void merge();

  // Returns any of the possible states.
  const Model& any() const { return states_.front(); }

 private:
  struct Remembered {
    Event event;
    bool changes;
  };
  Verdict observe(Event event, bool changes);

  bool remember_;
  std::vector<Model> states_;
  std::vector<Model> synced_;
  std::vector<Remembered> events_;  // the events since the last sync
};

}  // namespace holdfast::testing
