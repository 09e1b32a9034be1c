// The calls that move and change dead letters.
#include "tests/client/cuts/caller.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

MessageId Caller::dead_letter(const std::string& name) {
  const Delivery delivery = lease(name);
  const Peace::Kept peace(site_.peace());
  must(owner().reject(delivery.receipt, {.reason = "bad"}));
  return delivery.id;
}

void Caller::redrive() {
  const RedriveOptions options = dead_one();
  redriven("redrive", options, client_.redrive(dead_, options));
}

void Caller::park() {
  RedriveOptions options = dead_one();
  options.action = RedriveAction::kPark;
  redriven("park", options, client_.redrive(dead_, options));
}

void Caller::start_redrive() {
  RedriveOptions options = dead_one();
  options.wait = false;
  redriven("started redrive", options, client_.redrive(dead_, options));
}

RedriveOptions Caller::dead_one() {
  const std::string name = next_name();
  return {.filter = {.ids = {dead_letter(name)}}, .actor = name};
}

void Caller::cancel_redrive() {
  const std::string name = next_name();
  const std::vector<MessageId> ids = {dead_letter(name), dead_letter(next_name())};
  const TaskId task = start_waiting_task(ids);
  const auto result = client_.cancel_redrive(task, name);
  const Peace::Kept peace(site_.peace());
  const bool cancelled = must(owner().redrive_status(task)).cancelled_by.find(name) != std::string::npos;
  ledger_.note("cancel_redrive", name, result, cancelled ? 1 : 0);
  if (!cancelled) must(owner_.cancel_redrive(task));
}

TaskId Caller::start_waiting_task(const std::vector<MessageId>& ids) {
  const Peace::Kept peace(site_.peace());
  return must(owner().redrive(dead_, {.filter = {.ids = ids}, .canary = 1, .wait = false})).task;
}

void Caller::import_dead_letter() {
  const std::string name = next_name();
  const MessageId id = dead_letter(name);
  const DeadLetter letter = take_out(id);
  const auto result = client_.import_dead_letters(dead_, {letter});
  const Peace::Kept peace(site_.peace());
  ledger_.note("import_dead_letters", name, result, dead_letters(id));
}

DeadLetter Caller::take_out(const MessageId& id) {
  const Peace::Kept peace(site_.peace());
  DeadLetter letter = must(owner().get_dead_letter(dead_, id));
  must(owner_.discard_dead_letters(dead_, {.filter = {.ids = {id}}}));
  return letter;
}

void Caller::discard() {
  const std::string name = next_name();
  const MessageId id = dead_letter(name);
  const auto result = client_.discard_dead_letters(dead_, {.filter = {.ids = {id}}});
  const Peace::Kept peace(site_.peace());
  ledger_.note("discard_dead_letters", name, result, dead_letters(id) == 0 ? 1 : 0);
}

void Caller::change() {
  const std::string name = next_name();
  const MessageId id = dead_letter(name);
  const auto result = client_.change_dead_letters(dead_, {.filter = {.ids = {id}}}, {.note = name});
  const Peace::Kept peace(site_.peace());
  const auto letter = must(owner().get_dead_letter(dead_, id));
  ledger_.note("change_dead_letters", name, result, letter.triage.notes.size());
}

}  // namespace holdfast::testing
