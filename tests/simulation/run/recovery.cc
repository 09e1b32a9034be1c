#include "tests/simulation/run/recovery.h"

namespace holdfast::simulation {

void Recovery::reopen() {
  ++life_;
  run_.note("the engine is opened again");
  if (run_.world->reopen()) {
    run_.ledger.synced();
  } else {
    recover();
  }
}

void Recovery::recover() {
  run_.mark(Mark::kWriteFailed);
  die();
}

void Recovery::die() { run_.random.one_in(2) ? lose_process() : lose_power(); }

void Recovery::lose_process() {
  ++life_;
  run_.note("the process dies");
  run_.world->kill();
  (void)waiting_.end_wait();
  // The opening's own commits are fsynced, so everything that was there stays.
  run_.ledger.synced();
}

void Recovery::lose_power() {
  ++life_;
  run_.note("the machine dies");
  const bool salvaged = run_.world->cut_power();
  (void)waiting_.end_wait();  // the waiting receive was answered before
  run_.ledger.crashed();
  if (salvaged) run_.ledger.salvaged();
  run_.ledger.synced();
}

void Recovery::recover_if(const Result<void>& answer) {
  if (!answer && answer.error().code == ErrorCode::kStorageFailed) recover();
}

void Recovery::recover_from(const char* verb, const Error& error) {
  if (error.code != ErrorCode::kStorageFailed) throw Violation(std::string(verb) + ": " + to_string(error));
  recover();
}

bool Recovery::must_happen(const char* verb, const std::function<Result<void>()>& call) {
  for (;;) {
    const Result<void> answer = call();
    run_.note(verb, answer);
    if (answer) break;
    if (run_.full && answer.error().code == ErrorCode::kDiskFull) return false;
    recover_from(verb, answer.error());
  }
  run_.ledger.synced();
  return true;
}

}  // namespace holdfast::simulation
