// What the engine's state may be. Usually one model. After a crash that lost unsynced writes it is any state
// between the last sync and the crash; each later answer rules out those that do not fit, and one must
// remain.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/model/model.h"

namespace holdfast::testing {

class Belief {
 public:
  // Something that the engine did and answered, as told to a model. Told again to another one after a crash.
  using Event = std::function<Verdict(Model&)>;

  // `remember`: a crash may lose what was not synced; without, it loses nothing.
  explicit Belief(bool remember) : remember_(remember), states_(1), synced_(1) {}

  // The engine's state changed. Gives what is wrong with the event in every state that was still possible.
  Verdict apply(Event event) { return observe(std::move(event), true); }
  // Something was seen that changes nothing in the engine.
  Verdict check(Event event) { return observe(std::move(event), false); }

  // Everything so far is on disk.
  void synced();
  // Whatever was not synced may be gone, the newest first.
  void crashed();

  // Forgets states that have become the same as others.
  void merge();

  // Any of the states that are possible.
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
  std::vector<Remembered> events_;  // since the last sync
};

}  // namespace holdfast::testing
