#include "tests/client/cuts/dead_letter_calls.h"

namespace holdfast::testing {

MessageId DeadLetterCalls::dead_letter(const std::string& name) {
  const Delivery delivery = deliveries_.lease(name);
  const Peace::Kept peace(context_.site.peace());
  must(context_.connected_owner().reject(delivery.receipt, {.reason = "bad"}));
  return delivery.id;
}

void DeadLetterCalls::redrive() {
  const RedriveOptions options = dead_one();
  redriven("redrive", options, context_.client.redrive(context_.dead, options));
}

void DeadLetterCalls::park() {
  RedriveOptions options = dead_one();
  options.action = RedriveAction::kPark;
  redriven("park", options, context_.client.redrive(context_.dead, options));
}

void DeadLetterCalls::start_redrive() {
  RedriveOptions options = dead_one();
  options.wait = false;
  redriven("started redrive", options, context_.client.redrive(context_.dead, options));
}

RedriveOptions DeadLetterCalls::dead_one() {
  const std::string name = context_.next_name();
  return {.filter = {.ids = {dead_letter(name)}}, .actor = name};
}

void DeadLetterCalls::redriven(const std::string& verb, const RedriveOptions& options,
                               const Result<Redriven>& result) {
  const std::string& name = options.actor;
  const Peace::Kept peace(context_.site.peace());
  std::uint64_t tasks = 0;
  for (const TaskStatus& task : must(context_.connected_owner().list_redrives())) {
    if (task.actor.find(name) != std::string::npos) ++tasks;
  }
  context_.ledger.note(verb, name, result, tasks);
}

void DeadLetterCalls::cancel_redrive() {
  const std::string name = context_.next_name();
  const std::vector<MessageId> ids = {dead_letter(name), dead_letter(context_.next_name())};
  const TaskId task = start_waiting_task(ids);
  const auto result = context_.client.cancel_redrive(task, name);
  const Peace::Kept peace(context_.site.peace());
  const bool cancelled =
      must(context_.connected_owner().redrive_status(task)).cancelled_by.find(name) != std::string::npos;
  context_.ledger.note("cancel_redrive", name, result, cancelled ? 1 : 0);
  if (!cancelled) must(context_.owner.cancel_redrive(task));
}

TaskId DeadLetterCalls::start_waiting_task(const std::vector<MessageId>& ids) {
  const Peace::Kept peace(context_.site.peace());
  return must(context_.connected_owner().redrive(context_.dead,
                                                 {.filter = {.ids = ids}, .canary = 1, .wait = false}))
      .task;
}

void DeadLetterCalls::import_dead_letter() {
  const std::string name = context_.next_name();
  const MessageId id = dead_letter(name);
  const DeadLetter letter = take_out(id);
  const auto result = context_.client.import_dead_letters(context_.dead, {letter});
  const Peace::Kept peace(context_.site.peace());
  context_.ledger.note("import_dead_letters", name, result, context_.dead_letters(id));
}

DeadLetter DeadLetterCalls::take_out(const MessageId& id) {
  const Peace::Kept peace(context_.site.peace());
  DeadLetter letter = must(context_.connected_owner().get_dead_letter(context_.dead, id));
  must(context_.owner.discard_dead_letters(context_.dead, {.filter = {.ids = {id}}}));
  return letter;
}

void DeadLetterCalls::discard() {
  const std::string name = context_.next_name();
  const MessageId id = dead_letter(name);
  const auto result = context_.client.discard_dead_letters(context_.dead, {.filter = {.ids = {id}}});
  const Peace::Kept peace(context_.site.peace());
  context_.ledger.note("discard_dead_letters", name, result, context_.dead_letters(id) == 0 ? 1 : 0);
}

void DeadLetterCalls::change() {
  const std::string name = context_.next_name();
  const MessageId id = dead_letter(name);
  const auto result =
      context_.client.change_dead_letters(context_.dead, {.filter = {.ids = {id}}}, {.note = name});
  const Peace::Kept peace(context_.site.peace());
  const auto letter = must(context_.connected_owner().get_dead_letter(context_.dead, id));
  context_.ledger.note("change_dead_letters", name, result, letter.triage.notes.size());
}

}  // namespace holdfast::testing
