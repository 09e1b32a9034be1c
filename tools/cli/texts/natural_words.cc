#include "tools/cli/texts/natural_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::command {

std::span<const NaturalWord> natural_words() {
  static const std::vector<NaturalWord> words{
      {"",
       {"nack", "fail", "nak"},
       {{"release", "to have it tried again"}, {"reject", "to dead-letter it now"}}},
      {"", {"acknowledge", "complete", "commit", "done"}, {{"ack"}}},
      {"", {"renew", "touch", "keep"}, {{"extend"}}},
      {"", {"retry"}, {{"release", "of a message that you hold"}, {"redrive", "of dead letters"}}},
      {"", {"replay", "requeue", "move", "resurrect"}, {{"redrive"}}},
      {"", {"resend", "redeliver"}, {{"dlq redrive"}}},
      {"", {"ls", "list", "queues"}, {{"queue list"}, {"dlq list", "of dead letters"}}},
      {"", {"publish", "push", "enqueue", "put", "produce", "post", "pub", "add"}, {{"send"}}},
      {"", {"pull", "pop", "get", "consume", "dequeue", "poll", "subscribe", "sub", "read"}, {{"receive"}}},
      {"", {"tail", "follow"}, {{"receive --follow"}, {"status --watch"}}},
      {"", {"browse", "head", "cat"}, {{"peek"}}},
      {"", {"create", "declare", "new"}, {{"queue create"}}},
      {"",
       {"delete", "remove", "rm"},
       {{"ack", "of a message that you hold"}, {"queue delete"}, {"dlq discard", "of dead letters"}}},
      {"", {"purge", "empty", "clear", "flush"}, {{"queue purge"}}},
      {"", {"describe", "info", "show", "inspect"}, {{"queue describe"}, {"dlq show", "of dead letters"}}},
      {"", {"alter", "set", "update", "edit", "configure"}, {{"queue alter"}}},
      {"", {"pause", "stop", "freeze"}, {{"queue pause"}, {"drain", "for a whole server"}}},
      {"", {"top", "watch", "overview", "dashboard"}, {{"status --watch"}, {"dlq watch"}}},
      {"", {"search", "find", "grep"}, {{"dlq find"}, {"peek --id"}, {"history"}}},
      {"", {"trace", "where", "journal"}, {{"history"}}},
      {"", {"dead", "dead-letters", "deadletters", "dlqs", "errors"}, {{"dlq list"}, {"status"}}},
      {"", {"health", "ping"}, {{"status"}}},
      {"", {"metrics", "stat"}, {{"stats"}}},
      {"", {"check", "fsck"}, {{"verify"}}},
      {"", {"dump", "export"}, {{"dlq export"}, {"backup"}}},
      {"", {"discard"}, {{"dlq discard"}}},
      {"", {"assign"}, {{"dlq assign"}}},
      {"", {"note"}, {{"dlq note"}}},
      {"", {"import"}, {{"dlq import"}}},
      {"", {"abandon"}, {{"dlq abandon"}}},
      {"", {"version"}, {{"--version"}}},
      {"queue", {"ls", "all"}, {{"queue list"}}},
      {"queue", {"rm", "remove", "drop", "destroy"}, {{"queue delete"}}},
      {"queue", {"show", "info", "get", "inspect", "view"}, {{"queue describe"}}},
      {"queue", {"new", "add", "declare", "make"}, {{"queue create"}}},
      {"queue", {"set", "update", "edit", "modify", "change", "configure"}, {{"queue alter"}}},
      {"queue", {"empty", "clear", "flush", "truncate"}, {{"queue purge"}}},
      {"queue", {"stop", "freeze", "suspend"}, {{"queue pause"}}},
      {"queue", {"start", "unpause", "continue"}, {{"queue resume"}}},
      {"queue", {"stats", "status"}, {{"stats"}, {"status"}}},
      {"queue", {"peek", "browse"}, {{"peek"}}},
      {"dlq", {"search", "grep"}, {{"dlq find"}, {"dlq list"}}},
      {"dlq", {"ls", "filter"}, {{"dlq list"}}},
      {"dlq", {"replay", "requeue", "retry", "move", "resend", "redeliver"}, {{"dlq redrive"}}},
      {"dlq", {"peek", "browse", "head"}, {{"dlq list"}, {"dlq show", "of one"}}},
      {"dlq", {"get", "describe", "view", "inspect", "cat"}, {{"dlq show"}}},
      {"dlq", {"delete", "remove", "rm", "drop", "purge", "clear", "empty", "ack"}, {{"dlq discard"}}},
      {"dlq", {"count", "summary"}, {{"dlq stats"}, {"dlq group"}}},
      {"dlq", {"top", "tail", "follow"}, {{"dlq watch"}}},
      {"dlq", {"comment", "annotate"}, {{"dlq note"}}},
      {"dlq", {"claim", "take", "unassign"}, {{"dlq assign"}}},
      {"dlq", {"close", "resolve", "fix"}, {{"dlq status --to fixed"}}},
      {"dlq", {"archive", "dump", "backup", "save"}, {{"dlq export"}}},
      {"dlq", {"load", "restore"}, {{"dlq import"}}},
      {"dlq", {"jobs", "redrives"}, {{"dlq tasks"}}},
      {"dlq", {"stop", "abort"}, {{"dlq cancel"}}},
  };
  return words;
}

std::string lead_on(std::string_view group, std::string_view typed) {
  for (const NaturalWord& entry : natural_words()) {
    if (entry.group != group || std::ranges::find(entry.words, typed) == entry.words.end()) continue;
    std::string text;
    for (const Lead& lead : entry.leads) {
      if (!text.empty()) text += &lead == &entry.leads.back() ? " or " : ", ";
      text += fmt::format("'holdfast {}'", lead.verb);
      if (!lead.when.empty()) text += fmt::format(" ({})", lead.when);
    }
    return "did you mean " + text + "?";
  }
  return "";
}

}  // namespace holdfast::command
