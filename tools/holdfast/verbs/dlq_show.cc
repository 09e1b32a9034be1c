// holdfast dlq show
#include <fmt/format.h>

#include <ostream>

#include "dlq_verbs.h"
#include "duration.h"
#include "filter_options.h"
#include "holdfast/limits.h"
#include "json.h"
#include "text.h"

namespace holdfast::command {
namespace {

struct Arguments {
  std::string queue;
  FilterArguments letters;
  Redaction redact;
};

void line(std::ostream& out, std::string_view name, const std::string& value) {
  if (!value.empty()) out << fmt::format("{:<18}{}\n", name, printable(value));
}

// A line of each of its own.
void lines(std::ostream& out, std::string_view name, std::string_view text) {
  if (text.empty()) return;
  out << name << '\n';
  while (!text.empty()) {
    const auto end = text.find('\n');
    out << "  " << printable(text.substr(0, end)) << '\n';
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void print_attempts(std::ostream& out, const AttemptHistory& attempts) {
  for (std::size_t i = 0; i < attempts.kept.size(); ++i) {
    if (i == limits::kFirstAttempts && attempts.left_out > 0)
      line(out, "attempts", fmt::format("{} more, left out here", attempts.left_out));
    const auto& [failed_at, end, consumer] = attempts.kept[i];
    line(out, "attempt",
         fmt::format("{} {} {} {}", format_time(failed_at), to_string(end), consumer.instance,
                     consumer.version));
  }
}

// One that nobody put their name to is told without one.
std::string said(Timestamp at, const std::string& actor, const std::string& what) {
  return actor.empty() ? fmt::format("{}: {}", format_time(at), what)
                       : fmt::format("{} {}: {}", format_time(at), actor, what);
}

// Empty: what expired or overflowed may never have failed.
std::string failed_at(Timestamp time) { return time == Timestamp{} ? "" : format_time(time); }

void print_first_death(std::ostream& out, const FirstDeath& death) {
  line(out, "first died",
       fmt::format("{}, {} in {}", format_time(death.died_at), to_string(death.cause), death.source_queue));
  line(out, "first category", death.category);
  line(out, "first code", death.code);
  line(out, "first reason", death.reason);
  line(out, "first fingerprint", to_string(death.fingerprint));
}

void print_failure(std::ostream& out, const FailureRecord& record) {
  line(out, "message", record.message_id.to_string());
  line(out, "source",
       fmt::format("{} seq {}", record.source_queue, static_cast<std::uint64_t>(record.source_seq)));
  line(out, "sent", format_time(record.sent_at));
  line(out, "first failed", failed_at(record.first_failed_at));
  line(out, "last failed", failed_at(record.last_failed_at));
  line(out, "died", format_time(record.died_at));
  line(out, "cause", std::string(to_string(record.cause)));
  line(out, "category", record.category);
  line(out, "code", record.code);
  line(out, "reason", record.reason);
  line(out, "fingerprint", to_string(record.fingerprint));
  if (record.first_death) print_first_death(out, *record.first_death);
  line(out, "consumer", record.consumer.instance);
  line(out, "consumer version", record.consumer.version);
  line(out, "workflow version", record.workflow_version);
  line(out, "correlation id", record.correlation_id);
  line(out, "group", record.group);
  if (record.priority > 0) line(out, "priority", std::to_string(record.priority));
  line(out, "counts",
       fmt::format("{}, {}, {}",
                   record.deliveries == 1 ? "1 delivery" : fmt::format("{} deliveries", record.deliveries),
                   counted(record.replays, "replay"), counted(record.visits, "visit")));
  for (const auto& [code, message] : record.causes)
    line(out, "caused by", code.empty() ? message : fmt::format("{}: {}", code, message));
  print_attempts(out, record.attempts);
  line(out, "partial output", record.partial_output);
  lines(out, "stack trace", record.stack_trace);
}

void print(std::ostream& out, const DeadLetter& letter) {
  line(out, "dead letter",
       fmt::format("{} seq {}{}", letter.id.to_string(), static_cast<std::uint64_t>(letter.seq),
                   letter.history ? " (history: its message is gone)" : ""));
  const Triage& triage = letter.triage;
  line(out, "status", fmt::format("{} since {}", to_string(triage.status), format_time(triage.status_since)));
  if (letter.replay) {
    line(out, "outcome",
         letter.replay->outcome == ReplayOutcome::kPending
             ? "pending"
             : fmt::format("{} at {}", to_string(letter.replay->outcome), format_time(letter.replay->at)));
  }
  line(out, "assignee", triage.assignee);
  print_failure(out, letter.record);
  for (const auto& [at, actor, text] : triage.notes) line(out, "note", said(at, actor, text));
  if (triage.notes_dropped > 0)
    line(out, "notes", fmt::format("{} older ones were dropped", triage.notes_dropped));
  for (const auto& [at, actor, action] : triage.audit) line(out, "audit", said(at, actor, action));
  if (triage.audit_dropped > 0)
    line(out, "audit", fmt::format("{} older entries were dropped", triage.audit_dropped));
  for (const auto& [name, value] : letter.attributes)
    line(out, "attribute", fmt::format("{}={}", name, value));
  for (const std::string& what : letter.redacted) line(out, "redacted", what);
  line(out, "body", letter.body);
  if (!letter.original) return;
  for (const auto& [name, value] : letter.original->attributes)
    line(out, "before the edit", fmt::format("{}={}", name, value));
  line(out, "body before it", letter.original->body);
}

void show(Session& session, const DeadLetter& letter, bool first) {
  if (session.json()) {
    session.print(to_json(letter, true));
    return;
  }
  if (!first) session.out() << '\n';
  print(session.out(), letter);
}

Result<void> show_all(Session& session, const Arguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  DeadLetterFilter missing = arguments.letters.filter;
  missing.history = true;
  ListDeadLettersOptions options{
      .filter = missing, .max = limits::kListPage, .bodies = true, .redact = arguments.redact};
  std::uint64_t found = 0;
  do {
    auto page = (*broker)->list_dead_letters(arguments.queue, options);
    if (!page) return tl::unexpected(page.error());
    for (const DeadLetter& letter : page->items) {
      show(session, letter, found == 0);
      // A message's id may be that of several.
      if (take_names(missing, letter)) ++found;
    }
    options.after = page->next;
  } while (options.after);
  return check_named(session, arguments.queue, found + missing.seqs.size() + missing.ids.size(), found);
}

}  // namespace

void add_dlq_show(CLI::App& group, Session& session) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App& verb = add_verb(group, session, "show", "Show dead letters with everything that is known",
                            {"holdfast dlq show orders-dlq 17",
                             "holdfast dlq show orders-dlq 0193c2f4-7a3e-7c11-9f00-6d1f2b7f1a10 --redact"});
  verb.add_option("queue", arguments->queue, "The dead letter queue")->required();
  add_letters(verb, arguments->letters);
  verb.get_option("letter")->required();
  add_redaction(verb, arguments->redact);
  on_run(verb, session, [arguments](Session& s) { return show_all(s, *arguments); });
}

}  // namespace holdfast::command
