// A sync::Thread is a std::thread with the turns of sync/interleaver.h.
#pragma once

#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/sync/interleaver.h"
#include "holdfast/error.h"

namespace holdfast::sync {

class Thread {
 public:
  Thread() = default;

  // Starts a thread. kOverloaded if no thread can be had.
  static Result<Thread> start(std::function<void()> run) {
    try {
      return Thread(std::move(run));
    } catch (const std::system_error& error) {
      return fail(ErrorCode::kOverloaded, std::string("no thread can be started: ") + error.what());
    }
  }

  // Starts the thread. Throws std::system_error if no thread can be had.
  explicit Thread(std::function<void()> run) {
    if (interleaver == nullptr) {
      native_ = std::thread(std::move(run));
      return;
    }
    player_ = interleaver->add_thread();
    native_ = std::thread([run = std::move(run), turns = interleaver, player = player_]() mutable {
      turns->enter(player);
      run();
      run = nullptr;  // what `run` holds is destroyed while the thread still has its turn
      turns->leave(player);
    });
  }

  bool joinable() const { return native_.joinable(); }
  std::thread::id get_id() const { return native_.get_id(); }
  void join() {
    if (player_ != nullptr && interleaver != nullptr) interleaver->await(player_);
    native_.join();
  }
  void detach() { native_.detach(); }

 private:
  std::thread native_;
  void* player_ = nullptr;
};

}  // namespace holdfast::sync
