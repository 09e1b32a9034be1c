// Runs threads one at a time, and decides at each operation of engine/sync whose turn is next. So a test owns
// the interleaving: it can walk through all of them, or replay one.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/sync/interleaver.h"

namespace holdfast::testing {

// Decides whose turn is next.
class Chooser {
 public:
  virtual ~Chooser() = default;
  // Returns an index below `count`, which is at least two. If `may_stay` is true, index 0 is the thread that
  // has the turn and could go on, and any other choice preempts it. Otherwise all choices are equal: the
  // thread that had the turn has ended or blocks, or a notification chooses which of its waiters to wake.
  virtual std::size_t choose(std::size_t count, bool may_stay) = 0;
};

// One run of some threads. If no thread can go on, or if they take more than `max_turns`, it ends the process
// with the trace: a test's threads could not be ended in another way.
class Turns final : public sync::Interleaver {
 public:
  // `label` tells in a failure how to repeat the run. `chooser` must outlive this object.
  Turns(Chooser& chooser, std::string label, std::size_t max_turns = 200'000);
  ~Turns() override;

  // Runs the functions as threads side by side, with all threads that they start. Returns once all have
  // ended.
  void run(const std::vector<std::function<void()>>& callers);

  std::size_t turns() const { return turns_; }

  void pause() override;
  bool block(const void* object, bool may_time_out) override;
  void wake(const void* object, bool all) override;
  void* add_thread() override;
  void enter(void* player) override;
  void leave(void* player) override;
  void await(void* player) override;

 private:
  struct Player {
    std::size_t number = 0;
    bool entered = false;  // the thread has come to its first turn
    bool left = false;
    const void* blocks_on = nullptr;  // null: the thread can go on
    bool may_time_out = false;
    bool timed_out = false;
    std::condition_variable turn;
  };
  using Lock = std::unique_lock<std::mutex>;

  Player& player_of_this_thread() const;
  std::vector<Player*> able() const;
  // Gives the turn to a thread that can go on, which may be `from`. Returns once `from` has the turn again.
  void pass_on(Lock& lock, Player& from);
  Player* next(const Player& from);
  [[noreturn]] void stop(const char* why) const;

  Chooser& chooser_;
  const std::string label_;
  const std::size_t max_turns_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Player>> players_;
  Player* has_turn_ = nullptr;
  std::size_t turns_ = 0;
  std::condition_variable entered_;
  std::condition_variable all_left_;
};

// Walks through all interleavings with a bounded number of preemptions, depth first:
//
//   Exhaustive walk(2);
//   do { Turns turns(walk, walk.label()); ... turns.run(...); } while (walk.next());
class Exhaustive final : public Chooser {
 public:
  explicit Exhaustive(std::size_t max_preemptions) : max_preemptions_(max_preemptions) {}

  std::size_t choose(std::size_t count, bool may_stay) override;
  // Prepares the next run. Returns false if there is none.
  bool next();
  std::size_t runs() const { return runs_; }
  std::string label() const;

 private:
  struct Choice {
    std::size_t taken;
    std::size_t count;
    bool may_stay;
  };
  const std::size_t max_preemptions_;
  std::vector<Choice> path_;
  std::size_t depth_ = 0;
  std::size_t preemptions_ = 0;
  std::size_t runs_ = 1;
};

// Draws each turn from a seed. A thread keeps its turn nine times out of ten, so that long stretches meet
// too.
class RandomTurns final : public Chooser {
 public:
  explicit RandomTurns(std::uint64_t seed) : seed_(seed), state_(seed) {}

  std::size_t choose(std::size_t count, bool may_stay) override;
  std::string label() const { return "seed " + std::to_string(seed_); }

 private:
  std::uint64_t draw();
  const std::uint64_t seed_;
  std::uint64_t state_;
};

}  // namespace holdfast::testing
