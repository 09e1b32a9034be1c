// This part of the model knows of dead letters: moves, triage, and records that are history.
#include <algorithm>
#include <utility>

#include "holdfast/limits.h"
#include "tests/model/compare.h"
#include "tests/model/model.h"

namespace holdfast::testing {

void Model::conclude(const ModelMessage& message, ReplayOutcome outcome, Timestamp now) {
  if (!message.record_at) return;
  ModelQueue* queue = by_id(message.record_at->queue);
  if (queue == nullptr) return;
  const auto record = queue->history.find(message.record_at->seq);
  if (record != queue->history.end()) record->second.replay = Replay{outcome, now};
}

const FailureRecord* Model::death_before(const ModelMessage& message) {
  if (!message.record_at) return message.record ? &*message.record : nullptr;
  ModelQueue* queue = by_id(message.record_at->queue);
  if (queue == nullptr) return nullptr;
  const auto record = queue->history.find(message.record_at->seq);
  return record == queue->history.end() ? nullptr : &record->second.record;
}

void Model::adopt_history(ModelQueue& queue, const ModelMessage& old, ModelMessage& dead) const {
  const auto record = queue.history.find(old.record_at->seq);
  if (record == queue.history.end()) return;
  dead.record->first_death = first_death_of(record->second.record);
  const Timestamp since = dead.triage.status_since;
  dead.triage = std::move(record->second.triage);
  dead.triage.status = DeadLetterStatus::kNew;
  dead.triage.status_since = since;
  dead.letter = record->second.letter;
  queue.history.erase(record);
}

namespace {

bool means(const DeadLetterFilter& filter, const FailureRecord& record) {
  return !filter.category || *filter.category == record.category;
}

void note(Triage& triage, AuditEntry entry) {
  const bool again = !triage.audit.empty() && triage.audit.back().actor == entry.actor &&
                     triage.audit.back().action == entry.action;
  if (again) triage.audit.pop_back();
  triage.audit.push_back(std::move(entry));
  if (triage.audit.size() <= limits::kAuditEntries) return;
  triage.audit.erase(triage.audit.begin());
  ++triage.audit_dropped;
}

void set_status(Triage& triage, DeadLetterStatus status, Timestamp now) {
  triage.status = status;
  triage.status_since = now;
}

// Returns the field of the answer that counts this change.
std::uint64_t DeadLettersChanged::*change(Triage& triage, const DeadLetterChanges& changes,
                                          const std::string& actor, Timestamp now) {
  using enum DeadLetterStatus;
  const Triage before = triage;
  if (changes.status) {
    const bool back_to_new = *changes.status == kNew && triage.status != kNew;
    if (triage.status == kReplayed || back_to_new) return &DeadLettersChanged::refused;
    if (*changes.status != triage.status) {
      note(triage, {now, actor,
                    "status " + std::string(to_string(triage.status)) + " -> " +
                        std::string(to_string(*changes.status))});
      set_status(triage, *changes.status, now);
    }
  }
  if (changes.assignee && *changes.assignee != triage.assignee) {
    note(triage,
         {now, actor, changes.assignee->empty() ? "assigned to nobody" : "assigned to " + *changes.assignee});
    triage.assignee = *changes.assignee;
  }
  if (changes.note) {
    triage.notes.push_back({now, actor, *changes.note});
    if (triage.notes.size() > limits::kTriageNotes) {
      triage.notes.erase(triage.notes.begin());
      ++triage.notes_dropped;
    }
  }
  return triage == before ? &DeadLettersChanged::unchanged : &DeadLettersChanged::changed;
}

}  // namespace

void Model::keep_acked(ModelQueue& queue, const ModelMessage& message, Timestamp now) {
  ModelRecord history{message.letter, *message.record, message.triage};
  note(history.triage, {now, message.consumer.instance, "acknowledged"});
  set_status(history.triage, DeadLetterStatus::kFixed, now);
  queue.history[message.seq.value()] = std::move(history);
}

Verdict Model::triaged(const std::string& name, const DeadLetterSelection& selection,
                       const DeadLetterChanges& changes, Timestamp now, const DeadLettersChanged& answer) {
  ModelQueue& queue = queues_.at(name);
  DeadLettersChanged expected;
  const auto apply = [&](const FailureRecord& record, Triage& triage) {
    if (!means(selection.filter, record)) return;
    ++(expected.*change(triage, changes, selection.actor, now));
  };
  for (auto& [place, message] : queue.messages) {
    if (message.record) apply(*message.record, message.triage);
  }
  if (selection.filter.history) {
    for (auto& [seq, record] : queue.history) apply(record.record, record.triage);
  }
  if (Verdict verdict = differs("changed", answer.changed, expected.changed); !verdict.empty())
    return verdict;
  if (Verdict verdict = differs("unchanged", answer.unchanged, expected.unchanged); !verdict.empty())
    return verdict;
  return differs("refused", answer.refused, expected.refused);
}

Verdict Model::discarded(const std::string& name, const DeadLetterSelection& selection, Timestamp now,
                         const DeadLettersChanged& answer) {
  ModelQueue& queue = queues_.at(name);
  DeadLettersChanged expected;
  for (auto next = queue.messages.begin(); next != queue.messages.end();) {
    const auto current = next++;
    ModelMessage& message = current->second;
    if (!message.record || !means(selection.filter, *message.record)) continue;
    if (message.place == MessagePlace::kLeased) {
      ++expected.refused;
      continue;
    }
    note(message.triage, {now, selection.actor, "discarded"});
    set_status(message.triage, DeadLetterStatus::kAbandoned, now);
    queue.history[message.seq.value()] = {message.letter, *message.record, message.triage};
    queue.messages.erase(current);
    ++expected.changed;
  }
  queue.totals.discarded += expected.changed;
  if (Verdict verdict = differs("discarded", answer.changed, expected.changed); !verdict.empty())
    return verdict;
  return differs("refused", answer.refused, expected.refused);
}

Verdict Model::parked(const std::string& name, const RedriveOptions& options, Timestamp now,
                      const Redriven& answer) {
  ModelQueue& queue = queues_.at(name);
  ModelQueue& target = queues_.at(options.to);
  Redriven expected;
  for (auto next = queue.messages.begin(); next != queue.messages.end();) {
    const auto current = next++;
    ModelMessage& message = current->second;
    if (!message.record || !means(options.filter, *message.record)) continue;
    if (message.place == MessagePlace::kLeased) {
      ++expected.left.leased;
      continue;
    }
    note(message.triage, {now, options.actor, "parked in " + options.to});
    append(target, {.content = message.content,
                    .replays = message.replays,
                    .first_failed_at = message.first_failed_at,
                    .record = message.record,
                    .origin = message.origin,
                    .triage = message.triage,
                    .letter = message.letter});
    queue.messages.erase(current);
    ++expected.parked;
  }
  queue.totals.parked += expected.parked;
  if (Verdict verdict = differs("parked", answer.parked, expected.parked); !verdict.empty()) return verdict;
  return differs("left", to_string(answer.left), to_string(expected.left));
}

Verdict Model::redriven(const std::string& name, const RedriveOptions& options, Timestamp now,
                        const Redriven& answer) {
  ModelQueue& queue = queues_.at(name);
  Redriven expected;
  for (auto next = queue.messages.begin(); next != queue.messages.end();) {
    const auto current = next++;
    const ModelMessage& message = current->second;
    if (!message.record) continue;
    if (options.filter.category && *options.filter.category != message.record->category) continue;
    if (message.triage.status == DeadLetterStatus::kAbandoned) {
      ++expected.left.abandoned;
      continue;
    }
    ModelQueue* target =
        options.to.empty() ? by_id(message.record->source_queue_id) : &queues_.at(options.to);
    if (target == nullptr || message.place == MessagePlace::kLeased) {
      ++(target == nullptr ? expected.left.no_queue : expected.left.leased);
      continue;
    }
    append(*target, {.content = message.content,
                     .replays = message.replays + 1,
                     .first_failed_at = message.first_failed_at,
                     .record_at = RecordPlace{queue.id, message.seq.value()}});
    ModelRecord history{message.letter, *message.record, message.triage, Replay{}};
    note(history.triage, {now, options.actor,
                          "redriven to " + (options.to.empty() ? message.record->source_queue : options.to)});
    set_status(history.triage, DeadLetterStatus::kReplayed, now);
    queue.history[message.seq.value()] = std::move(history);
    queue.messages.erase(current);
    ++expected.moved;
  }
  queue.totals.redriven += expected.moved;
  if (Verdict verdict = differs("moved", answer.moved, expected.moved); !verdict.empty()) return verdict;
  return differs("left", to_string(answer.left), to_string(expected.left));
}

}  // namespace holdfast::testing
