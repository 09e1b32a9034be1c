#include "tools/cli/views/dead_letter_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "holdfast/limits.h"
#include "holdfast/time.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

// Formats what somebody did. It has no name if nobody gave one.
std::string said(Timestamp at, const std::string& actor, const std::string& what) {
  return actor.empty() ? fmt::format("{}: {}", format_clock_time(at), what)
                       : fmt::format("{} {}: {}", format_clock_time(at), actor, what);
}

class Writer {
 public:
  Writer(const Screen& screen, Timestamp now) : screen_(screen), now_(now) {}

  void line(std::string_view name, const std::string& value) {
    if (value.empty()) return;
    if (screen_.is_terminal() && value.find('\n') != std::string::npos) return block(name, value);
    lines_.push_back(titled(fmt::format("{:<18}", name)) + shown(value));
  }
  // Writes a text that has lines of its own, each on a line.
  void block(std::string_view name, std::string_view text) {
    if (text.empty()) return;
    lines_.push_back(titled(std::string(name)));
    while (!text.empty()) {
      const auto end = text.find('\n');
      lines_.push_back("  " + shown(text.substr(0, end)));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }
  void body(std::string_view name, const std::string& bytes) {
    line(name, screen_.is_terminal() ? indented(bytes) : bytes);
  }
  // Writes a time. The epoch is left out: a message that expired or overflowed may never have failed.
  void time(std::string_view name, Timestamp time) {
    if (time == Timestamp{}) return;
    // A pipe gets no ages, so that two outputs about the same dead letter are the same.
    line(name, screen_.is_terminal()
                   ? fmt::format("{} ({} ago)", format_clock_time(time), format_age(now_ - time))
                   : format_clock_time(time));
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  // A terminal shows tabs as the author of the text saw them. A pipe gets one line in which nothing is lost.
  std::string shown(std::string_view text) const {
    return printable(screen_.is_terminal() ? with_tabs_expanded(text) : std::string(text));
  }
  std::string titled(const std::string& name) const { return styled(name, Style::kTitle, screen_.color); }

  const Screen& screen_;
  Timestamp now_;
  std::vector<std::string> lines_;
};

void write_causes(Writer& out, std::string_view name, const std::vector<NestedError>& causes) {
  for (const auto& [code, message] : causes)
    out.line(name, code.empty() ? message : fmt::format("{}: {}", code, message));
}

// Writes what was said of one attempt, below the attempt's line.
void write_attempt_failure(Writer& out, const Failure& failure) {
  out.line("  category", failure.category);
  out.line("  code", failure.code);
  out.line("  reason", failure.reason);
  write_causes(out, "  caused by", failure.causes);
  out.line("  partial output", failure.partial_output);
  out.block("  stack trace", failure.stack_trace);
}

// Returns ", held for 30.0 s, extended 2 times". What is not known is left out.
std::string lease_text(const Attempt& attempt) {
  std::string text;
  if (attempt.held > Duration{0}) text += ", held for " + format_rounded(attempt.held);
  if (attempt.extended > 0)
    text += fmt::format(", extended {}",
                        attempt.extended == 1 ? "once" : fmt::format("{} times", attempt.extended));
  return text;
}

// Writes the attempts. Those after the death were deliveries out of the dead letter queue itself.
void write_attempts(Writer& out, const AttemptHistory& attempts, Timestamp died_at) {
  for (std::size_t i = 0; i < attempts.kept.size(); ++i) {
    if (i == limits::kFirstAttempts && attempts.left_out > 0)
      out.line("attempts", fmt::format("{} more, left out here", attempts.left_out));
    const Attempt& attempt = attempts.kept[i];
    std::string text = fmt::format("{} {}", format_clock_time(attempt.failed_at), to_string(attempt.end));
    for (const std::string& name : {attempt.consumer.instance, attempt.consumer.version})
      text += name.empty() ? "" : " " + name;
    out.line(attempt.failed_at > died_at ? "failed since" : "attempt", text + lease_text(attempt));
    write_attempt_failure(out, attempt.failure);
  }
}

void write_first_death(Writer& out, const FirstDeath& death) {
  out.line("first died", fmt::format("{}, {} in {}", format_clock_time(death.died_at), to_string(death.cause),
                                     death.source_queue));
  out.line("first category", death.category);
  out.line("first code", death.code);
  out.line("first reason", death.reason);
  out.line("first fingerprint", to_string(death.fingerprint));
}

void write_failure(Writer& out, const FailureRecord& record) {
  out.line("message", record.message_id.to_string());
  out.line("source", record.source_queue.empty()
                         ? "none: it was sent to this queue"
                         : fmt::format("{} seq {}", record.source_queue,
                                       static_cast<std::uint64_t>(record.source_seq)));
  out.time("sent", record.sent_at);
  out.time("first failed", record.first_failed_at);
  out.time("last failed", record.last_failed_at);
  out.time("died", record.died_at);
  out.line("cause", std::string(to_string(record.cause)));
  out.line("category", record.category);
  out.line("code", record.code);
  out.line("reason", record.reason);
  out.line("fingerprint", to_string(record.fingerprint));
  if (record.first_death) write_first_death(out, *record.first_death);
  out.line("consumer", record.consumer.instance);
  out.line("consumer version", record.consumer.version);
  out.line("workflow version", record.workflow_version);
  out.line("correlation id", record.correlation_id);
  out.line("group", record.group);
  if (record.priority > 0) out.line("priority", std::to_string(record.priority));
  out.line("counts", fmt::format("{}, {}, {}",
                                 record.deliveries == 1 ? "1 delivery"
                                                        : fmt::format("{} deliveries", record.deliveries),
                                 counted(record.replays, "replay"), counted(record.visits, "visit")));
  write_causes(out, "caused by", record.causes);
  write_attempts(out, record.attempts, record.died_at);
  out.line("partial output", record.partial_output);
  out.block("stack trace", record.stack_trace);
}

void write_triage(Writer& out, const Triage& triage) {
  for (const auto& [at, actor, text] : triage.notes) out.line("note", said(at, actor, text));
  if (triage.notes_dropped > 0)
    out.line("notes", fmt::format("{} older ones were dropped", triage.notes_dropped));
  for (const auto& [at, actor, action] : triage.audit) out.line("audit", said(at, actor, action));
  if (triage.audit_dropped > 0)
    out.line("audit", fmt::format("{} older entries were dropped", triage.audit_dropped));
}

void write_content(Writer& out, const DeadLetter& letter) {
  for (const auto& [name, value] : letter.attributes)
    out.line("attribute", fmt::format("{}={}", name, value));
  for (const std::string& what : letter.redacted) out.line("redacted", what);
  out.body("body", letter.body);
  if (!letter.original) return;
  for (const auto& [name, value] : letter.original->attributes)
    out.line("before the edit", fmt::format("{}={}", name, value));
  out.body("body before it", letter.original->body);
}

}  // namespace

std::vector<std::string> dead_letter_lines(const DeadLetter& letter, const Screen& screen, Timestamp now) {
  Writer out(screen, now);
  out.line("dead letter",
           fmt::format("{} seq {}{}", letter.id.to_string(), static_cast<std::uint64_t>(letter.seq),
                       letter.history ? " (history: its message is gone)" : ""));
  const Triage& triage = letter.triage;
  out.line("status",
           fmt::format("{} since {}", to_string(triage.status), format_clock_time(triage.status_since)));
  if (letter.replay) {
    out.line("outcome", letter.replay->outcome == ReplayOutcome::kPending
                            ? "pending"
                            : fmt::format("{} at {}", to_string(letter.replay->outcome),
                                          format_clock_time(letter.replay->at)));
  }
  out.line("assignee", triage.assignee);
  write_failure(out, letter.record);
  write_triage(out, triage);
  write_content(out, letter);
  return out.take();
}

std::string indented(std::string_view text) {
  // Indentation does not make deeper nesting readable, and would need very many blanks.
  constexpr std::size_t kDeepest = 64;
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool nests = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  if (!nests || !nlohmann::json::accept(text)) return std::string(text);
  std::string out;
  std::size_t depth = 0;
  const auto new_line = [&] { out.append(1, '\n').append(2 * depth, ' '); };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      std::size_t end = i + 1;
      while (text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      out += text.substr(i, end + 1 - i);
      i = end;
    } else if (c == '{' || c == '[') {
      out += c;
      const std::size_t next = text.find_first_not_of(" \t\r\n", i + 1);
      if (text[next] == '}' || text[next] == ']') {
        out += text[next];
        i = next;
        continue;
      }
      if (++depth > kDeepest) return std::string(text);
      new_line();
    } else if (c == '}' || c == ']') {
      --depth;
      new_line();
      out += c;
    } else if (c == ',') {
      out += c;
      new_line();
    } else if (c == ':') {
      out += ": ";
    } else if (std::string_view(" \t\r\n").find(c) == std::string_view::npos) {
      out += c;
    }
  }
  return out;
}

}  // namespace holdfast::command
