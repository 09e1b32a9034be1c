// Describes alerts and events in one line for people, for the log, webhooks and the command.
#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "holdfast/event.h"
#include "holdfast/policy.h"

namespace holdfast {
namespace {

// A reason may have thousands of bytes. A summary shows this many of them at most.
constexpr std::size_t kReasonBytes = 200;

std::string counted(std::uint64_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

bool is_of_age(const Alert& alert) { return alert.rule == "oldest" || alert.rule == "unassigned"; }

std::string age(std::uint64_t seconds) {
  return format_rounded(std::chrono::seconds(static_cast<std::int64_t>(seconds)));
}

std::string threshold_text(const Alert& alert) {
  return is_of_age(alert) ? age(alert.threshold) : std::to_string(alert.threshold);
}

std::string value_text(const Alert& alert) {
  if (alert.rule == "arrivals") return counted(alert.value, "dead letter") + " a minute";
  if (alert.rule == "flood_brake") return counted(alert.value, "death") + " within a minute";
  if (!is_of_age(alert)) return counted(alert.value, "dead letter");
  const std::string which = alert.rule == "oldest" ? "dead letter" : "dead letter without an assignee";
  if (!alert.dead_letter) return "no " + which;
  return "the oldest " + which + ", number " + to_string(*alert.dead_letter) + ", died " + age(alert.value) +
         " ago";
}

// A rule that is turned off clears, however large its value is.
std::string clearing_text(const Alert& alert) {
  if (alert.value > alert.threshold) return value_text(alert) + ", but the rule is off";
  return value_text(alert) + ", no longer more than " + threshold_text(alert);
}

// Returns the first line, or its beginning if it is long. No character is cut in two.
std::string beginning(std::string_view text) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  std::size_t end = std::min(line, kReasonBytes);
  while (end < line && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + (end < text.size() ? "..." : "");
}

std::string death_text(const Event& event) {
  std::string text = event.queue + ": message " + event.message.value_or(MessageId{}).to_string() +
                     " died (" + std::string(to_string(event.cause.value_or(DeathCause{})));
  if (!event.category.empty()) text += ", " + event.category;
  text += "), and is in " + event.target;
  if (event.dead_letter) text += " as number " + to_string(*event.dead_letter);
  return event.text.empty() ? text : text + ": " + beginning(event.text);
}

}  // namespace

std::string summary(const Alert& alert) { return value_text(alert) + ", more than " + threshold_text(alert); }

std::string summary(const Event& event) {
  const Alert alert = event.alert.value_or(Alert{.rule = event.text, .value = event.count});
  switch (event.kind) {
    case EventKind::kDied:
      return death_text(event);
    case EventKind::kRuleFired:
      return std::string(to_string(alert.severity)) + ": " + event.queue + ": " + summary(alert);
    case EventKind::kRuleCleared:
      return "cleared: " + event.queue + ": " + clearing_text(alert);
    case EventKind::kDiscarded:
      return event.queue + ": a message was rejected and discarded: " + beginning(event.text);
    case EventKind::kExpired:
      return event.queue + ": a message expired and was dropped";
    case EventKind::kOverflowed:
      return event.queue + ": a message was dropped to make room";
    case EventKind::kMissed:
      return counted(event.count, "event") + " could not be told";
    case EventKind::kClockStepped:
      return "the clock was set by " + event.text;
  }
  return {};
}

}  // namespace holdfast
