// What happens to dead letters in a simulation, one step at a time.
#include "holdfast/limits.h"
#include "tests/simulation/simulation.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {

RedriveOptions Simulation::any_redrive() {
  RedriveOptions options;
  if (random_.one_in(3)) options.max = random_.between(1, 5);
  if (random_.one_in(2)) {
    options.max_replays = static_cast<std::uint32_t>(random_.between(1, 2));
    options.park_refused = !random_.one_in(4);
  }
  if (random_.one_in(4)) options.filter.status = DeadLetterStatus::kFixed;
  if (random_.one_in(6)) options.unless_version = "1";  // the version of the simulation's consumers
  if (random_.one_in(4)) options.edit = any_edit();
  return options;
}

RedriveEdit Simulation::any_edit() {
  if (random_.one_in(2)) {
    RedriveEdit edit{.set_attributes = {{kEditedAttribute, "in step " + std::to_string(step_)}}};
    ledger_.may_edit(edit);
    return edit;
  }
  const RedriveValue value = random_.one_in(2) ? RedriveValue::kFromDlq : RedriveValue::kReplays;
  RedriveEdit edit{.value_attributes = {{kEditedAttribute, value}}};
  constexpr std::uint32_t kReplaysMax = 100;  // more than any message here has
  for (const Subject& queue : queues_) {
    if (queue.dead_letters) ledger_.may_edit(told(edit, queue.name, 1));
  }
  for (std::uint32_t replays = 2; replays <= kReplaysMax; ++replays)
    ledger_.may_edit(told(edit, queues_.front().name, replays));
  return edit;
}

RedriveEdit Simulation::told(const RedriveEdit& edit, const std::string& queue, std::uint32_t replays) {
  RedriveEdit all = edit;
  for (const auto& [name, value] : edit.value_attributes)
    all.set_attributes.push_back({name, value == RedriveValue::kFromDlq ? queue : std::to_string(replays)});
  return all;
}

void Simulation::redrive() {
  const Subject& queue = any_queue(true);
  RedriveOptions options = any_redrive();
  const bool parks = !queue.options.dead_letters.parking_queue.empty();
  options.park_refused = options.park_refused && parks;
  if (parks && random_.one_in(5)) {
    return park(queue, {.action = RedriveAction::kPark, .filter = options.filter});
  }
  const auto letters = dead_letters(queue.name, limits::kListPage);
  if (!letters) return;
  const auto foreseen = dry_run(queue.name, options);
  if (!foreseen) return;
  options.request_id = any_request_id();
  const auto answer = call_redrive(queue.name, options);
  check_foreseen("redrive", queue.name, *foreseen, answer);
  mark(Mark::kRedriven, answer && answer->moved > 0);
  mark(Mark::kParked, answer && answer->parked > 0);
  // If all were moved, it is known which ones.
  if (answer && answer->moved == letters->size()) {
    for (const DeadLetter& letter : *letters)
      ledger_.redriven(letter.body, letter.record.replays + 1,
                       told(options.edit, queue.name, letter.record.replays + 1));
  }
  note_answer("redrive", queue.name, answer, true);
  if (!options.request_id.empty()) repeat_redrive(queue.name, options, answer);
}

void Simulation::park(const Subject& queue, const RedriveOptions& options) {
  const auto foreseen = dry_run(queue.name, options);
  if (!foreseen) return;
  const auto answer = call_redrive(queue.name, options);
  check_foreseen("park", queue.name, *foreseen, answer);
  note_answer("park", queue.name, answer, true);
}

std::optional<Redriven> Simulation::dry_run(const std::string& queue, RedriveOptions options) {
  options.dry_run = true;
  auto foreseen = world_->engine().redrive(queue, std::move(options));
  if (foreseen) return *std::move(foreseen);
  recover_from("dry run", foreseen.error());
  return std::nullopt;
}

void Simulation::check_foreseen(const std::string& verb, const std::string& queue, const Redriven& foreseen,
                                const Result<Redriven>& answer) {
  if (!answer) return;
  if (answer->moved == foreseen.moved && answer->parked == foreseen.parked && answer->left == foreseen.left)
    return;
  throw Violation(verb + " of " + queue + " moves " + std::to_string(answer->moved) +
                  " messages, its dry run said " + std::to_string(foreseen.moved));
}

// Starts or cancels a task, with which run_due() goes on a bit at a time.
void Simulation::redrive_task() {
  const Subject& queue = any_queue(true);
  if (random_.one_in(4)) {
    const auto tasks = redrive_tasks();
    if (!tasks || tasks->empty()) return;
    const TaskId task = random_.pick(*tasks).id;
    const auto answer = world_->engine().cancel_redrive(task);
    if (answer) ended_tasks_.insert(task);
    return note_answer("cancel redrive", queue.name, answer, false);
  }
  RedriveOptions options = any_redrive();
  options.wait = false;
  options.park_refused = options.park_refused && !queue.options.dead_letters.parking_queue.empty();
  options.rate = static_cast<std::uint32_t>(random_.between(1, 20));
  if (random_.one_in(3)) {
    options.canary = static_cast<std::uint32_t>(random_.between(1, 3));
    options.canary_percent = random_.one_in(2) ? 100 : 50;
  }
  note_answer("start redrive", queue.name, world_->engine().redrive(queue.name, options), true);
}

std::optional<std::vector<TaskStatus>> Simulation::redrive_tasks() {
  auto tasks = world_->engine().list_redrives();
  if (!tasks) {
    recover_from("list redrives", tasks.error());
    return std::nullopt;
  }
  for (const TaskStatus& task : *tasks) {
    if (task.state == TaskState::kRunning && ended_tasks_.contains(task.id))
      throw Violation("a redrive task that was cancelled goes on");
  }
  return std::move(*tasks);
}

std::optional<std::vector<DeadLetter>> Simulation::dead_letters(const std::string& queue, std::size_t max) {
  auto page = world_->engine().list_dead_letters(queue, {.max = max, .bodies = true});
  if (!page) {
    recover_from("list dead letters", page.error());
    return std::nullopt;
  }
  for (const DeadLetter& letter : page->items) {
    const FailureRecord& record = letter.record;
    ledger_.shown(queue, {letter.body, record.message_id, record.replays, letter.attributes});
    ledger_.check_said(letter.body, record);
    mark(Mark::kExpired, record.cause == DeathCause::kExpired);
    mark(Mark::kOverflowed, record.cause == DeathCause::kOverflow);
    mark(Mark::kOutlived, record.cause == DeathCause::kRetryBudget);
  }
  return std::move(page->items);
}

std::optional<DeadLetter> Simulation::any_dead_letter(const std::string& queue) {
  const auto first = dead_letters(queue, 10);
  return first && !first->empty() ? std::optional(random_.pick(*first)) : std::nullopt;
}

void Simulation::triage() {
  const Subject& queue = any_queue(true);
  const auto letter = any_dead_letter(queue.name);
  if (!letter) return;
  static const std::vector<DeadLetterStatus> statuses{DeadLetterStatus::kInvestigating,
                                                      DeadLetterStatus::kFixed, DeadLetterStatus::kAbandoned};
  DeadLetterChanges changes{.status = random_.pick(statuses)};
  if (random_.one_in(2)) changes.note = "looked at in step " + std::to_string(step_);
  if (random_.one_in(2)) changes.assignee = "ann";
  const bool abandons = changes.status == DeadLetterStatus::kAbandoned;
  if (abandons) ledger_.abandoned(letter->body);
  const auto answer = world_->engine().change_dead_letters(
      queue.name, {.filter = {.ids = {letter->id}}, .actor = "ann"}, changes);
  mark(Mark::kTriaged, answer && answer->changed > 0);
  if (!abandons && answer && answer->changed > 0) ledger_.taken_up(letter->body);
  note_answer("triage", queue.name, answer, answer && answer->changed > 0);
  if (answer && changes.note && answer->changed != 1)
    throw Violation("message " + letter->body + " cannot be triaged");
}

void Simulation::discard() {
  const Subject& queue = any_queue(true);
  const auto letter = any_dead_letter(queue.name);
  if (!letter) return;
  const auto answer =
      world_->engine().discard_dead_letters(queue.name, {.filter = {.ids = {letter->id}}, .actor = "ann"});
  if (!answer) ledger_.may_drop(letter->body);
  if (answer && answer->changed == 0 && !ledger_.may_be_held(letter->body))
    throw Violation("message " + letter->body + " cannot be discarded");
  mark(Mark::kDiscarded, answer && answer->changed == 1);
  if (answer && answer->changed == 1) ledger_.discarded(letter->body, world_->now());
  note_answer(("discard " + letter->body).c_str(), queue.name, answer, answer && answer->changed > 0);
  if (answer && answer->changed == 1 && random_.one_in(2)) import(queue, *letter);
}

// Brings a discarded letter back from what was read before.
void Simulation::import(const Subject& queue, const DeadLetter& letter) {
  std::uint64_t imported = 0;
  // On a full disk, a try that failed in another way may have brought the letter back.
  const bool done = must_happen("import", [&]() -> Result<void> {
    const auto answer = world_->engine().import_dead_letters(queue.name, {letter});
    if (!answer) return tl::unexpected(answer.error());
    imported = answer->imported + answer->duplicates;  // a failed try may have brought it back
    return {};
  });
  mark(Mark::kImported, done);
  ledger_.imported(queue.name, letter.body, done);
  if (!done) return;
  if (imported != 1)
    throw Violation("message " + letter.body + ": was discarded and is refused by an import");
  ledger_.synced();
}

}  // namespace holdfast::simulation
