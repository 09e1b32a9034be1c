// DeadLetterActions are what happens to dead letters in a simulation, one step at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/actions/repeats.h"
#include "tests/simulation/run/calls.h"
#include "tests/simulation/run/recovery.h"
#include "tests/simulation/run/run.h"

namespace holdfast::simulation {

class DeadLetterActions {
 public:
  DeadLetterActions(Run& run, Recovery& recovery, Calls& calls, Repeats& repeats)
      : run_(run), recovery_(recovery), calls_(calls), repeats_(repeats) {}

  void redrive();
  void redrive_task();
  void triage();
  void discard();

  // Returns the tasks, and checks that no cancelled one goes on. Returns nothing if a write failed.
  std::optional<std::vector<TaskStatus>> redrive_tasks();
  // Returns what lies in dead letter queues from which nothing is taken by itself, and in which of them. It
  // is empty if a write failed.
  Ledger::Places dead_for_good();

 private:
  RedriveOptions any_redrive();
  RedriveEdit any_edit();
  // Returns what the edit sets on a message of that queue that has had that many replays by then.
  static RedriveEdit told(const RedriveEdit& edit, const std::string& queue, std::uint32_t replays);
  void park(const Subject& queue, const RedriveOptions& options);
  // Returns what the redrive would do; nothing if a write failed.
  std::optional<Redriven> dry_run(const std::string& queue, RedriveOptions options);
  static void check_foreseen(const std::string& verb, const std::string& queue, const Redriven& foreseen,
                             const Result<Redriven>& answer);
  // Returns the first letters that are dead there; nothing if a write failed.
  std::optional<std::vector<DeadLetter>> dead_letters(const std::string& queue, std::size_t max);
  // Returns one of the first letters; nothing if there is none.
  std::optional<DeadLetter> any_dead_letter(const std::string& queue);
  void import(const Subject& queue, const DeadLetter& letter);

  Run& run_;
  Recovery& recovery_;
  Calls& calls_;
  Repeats& repeats_;
  std::set<TaskId> ended_tasks_;
};

}  // namespace holdfast::simulation
