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

thread_local void* this_player = nullptr;

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
    void* player = add_thread();
    threads.emplace_back([this, player, &caller] {
      enter(player);
      caller();
      leave(player);
    });
  }
  {
    Lock lock(mutex_);
    // All threads are awaited, so that the first turn does not depend on how fast threads start.
    entered_.wait(lock, [&] {
      return std::ranges::all_of(players_, [](const auto& player) { return player->entered; });
    });
    has_turn_ = players_.size() == 1 ? players_.front().get()
                                     : players_[chooser_.choose(players_.size(), false)].get();
    has_turn_->turn.notify_one();
    all_left_.wait(
        lock, [&] { return std::ranges::all_of(players_, [](const auto& player) { return player->left; }); });
  }
  for (std::thread& thread : threads) thread.join();
}

Turns::Player& Turns::player_of_this_thread() const { return *static_cast<Player*>(this_player); }

std::vector<Turns::Player*> Turns::able() const {
  std::vector<Player*> result;
  for (const auto& player : players_) {
    if (!player->left && player->blocks_on == nullptr) result.push_back(player.get());
  }
  return result;
}

Turns::Player* Turns::next(const Player& from) {
  if (++turns_ > max_turns_)
    stop("the threads take too many turns: they seem to wait for each other for ever");
  std::vector<Player*> candidates = able();
  if (candidates.empty()) {
    // Time passes only when no thread can do anything else.
    for (const auto& player : players_) {
      if (!player->left && player->may_time_out) candidates.push_back(player.get());
    }
    if (candidates.empty()) {
      if (std::ranges::all_of(players_, [](const auto& player) { return player->left; })) return nullptr;
      stop("no thread can go on");
    }
  }
  const auto here = std::ranges::find(candidates, &from);
  const bool may_stay = here != candidates.end() && from.blocks_on == nullptr;
  if (may_stay) std::rotate(candidates.begin(), here, here + 1);
  Player* chosen =
      candidates.size() == 1 ? candidates.front() : candidates[chooser_.choose(candidates.size(), may_stay)];
  if (chosen->blocks_on != nullptr) {
    chosen->blocks_on = nullptr;
    chosen->timed_out = true;
  }
  return chosen;
}

void Turns::pass_on(Lock& lock, Player& from) {
  Player* chosen = next(from);
  if (chosen == &from) return;
  has_turn_ = chosen;
  if (chosen != nullptr) chosen->turn.notify_one();
  if (!from.left) from.turn.wait(lock, [&] { return has_turn_ == &from; });
}

void Turns::pause() {
  Lock lock(mutex_);
  pass_on(lock, player_of_this_thread());
}

bool Turns::block(const void* object, bool may_time_out) {
  Lock lock(mutex_);
  Player& player = player_of_this_thread();
  player.blocks_on = object;
  player.may_time_out = may_time_out;
  player.timed_out = false;
  pass_on(lock, player);
  player.may_time_out = false;
  return !player.timed_out;
}

void Turns::wake(const void* object, bool all) {
  const Lock lock(mutex_);
  std::vector<Player*> waiting;
  for (const auto& player : players_) {
    if (!player->left && player->blocks_on == object) waiting.push_back(player.get());
  }
  if (waiting.empty()) return;
  if (!all && waiting.size() > 1) {
    waiting = {waiting[chooser_.choose(waiting.size(), false)]};
  }
  for (Player* player : waiting) player->blocks_on = nullptr;
}

void* Turns::add_thread() {
  const Lock lock(mutex_);
  players_.push_back(std::make_unique<Player>());
  players_.back()->number = players_.size() - 1;
  return players_.back().get();
}

void Turns::enter(void* player) {
  Lock lock(mutex_);
  Player& entering = *static_cast<Player*>(player);
  this_player = player;
  sync::interleaver = this;
  entering.entered = true;
  entered_.notify_all();
  entering.turn.wait(lock, [&] { return has_turn_ == &entering; });
}

void Turns::leave(void* player) {
  Lock lock(mutex_);
  Player& leaving = *static_cast<Player*>(player);
  leaving.left = true;
  sync::interleaver = nullptr;
  this_player = nullptr;
  for (const auto& other : players_) {
    if (other->blocks_on == player) other->blocks_on = nullptr;
  }
  pass_on(lock, leaving);
  all_left_.notify_all();
}

void Turns::await(void* player) {
  Lock lock(mutex_);
  Player& waiting = player_of_this_thread();
  if (static_cast<Player*>(player)->left) return;
  waiting.blocks_on = player;
  pass_on(lock, waiting);
}

void Turns::stop(const char* why) const {
  (void)std::fprintf(stderr, "interleaving: %s, after %zu turns\nTo repeat it: %s\n", why, turns_,
                     label_.c_str());
  for (const auto& player : players_) {
    (void)std::fprintf(stderr, "  thread %zu: %s\n", player->number,
                       player->left                   ? "has ended"
                       : player->blocks_on == nullptr ? "can go on"
                       : player->may_time_out         ? "waits for some time"
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
