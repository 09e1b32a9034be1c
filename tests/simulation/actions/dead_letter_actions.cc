#include "tests/simulation/actions/dead_letter_actions.h"

#include <algorithm>

#include "holdfast/limits.h"
#include "tests/support/result_matchers.h"

namespace holdfast::simulation {

RedriveOptions DeadLetterActions::any_redrive() {
  RedriveOptions options;
  if (run_.random.one_in(3)) options.max = run_.random.between(1, 5);
  if (run_.random.one_in(2)) {
    options.max_replays = static_cast<std::uint32_t>(run_.random.between(1, 2));
    options.park_refused = !run_.random.one_in(4);
  }
  if (run_.random.one_in(4)) options.filter.status = DeadLetterStatus::kFixed;
  if (run_.random.one_in(6)) options.unless_version = "1";  // the version of the simulation's consumers
  if (run_.random.one_in(4)) options.edit = any_edit();
  return options;
}

RedriveEdit DeadLetterActions::any_edit() {
  if (run_.random.one_in(2)) {
    RedriveEdit edit{.set_attributes = {{kEditedAttribute, "in step " + std::to_string(run_.step)}}};
    run_.ledger.may_edit(edit);
    return edit;
  }
  const RedriveValue value = run_.random.one_in(2) ? RedriveValue::kFromDlq : RedriveValue::kReplays;
  RedriveEdit edit{.value_attributes = {{kEditedAttribute, value}}};
  constexpr std::uint32_t kReplaysMax = 100;  // more than any message here has
  for (const Subject& queue : run_.queues) {
    if (queue.dead_letters) run_.ledger.may_edit(told(edit, queue.name, 1));
  }
  for (std::uint32_t replays = 2; replays <= kReplaysMax; ++replays)
    run_.ledger.may_edit(told(edit, run_.queues.front().name, replays));
  return edit;
}

RedriveEdit DeadLetterActions::told(const RedriveEdit& edit, const std::string& queue,
                                    std::uint32_t replays) {
  RedriveEdit all = edit;
  for (const auto& [name, value] : edit.value_attributes)
    all.set_attributes.push_back({name, value == RedriveValue::kFromDlq ? queue : std::to_string(replays)});
  return all;
}

void DeadLetterActions::redrive() {
  const Subject& queue = run_.any_queue(true);
  RedriveOptions options = any_redrive();
  const bool parks = !queue.options.dead_letters.parking_queue.empty();
  options.park_refused = options.park_refused && parks;
  if (parks && run_.random.one_in(5)) {
    return park(queue, {.action = RedriveAction::kPark, .filter = options.filter});
  }
  const auto letters = dead_letters(queue.name, limits::kListPage);
  if (!letters) return;
  const auto foreseen = dry_run(queue.name, options);
  if (!foreseen) return;
  options.request_id = calls_.any_request_id();
  const auto answer = calls_.call_redrive(queue.name, options);
  check_foreseen("redrive", queue.name, *foreseen, answer);
  run_.mark(Mark::kRedriven, answer && answer->moved > 0);
  run_.mark(Mark::kParked, answer && answer->parked > 0);
  // If all were moved, it is known which ones.
  if (answer && answer->moved == letters->size()) {
    for (const DeadLetter& letter : *letters)
      run_.ledger.redriven(letter.body, letter.record.replays + 1,
                           told(options.edit, queue.name, letter.record.replays + 1));
  }
  recovery_.note_answer("redrive", queue.name, answer, true);
  if (!options.request_id.empty()) repeats_.repeat_redrive(queue.name, options, answer);
}

void DeadLetterActions::park(const Subject& queue, const RedriveOptions& options) {
  const auto foreseen = dry_run(queue.name, options);
  if (!foreseen) return;
  const auto answer = calls_.call_redrive(queue.name, options);
  check_foreseen("park", queue.name, *foreseen, answer);
  recovery_.note_answer("park", queue.name, answer, true);
}

std::optional<Redriven> DeadLetterActions::dry_run(const std::string& queue, RedriveOptions options) {
  options.dry_run = true;
  auto foreseen = run_.world->engine().redrive(queue, std::move(options));
  if (foreseen) return *std::move(foreseen);
  recovery_.recover_from("dry run", foreseen.error());
  return std::nullopt;
}

void DeadLetterActions::check_foreseen(const std::string& verb, const std::string& queue,
                                       const Redriven& foreseen, const Result<Redriven>& answer) {
  if (!answer) return;
  if (answer->moved == foreseen.moved && answer->parked == foreseen.parked && answer->left == foreseen.left)
    return;
  throw Violation(verb + " of " + queue + " moves " + std::to_string(answer->moved) +
                  " messages, its dry run said " + std::to_string(foreseen.moved));
}

// Starts or cancels a task, with which run_due() goes on a bit at a time.
void DeadLetterActions::redrive_task() {
  const Subject& queue = run_.any_queue(true);
  if (run_.random.one_in(4)) {
    const auto tasks = redrive_tasks();
    if (!tasks || tasks->empty()) return;
    const TaskId task = run_.random.pick(*tasks).id;
    const auto answer = run_.world->engine().cancel_redrive(task);
    if (answer) ended_tasks_.insert(task);
    return recovery_.note_answer("cancel redrive", queue.name, answer, false);
  }
  RedriveOptions options = any_redrive();
  options.wait = false;
  options.park_refused = options.park_refused && !queue.options.dead_letters.parking_queue.empty();
  options.rate = static_cast<std::uint32_t>(run_.random.between(1, 20));
  if (run_.random.one_in(3)) {
    options.canary = static_cast<std::uint32_t>(run_.random.between(1, 3));
    options.canary_percent = run_.random.one_in(2) ? 100 : 50;
  }
  recovery_.note_answer("start redrive", queue.name, run_.world->engine().redrive(queue.name, options), true);
}

std::optional<std::vector<TaskStatus>> DeadLetterActions::redrive_tasks() {
  auto tasks = run_.world->engine().list_redrives();
  if (!tasks) {
    recovery_.recover_from("list redrives", tasks.error());
    return std::nullopt;
  }
  for (const TaskStatus& task : *tasks) {
    if (task.state == TaskState::kRunning && ended_tasks_.contains(task.id))
      throw Violation("a redrive task that was cancelled goes on");
  }
  return std::move(*tasks);
}

std::optional<std::vector<DeadLetter>> DeadLetterActions::dead_letters(const std::string& queue,
                                                                       std::size_t max) {
  auto page = run_.world->engine().list_dead_letters(queue, {.max = max, .bodies = true});
  if (!page) {
    recovery_.recover_from("list dead letters", page.error());
    return std::nullopt;
  }
  for (const DeadLetter& letter : page->items) {
    const FailureRecord& record = letter.record;
    run_.ledger.shown(queue, {letter.body, record.message_id, record.replays, letter.attributes});
    run_.reasons.check_said(letter.body, record);
    run_.mark(Mark::kExpired, record.cause == DeathCause::kExpired);
    run_.mark(Mark::kOverflowed, record.cause == DeathCause::kOverflow);
    run_.mark(Mark::kOutlived, record.cause == DeathCause::kRetryBudget);
  }
  return std::move(page->items);
}

std::optional<DeadLetter> DeadLetterActions::any_dead_letter(const std::string& queue) {
  const auto first = dead_letters(queue, 10);
  return first && !first->empty() ? std::optional(run_.random.pick(*first)) : std::nullopt;
}

Ledger::Places DeadLetterActions::dead_for_good() {
  const auto tasks = redrive_tasks();
  if (!tasks) return {};
  Ledger::Places places;
  for (const Subject& queue : run_.queues) {
    const auto drains = [&](const TaskStatus& task) {
      return task.queue == queue.name && task.state == TaskState::kRunning;
    };
    const bool stay = queue.dead_letters && queue.options.dead_letters.auto_redrive.every == Duration{0} &&
                      std::ranges::none_of(*tasks, drains);
    if (!stay) continue;
    const auto letters = dead_letters(queue.name, limits::kListPage);
    if (!letters) return {};
    for (const DeadLetter& letter : *letters) places.emplace(letter.body, queue.name);
  }
  return places;
}

void DeadLetterActions::triage() {
  const Subject& queue = run_.any_queue(true);
  const auto letter = any_dead_letter(queue.name);
  if (!letter) return;
  static const std::vector<DeadLetterStatus> statuses{DeadLetterStatus::kInvestigating,
                                                      DeadLetterStatus::kFixed, DeadLetterStatus::kAbandoned};
  DeadLetterChanges changes{.status = run_.random.pick(statuses)};
  if (run_.random.one_in(2)) changes.note = "looked at in step " + std::to_string(run_.step);
  if (run_.random.one_in(2)) changes.assignee = "ann";
  const bool abandons = changes.status == DeadLetterStatus::kAbandoned;
  if (abandons) run_.ledger.abandoned(letter->body);
  const auto answer = run_.world->engine().change_dead_letters(
      queue.name, {.filter = {.ids = {letter->id}}, .actor = "ann"}, changes);
  run_.mark(Mark::kTriaged, answer && answer->changed > 0);
  if (!abandons && answer && answer->changed > 0) run_.ledger.taken_up(letter->body);
  recovery_.note_answer("triage", queue.name, answer, answer && answer->changed > 0);
  if (answer && changes.note && answer->changed != 1)
    throw Violation("message " + letter->body + " cannot be triaged");
}

void DeadLetterActions::discard() {
  const Subject& queue = run_.any_queue(true);
  const auto letter = any_dead_letter(queue.name);
  if (!letter) return;
  const auto answer = run_.world->engine().discard_dead_letters(
      queue.name, {.filter = {.ids = {letter->id}}, .actor = "ann"});
  if (!answer) run_.ledger.may_drop(letter->body);
  if (answer && answer->changed == 0 && !run_.ledger.may_be_held(letter->body))
    throw Violation("message " + letter->body + " cannot be discarded");
  run_.mark(Mark::kDiscarded, answer && answer->changed == 1);
  if (answer && answer->changed == 1) run_.ledger.discarded(letter->body, run_.world->now());
  recovery_.note_answer(("discard " + letter->body).c_str(), queue.name, answer,
                        answer && answer->changed > 0);
  if (answer && answer->changed == 1 && run_.random.one_in(2)) import(queue, *letter);
}

// Brings a discarded letter back from what was read before.
void DeadLetterActions::import(const Subject& queue, const DeadLetter& letter) {
  std::uint64_t imported = 0;
  // On a full disk, a try that failed in another way may have brought the letter back.
  const bool done = recovery_.must_happen("import", [&]() -> Result<void> {
    const auto answer = run_.world->engine().import_dead_letters(queue.name, {letter});
    if (!answer) return tl::unexpected(answer.error());
    imported = answer->imported + answer->duplicates;  // a failed try may have brought it back
    return {};
  });
  run_.mark(Mark::kImported, done);
  run_.ledger.imported(queue.name, letter.body, done);
  if (!done) return;
  if (imported != 1)
    throw Violation("message " + letter.body + ": was discarded and is refused by an import");
  run_.ledger.synced();
}

}  // namespace holdfast::simulation
