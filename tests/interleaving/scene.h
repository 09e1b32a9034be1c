// A Scene is an engine in memory and its callers, under every interleaving with a bounded number of
// preemptions. What is done before the callers begin, and after they have ended, takes turns in one fixed
// order.
//
// Each call is answered once, or the walk ends the process, since Turns notices that no thread can go on.
// What an answer claims to have become of a message is looked up in another engine. That engine has what
// would be left if the machine had lost its power at that moment or, for a buffered answer, if the process
// had died.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/sync/condition_variable.h"
#include "engine/sync/mutex.h"
#include "holdfast/archive_sink.h"
#include "holdfast/engine.h"
#include "tests/interleaving/remembering_store.h"
#include "tests/interleaving/turns.h"
#include "tests/support/manual_clock.h"

namespace holdfast::testing {

// Places are the queues in which messages are, by their bodies. A message that is in none is in kGone.
using Places = std::map<std::string, std::string>;
inline constexpr const char* kGone = "(gone)";
// Returns where the messages are. A message that is in two places is a failure.
Places places_of(Engine& engine);

struct Claim {
  std::size_t commits = 0;  // how many commits are left
  std::string body;
  std::set<std::string> places;  // the message is in one of these
  friend auto operator<=>(const Claim&, const Claim&) = default;
};

struct Scenario;

class Scene {
 public:
  // `before` are the commits that the store on the disk had before.
  Scene(const std::vector<MemoryCommit>& before, const Scenario& scenario);

  Engine& engine() { return *engine_; }
  ManualClock clock;

  // Says that a call, or the callback of one, is to answer `what`. answered() says that it has.
  void asked(const std::string& what);
  void answered(const std::string& what);
  // Makes a call with a blocking verb, and returns its answer.
  template <class Verb>
  auto call(const std::string& what, Verb verb) {
    asked(what);
    auto result = verb();
    answered(what);
    return result;
  }
  // Makes a callback that takes the answer and notes that it came.
  template <class Take>
  auto callback(const std::string& what, Take take) {
    asked(what);
    return [this, what, take = std::move(take)](auto answer) {
      take(std::move(answer));
      answered(what);
    };
  }
  void wait_for_answers();
  void check_answers() const;

  // Claims that what was asked with this durability has had its effect. The caller does so where the answer
  // arrives.
  void claim(Durability asked, const std::string& body, std::set<std::string> places);

  void fail_writes() { memory_->fails = true; }
  // Lets time pass, and does what is due.
  void advance(Duration step);

  // --- verbs that scenes have in common ---

  void send(const std::string& queue, const std::string& body, Durability durability);
  void async_send(const std::string& queue, const std::string& body, Durability durability);
  // Receives, and notes in `got` what came.
  void receive(const std::string& queue, Duration wait);
  Engine::ReceiveToken async_receive(const std::string& queue, Duration wait);
  // Receives the one message that is there.
  Delivery take(const std::string& queue);

  struct Got {
    std::vector<std::string> bodies = {};
    std::map<ErrorCode, int> errors = {};
    int empty = 0;
  };
  Got got;                               // what receives that wait have got
  std::map<std::string, Delivery> held;  // for scenes
  std::set<std::string> done;            // for scenes

  const std::vector<Claim>& claims() const { return claims_; }
  const std::vector<MemoryCommit>& commits() const { return memory_->commits; }

 private:
  void note(Result<Deliveries> deliveries);

  const std::shared_ptr<RememberingStore::Memory> memory_;
  std::optional<Engine> engine_;
  sync::Mutex mutex_;
  sync::ConditionVariable all_answered_;
  std::map<std::string, int> asked_;
  std::map<std::string, int> answers_;
  int open_ = 0;
  std::vector<Claim> claims_;
};

struct Scenario {
  std::size_t preemptions = 1;
  std::function<void(Engine&)> queues;  // creates what the engine has; called once for all runs
  std::function<void(Scene&)> prepare = {};
  std::vector<std::function<void(Scene&)>> callers;
  // `check` is called once all callers have ended and are answered. The engine may be closed.
  std::function<void(Scene&)> check;
  bool background = false;  // the engine's own thread takes part
  std::shared_ptr<ArchiveSink> archive = {};
};

// Explores a scenario, and prints how many interleavings there were.
void explore(const Scenario& scenario);

}  // namespace holdfast::testing
