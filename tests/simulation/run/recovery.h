// Recovery ends the process or the machine of a simulation, and goes on after a call that a write failed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tests/simulation/run/run.h"
#include "tests/simulation/run/waiting_receive.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {

class Recovery {
 public:
  Recovery(Run& run, WaitingReceive& waiting) : run_(run), waiting_(waiting) {}

  void reopen();
  // Opens the engine anew after a call answered that a write failed. A power loss may come before that.
  void recover();
  void die();  // the process or the machine dies
  void lose_process();
  void lose_power();
  // Returns how many processes there were before this one.
  std::uint64_t life() const { return life_; }

  void recover_if(const Result<void>& answer);
  // Does what recover_if() does, for a call that may have no other error.
  void recover_from(const char* verb, const Error& error);
  // Calls until the call has its effect. Returns false if a full disk is in the way. Any other error is a
  // violation.
  bool must_happen(const char* verb, const std::function<Result<void>()>& call);
  // Notes an answer. If `synced` is true and the call succeeded, everything before it is on disk.
  template <class T>
  void note_answer(const char* verb, const std::string& queue, const Result<T>& answer, bool synced);

 private:
  Run& run_;
  WaitingReceive& waiting_;
  std::uint64_t life_ = 0;
};

template <class T>
void Recovery::note_answer(const char* verb, const std::string& queue, const Result<T>& answer, bool synced) {
  run_.note(verb, queue, answer ? std::string("ok") : to_string(answer.error()));
  if (answer) {
    if (synced) run_.ledger.synced();
    return;
  }
  // On a full disk, a redrive that was started cannot be waited for. A repetition says so again.
  const bool refused = run_.full && (answer.error().code == ErrorCode::kDiskFull ||
                                     answer.error().code == ErrorCode::kOutcomeUnknown);
  if (refused) return;
  if (answer.error().code != ErrorCode::kStorageFailed)
    throw Violation(std::string(verb) + ": " + to_string(answer.error()));
  recover();
}

}  // namespace holdfast::simulation
