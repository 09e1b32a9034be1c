// Converts dead letters with their failure records and triage.
#include <algorithm>
#include <string>
#include <vector>

#include "holdfast/limits.h"
#include "schema/convert/dead_letters/dead_letter_conversion.h"
#include "schema/convert/values/bytes.h"
#include "schema/convert/values/enums.h"
#include "schema/convert/values/error_conversion.h"
#include "schema/convert/values/list.h"
#include "schema/convert/values/value.h"

namespace holdfast::convert {
namespace {

// `Entry` is TriageNote or AuditEntry, which have the same three fields, the last one under different names.
template <class Entry>
void write_entries(const std::vector<Entry>& from, capnp::List<wire::TriageNote>::Builder to) {
  for (unsigned i = 0; i < to.size(); ++i) {
    const auto& [at, actor, text] = from[i];
    to[i].setAtMicros(micros(at));
    to[i].setActor(as_text(actor));
    to[i].setText(as_text(text));
  }
}

template <class Entry>
std::vector<Entry> read_entries(capnp::List<wire::TriageNote>::Reader from, std::size_t limit) {
  std::vector<Entry> entries;
  for (unsigned i = 0; i < size_to_check(from, limit); ++i) {
    const auto entry = from[i];
    entries.push_back({timestamp(entry.getAtMicros()), string(entry.getActor()), string(entry.getText())});
  }
  return entries;
}

void write(const Triage& from, wire::Triage::Builder to) {
  to.setStatus(same_number<wire::DeadLetterStatus>(from.status));
  to.setStatusSinceMicros(micros(from.status_since));
  to.setAssignee(as_text(from.assignee));
  write_entries(from.notes, to.initNotes(static_cast<unsigned>(from.notes.size())));
  to.setNotesDropped(from.notes_dropped);
  write_entries(from.audit, to.initAudit(static_cast<unsigned>(from.audit.size())));
  to.setAuditDropped(from.audit_dropped);
}

Result<Triage> read(wire::Triage::Reader from) {
  const auto status =
      read_number<DeadLetterStatus>(from.getStatus(), wire::DeadLetterStatus::ABANDONED, "triage.status");
  if (!status) return tl::unexpected(status.error());
  return Triage{.status = *status,
                .status_since = timestamp(from.getStatusSinceMicros()),
                .assignee = string(from.getAssignee()),
                .notes = read_entries<TriageNote>(from.getNotes(), limits::kTriageNotes),
                .notes_dropped = from.getNotesDropped(),
                .audit = read_entries<AuditEntry>(from.getAudit(), limits::kAuditEntries),
                .audit_dropped = from.getAuditDropped()};
}

void write(const AttemptHistory& from, wire::FailureRecord::Builder to) {
  auto attempts = to.initAttempts(static_cast<unsigned>(from.kept.size()));
  for (unsigned i = 0; i < attempts.size(); ++i) {
    attempts[i].setFailedAtMicros(micros(from.kept[i].failed_at));
    attempts[i].setEnd(same_number<wire::AttemptEnd>(from.kept[i].end));
    convert::write(from.kept[i].consumer, attempts[i].initConsumer());
    attempts[i].setHeldMillis(
        static_cast<std::uint32_t>(std::chrono::round<std::chrono::milliseconds>(from.kept[i].held).count()));
    attempts[i].setExtended(static_cast<std::uint8_t>(from.kept[i].extended));
    if (!from.kept[i].failure.empty()) convert::write(from.kept[i].failure, attempts[i].initFailure());
  }
  to.setAttemptsLeftOut(from.left_out);
}

Result<AttemptHistory> read_attempts(wire::FailureRecord::Reader from) {
  AttemptHistory history{.kept = {}, .left_out = from.getAttemptsLeftOut()};
  const auto attempts = from.getAttempts();
  for (unsigned i = 0; i < size_to_check(attempts, limits::kFirstAttempts + limits::kLastAttempts); ++i) {
    const auto attempt = attempts[i];
    const auto end = read_number<AttemptEnd>(attempt.getEnd(), wire::AttemptEnd::REJECTED, "attempt.end");
    if (!end) return tl::unexpected(end.error());
    history.kept.push_back({.failed_at = timestamp(attempt.getFailedAtMicros()),
                            .end = *end,
                            .consumer = convert::read(attempt.getConsumer()),
                            .held = std::chrono::milliseconds(attempt.getHeldMillis()),
                            .extended = attempt.getExtended(),
                            .failure = convert::read(attempt.getFailure())});
  }
  return history;
}

void write(const FirstDeath& from, wire::FirstDeath::Builder to) {
  to.setCause(same_number<wire::DeathCause>(from.cause));
  to.setCategory(as_text(from.category));
  to.setReason(as_text(from.reason));
  to.setCode(as_text(from.code));
  to.setSourceQueue(as_text(from.source_queue));
  to.setDiedAtMicros(micros(from.died_at));
  to.setFingerprint(static_cast<std::uint64_t>(from.fingerprint));
}

Result<FirstDeath> read(wire::FirstDeath::Reader from) {
  const auto cause = read_number<DeathCause>(from.getCause(), wire::DeathCause::SENT, "firstDeath.cause");
  if (!cause) return tl::unexpected(cause.error());
  return FirstDeath{.cause = *cause,
                    .category = string(from.getCategory()),
                    .reason = string(from.getReason()),
                    .code = string(from.getCode()),
                    .source_queue = string(from.getSourceQueue()),
                    .died_at = timestamp(from.getDiedAtMicros()),
                    .fingerprint = Fingerprint{from.getFingerprint()}};
}

}  // namespace

void write(const FailureRecord& from, wire::FailureRecord::Builder to) {
  write(from.message_id, to.initMessageId());
  to.setSourceQueueId(static_cast<std::uint64_t>(from.source_queue_id));
  to.setSourceQueue(as_text(from.source_queue));
  to.setSourceSeq(static_cast<std::uint64_t>(from.source_seq));
  to.setSentAtMicros(micros(from.sent_at));
  to.setCause(same_number<wire::DeathCause>(from.cause));
  write(Rejection{.category = from.category,
                  .reason = from.reason,
                  .code = from.code,
                  .stack_trace = from.stack_trace,
                  .causes = from.causes,
                  .partial_output = from.partial_output},
        to.initRejection());
  to.setDeliveries(from.deliveries);
  to.setReplays(from.replays);
  to.setFirstFailedAtMicros(micros(from.first_failed_at));
  to.setLastFailedAtMicros(micros(from.last_failed_at));
  to.setDiedAtMicros(micros(from.died_at));
  write(from.consumer, to.initConsumer());
  if (!from.correlation_id.empty()) to.setCorrelationId(as_data(from.correlation_id));
  if (!from.group.empty()) to.setGroup(as_data(from.group));
  if (!from.workflow_version.empty()) to.setWorkflowVersion(as_data(from.workflow_version));
  to.setVisits(from.visits);
  write(from.attempts, to);
  to.setPriority(from.priority);
  to.setFingerprint(static_cast<std::uint64_t>(from.fingerprint));
  if (from.first_death) write(*from.first_death, to.initFirstDeath());
  if (!from.searched.empty())
    write(from.searched, to.initSearched(static_cast<unsigned>(from.searched.size())));
}

std::uint64_t words_of(const FailureRecord& record) {
  constexpr std::uint64_t kWordsWithoutTexts = 96;
  constexpr std::uint64_t kWordsOfAttempt = 48;
  constexpr std::uint64_t kWordsOfPair = 6;
  const auto bytes_of = [](const std::vector<NestedError>& causes) {
    std::size_t bytes = 0;
    for (const auto& [code, message] : causes) bytes += code.size() + message.size();
    return bytes;
  };
  std::uint64_t bytes = record.source_queue.size() + record.category.size() + record.reason.size() +
                        record.code.size() + record.stack_trace.size() + record.consumer.instance.size() +
                        record.consumer.version.size() + record.correlation_id.size() + record.group.size() +
                        record.workflow_version.size() + bytes_of(record.causes) +
                        record.partial_output.size();
  std::uint64_t pairs = record.causes.size() + record.searched.size();
  for (const auto& [name, value] : record.searched) bytes += name.size() + value.size();
  for (const Attempt& attempt : record.attempts.kept) {
    const Failure& failure = attempt.failure;
    bytes += attempt.consumer.instance.size() + attempt.consumer.version.size() + failure.category.size() +
             failure.reason.size() + failure.code.size() + failure.stack_trace.size() +
             bytes_of(failure.causes) + failure.partial_output.size();
    pairs += failure.causes.size();
  }
  if (const auto& first = record.first_death)
    bytes += first->category.size() + first->reason.size() + first->code.size() + first->source_queue.size();
  return kWordsWithoutTexts + bytes / sizeof(capnp::word) + pairs * kWordsOfPair +
         record.attempts.kept.size() * kWordsOfAttempt;
}

Result<FailureRecord> read(wire::FailureRecord::Reader from) {
  const auto cause = read_number<DeathCause>(from.getCause(), wire::DeathCause::SENT, "record.cause");
  if (!cause) return tl::unexpected(cause.error());
  auto attempts = read_attempts(from);
  if (!attempts) return tl::unexpected(attempts.error());
  std::optional<FirstDeath> first_death;
  if (from.hasFirstDeath()) {
    auto death = read(from.getFirstDeath());
    if (!death) return tl::unexpected(death.error());
    first_death = std::move(*death);
  }
  auto rejection = read(from.getRejection());
  return FailureRecord{.message_id = read(from.getMessageId()),
                       .source_queue_id = QueueId(from.getSourceQueueId()),
                       .source_queue = string(from.getSourceQueue()),
                       .source_seq = Seq(from.getSourceSeq()),
                       .sent_at = timestamp(from.getSentAtMicros()),
                       .cause = *cause,
                       .category = std::move(rejection.category),
                       .reason = std::move(rejection.reason),
                       .code = std::move(rejection.code),
                       .stack_trace = std::move(rejection.stack_trace),
                       .deliveries = from.getDeliveries(),
                       .replays = from.getReplays(),
                       .first_failed_at = timestamp(from.getFirstFailedAtMicros()),
                       .last_failed_at = timestamp(from.getLastFailedAtMicros()),
                       .died_at = timestamp(from.getDiedAtMicros()),
                       .consumer = read(from.getConsumer()),
                       .correlation_id = string(from.getCorrelationId()),
                       .group = string(from.getGroup()),
                       .priority = from.getPriority(),
                       .workflow_version = string(from.getWorkflowVersion()),
                       .visits = from.getVisits(),
                       .attempts = std::move(*attempts),
                       .causes = std::move(rejection.causes),
                       .partial_output = std::move(rejection.partial_output),
                       .fingerprint = Fingerprint{from.getFingerprint()},
                       .first_death = std::move(first_death),
                       .searched = read(from.getSearched())};
}

namespace {

// A body that was left out is absent, and so not taken for an empty one.
bool hides_body(const std::vector<std::string>& redacted) {
  return std::ranges::find(redacted, "body") != redacted.end();
}

}  // namespace

void write(const DeadLetter& from, wire::DeadLetter::Builder to) {
  to.setSeq(static_cast<std::uint64_t>(from.seq));
  write(from.id, to.initId());
  write(from.record, to.initRecord());
  write(from.triage, to.initTriage());
  to.setHistory(from.history);
  const bool shows_body = !hides_body(from.redacted);
  if (shows_body && !from.without_body && !from.history) to.setBody(as_data(from.body));
  if (!from.attributes.empty()) {
    write(from.attributes, to.initAttributes(static_cast<unsigned>(from.attributes.size())));
  }
  if (from.replay) {
    to.setReplayOutcome(same_number<wire::ReplayOutcome>(from.replay->outcome));
    to.setReplayOutcomeAtMicros(micros(from.replay->at));
  }
  if (from.original) {
    auto original = to.getOriginal().initBefore();
    if (shows_body) original.setBody(as_data(from.original->body));
    write(from.original->attributes,
          original.initAttributes(static_cast<unsigned>(from.original->attributes.size())));
  }
  if (from.redacted.empty()) return;
  write(from.redacted, to.initRedacted(static_cast<unsigned>(from.redacted.size())));
}

Result<DeadLetter> read(wire::DeadLetter::Reader from) {
  if (!from.hasRecord()) return fail(ErrorCode::kInvalidArgument, "record: is required");
  auto record = read(from.getRecord());
  if (!record) return tl::unexpected(record.error());
  auto triage = read(from.getTriage());
  if (!triage) return tl::unexpected(triage.error());
  DeadLetter letter{.seq = Seq(from.getSeq()),
                    .id = read(from.getId()),
                    .record = std::move(*record),
                    .triage = std::move(*triage),
                    .history = from.getHistory(),
                    .body = string(from.getBody()),
                    .attributes = read(from.getAttributes()),
                    .redacted = read(from.getRedacted(), kRedacted)};
  const bool shows_body = !hides_body(letter.redacted);
  letter.without_body = shows_body && !from.hasBody() && !letter.history;
  if (from.getReplayOutcome() != wire::ReplayOutcome::NONE) {
    const auto outcome =
        read_number<ReplayOutcome>(from.getReplayOutcome(), wire::ReplayOutcome::DROPPED, "replayOutcome");
    if (!outcome) return tl::unexpected(outcome.error());
    letter.replay = Replay{*outcome, timestamp(from.getReplayOutcomeAtMicros())};
  }
  if (const auto original = from.getOriginal(); original.isBefore()) {
    if (shows_body && !original.getBefore().hasBody())
      return fail(ErrorCode::kInvalidArgument, "original.body: is required");
    letter.original =
        OriginalMessage{string(original.getBefore().getBody()), read(original.getBefore().getAttributes())};
  }
  return letter;
}

}  // namespace holdfast::convert
