#include "tests/interleaving/turns.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include "engine/base/helpers/split_mix.h"

namespace holdfast::testing {
namespace {

thread_local void* this_seat = nullptr;

// Keeps this thread, and the threads that it starts later, on one core. Only one thread has the turn at a
// time, so a second core would be woken for nothing: a walk takes half the time on one core.
void stay_on_this_core() {
  cpu_set_t core;
  CPU_ZERO(&core);
  CPU_SET(sched_getcpu(), &core);
  (void)sched_setaffinity(0, sizeof core, &core);
}

}  // namespace

Turns::Turns(Chooser& chooser, std::string label, std::size_t max_turns)
    : chooser_(chooser), label_(std::move(label)), max_turns_(max_turns) {}

Turns::~Turns() = default;

void Turns::run(const std::vector<std::function<void()>>& callers) {
  static const bool stays = (stay_on_this_core(), true);
  (void)stays;
  std::vector<std::thread> threads;
  for (const auto& caller : callers) {
    void* seat = add_thread();
    threads.emplace_back([this, seat, &caller] {
      enter(seat);
      caller();
      leave(seat);
    });
  }
  {
    Lock lock(mutex_);
    // All threads are awaited, so that the first turn does not depend on how fast threads start.
    entered_.wait(
        lock, [&] { return std::ranges::all_of(seats_, [](const auto& seat) { return seat->entered; }); });
    has_turn_ =
        seats_.size() == 1 ? seats_.front().get() : seats_[chooser_.choose(seats_.size(), false)].get();
    has_turn_->turn.notify_one();
    all_left_.wait(lock,
                   [&] { return std::ranges::all_of(seats_, [](const auto& seat) { return seat->left; }); });
  }
  for (std::thread& thread : threads) thread.join();
}

Turns::Seat& Turns::seat_of_this_thread() const { return *static_cast<Seat*>(this_seat); }

std::vector<Turns::Seat*> Turns::able() const {
  std::vector<Seat*> result;
  for (const auto& seat : seats_) {
    if (!seat->left && seat->blocks_on == nullptr) result.push_back(seat.get());
  }
  return result;
}

Turns::Seat* Turns::next(const Seat& from) {
  if (++turns_ > max_turns_)
    stop("the threads take too many turns: they seem to wait for each other for ever");
  std::vector<Seat*> candidates = able();
  if (candidates.empty()) {
    // Time passes only when no thread can do anything else.
    for (const auto& seat : seats_) {
      if (!seat->left && seat->may_time_out) candidates.push_back(seat.get());
    }
    if (candidates.empty()) {
      if (std::ranges::all_of(seats_, [](const auto& seat) { return seat->left; })) return nullptr;
      stop("no thread can go on");
    }
  }
  const auto here = std::ranges::find(candidates, &from);
  const bool may_stay = here != candidates.end() && from.blocks_on == nullptr;
  if (may_stay) std::rotate(candidates.begin(), here, here + 1);
  Seat* chosen =
      candidates.size() == 1 ? candidates.front() : candidates[chooser_.choose(candidates.size(), may_stay)];
  if (chosen->blocks_on != nullptr) {
    chosen->blocks_on = nullptr;
    chosen->timed_out = true;
  }
  return chosen;
}

void Turns::pass_on(Lock& lock, Seat& from) {
  Seat* chosen = next(from);
  if (chosen == &from) return;
  has_turn_ = chosen;
  if (chosen != nullptr) chosen->turn.notify_one();
  if (!from.left) from.turn.wait(lock, [&] { return has_turn_ == &from; });
}

void Turns::pause() {
  Lock lock(mutex_);
  pass_on(lock, seat_of_this_thread());
}

bool Turns::block(const void* object, bool may_time_out) {
  Lock lock(mutex_);
  Seat& seat = seat_of_this_thread();
  seat.blocks_on = object;
  seat.may_time_out = may_time_out;
  seat.timed_out = false;
  pass_on(lock, seat);
  seat.may_time_out = false;
  return !seat.timed_out;
}

void Turns::wake(const void* object, bool all) {
  const Lock lock(mutex_);
  std::vector<Seat*> waiting;
  for (const auto& seat : seats_) {
    if (!seat->left && seat->blocks_on == object) waiting.push_back(seat.get());
  }
  if (waiting.empty()) return;
  if (!all && waiting.size() > 1) {
    waiting = {waiting[chooser_.choose(waiting.size(), false)]};
  }
  for (Seat* seat : waiting) seat->blocks_on = nullptr;
}

void* Turns::add_thread() {
  const Lock lock(mutex_);
  seats_.push_back(std::make_unique<Seat>());
  seats_.back()->number = seats_.size() - 1;
  return seats_.back().get();
}

void Turns::enter(void* seat) {
  Lock lock(mutex_);
  Seat& entering = *static_cast<Seat*>(seat);
  this_seat = seat;
  sync::interleaver = this;
  entering.entered = true;
  entered_.notify_all();
  entering.turn.wait(lock, [&] { return has_turn_ == &entering; });
}

void Turns::leave(void* seat) {
  Lock lock(mutex_);
  Seat& leaving = *static_cast<Seat*>(seat);
  leaving.left = true;
  sync::interleaver = nullptr;
  this_seat = nullptr;
  for (const auto& other : seats_) {
    if (other->blocks_on == seat) other->blocks_on = nullptr;
  }
  pass_on(lock, leaving);
  all_left_.notify_all();
}

void Turns::await(void* seat) {
  Lock lock(mutex_);
  Seat& waiting = seat_of_this_thread();
  if (static_cast<Seat*>(seat)->left) return;
  waiting.blocks_on = seat;
  pass_on(lock, waiting);
}

void Turns::stop(const char* why) const {
  (void)std::fprintf(stderr, "interleaving: %s, after %zu turns\nTo repeat it: %s\n", why, turns_,
                     label_.c_str());
  for (const auto& seat : seats_) {
    (void)std::fprintf(stderr, "  thread %zu: %s\n", seat->number,
                       seat->left                   ? "has ended"
                       : seat->blocks_on == nullptr ? "can go on"
                       : seat->may_time_out         ? "waits for some time"
                                                    : "waits");
  }
  (void)std::fflush(stderr);
  std::abort();
}

std::size_t Exhaustive::choose(std::size_t count, bool may_stay) {
  if (may_stay && preemptions_ == max_preemptions_) return 0;
  if (depth_ == path_.size()) path_.push_back({0, count, may_stay});
  const Choice& choice = path_[depth_++];
  if (choice.count != count || choice.may_stay != may_stay) {
    (void)std::fprintf(
        stderr,
        "interleaving: the run does not repeat itself; what its threads do must depend on nothing else\n");
    std::abort();
  }
  if (may_stay && choice.taken != 0) ++preemptions_;
  return choice.taken;
}

bool Exhaustive::next() {
  depth_ = 0;
  preemptions_ = 0;
  while (!path_.empty() && path_.back().taken + 1 == path_.back().count) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().taken;
  ++runs_;
  return true;
}

std::string Exhaustive::label() const {
  std::string result = "run " + std::to_string(runs_) + " of at most " + std::to_string(max_preemptions_) +
                       " preemptions, whose choices are";
  for (const Choice& choice : path_) result += " " + std::to_string(choice.taken);
  return result;
}

std::uint64_t RandomTurns::draw() { return split_mix(state_ += kSplitMixStep); }

std::size_t RandomTurns::choose(std::size_t count, bool may_stay) {
  if (may_stay && draw() % 10 != 0) return 0;
  return draw() % count;
}

}  // namespace holdfast::testing
