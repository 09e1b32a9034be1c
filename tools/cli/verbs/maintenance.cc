// `holdfast backup`, `backups`, `restore`, `verify`, `salvage` and `compact` look after the stored data.
// Those that read or make whole directories (`backups`, `restore`, `salvage`) work on this machine, without a
// server.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>

#include "holdfast/engine.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/operations_verbs.h"

namespace holdfast::command {
namespace {

struct BackupArguments {
  std::string directory;
  BackupOptions options;
};

struct RestoreArguments {
  std::string backups;
  std::string directory;
  RestoreOptions options;
};

struct SalvageArguments {
  std::string from;
  std::string to;
};

Json backup_json(const BackupInfo& info) {
  return {{"number", info.number},
          {"taken_at", format_time(info.taken_at)},
          {"bytes", info.bytes},
          {"files", info.files}};
}

Result<void> backup(CommandSession& session, const BackupArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto done = (*broker)->backup(arguments.directory, arguments.options);
  if (!done) return tl::unexpected(done.error());
  if (session.json()) {
    session.print(backup_json(*done));
  } else {
    fmt::print(session.out(), "backup {} of {} bytes in {} files\n", done->number, done->bytes, done->files);
  }
  return {};
}

Result<void> list_backups(CommandSession& session, const std::string& directory) {
  const auto backups = Engine::list_backups(directory);
  if (!backups) return tl::unexpected(backups.error());
  Table table({{"NUMBER", true}, {"TAKEN AT"}, {"BYTES", true}, {"FILES", true}});
  for (const BackupInfo& info : *backups) {
    if (session.json()) session.print(backup_json(info));
    table.add({std::to_string(info.number), format_clock_time(info.taken_at), std::to_string(info.bytes),
               std::to_string(info.files)});
  }
  if (!session.json()) session.print(table);
  return {};
}

Result<void> restore(CommandSession& session, const RestoreArguments& arguments) {
  const auto restored = Engine::restore(arguments.backups, arguments.directory, arguments.options);
  if (!restored) return tl::unexpected(restored.error());
  if (session.json()) {
    session.print(backup_json(*restored));
  } else {
    fmt::print(session.out(), "restored backup {} of {} to {}\n", restored->number,
               format_clock_time(restored->taken_at), printable(arguments.directory));
  }
  return {};
}

void print_findings(CommandSession& session, const std::vector<Finding>& findings, std::uint64_t found) {
  for (const Finding& finding : findings) {
    if (session.json()) {
      session.print({{"kind", finding.kind}, {"where", finding.where}, {"what", finding.what}});
    } else {
      fmt::print(session.out(), "{}: {}: {}\n", printable(finding.kind), printable(finding.where),
                 printable(finding.what));
    }
  }
  if (found > findings.size()) {
    session.note(fmt::format("{} more are not listed", found - findings.size()));
  }
}

// Verifies a directory in this process, without opening it for writing, or asks the server.
Result<void> verify(CommandSession& session) {
  Result<VerifyReport> report;
  if (!session.options.data.empty()) {
    report = Engine::verify(session.options.data);
  } else {
    auto broker = session.broker();
    if (!broker) return tl::unexpected(broker.error());
    report = (*broker)->verify();
  }
  if (!report) return tl::unexpected(report.error());
  print_findings(session, report->findings, report->found);
  if (session.json()) {
    session.print({{"sound", report->sound()},
                   {"findings", report->found},
                   {"queues", report->queues},
                   {"chunks", report->chunks},
                   {"messages", report->messages}});
  } else {
    session.note(fmt::format("{} of {}: {}", counted(report->messages, "message"),
                             counted(report->queues, "queue"),
                             report->sound() ? "sound" : counted(report->found, "finding")));
  }
  if (!report->sound()) session.set_exit_status(1);
  return {};
}

// Returns whether something was lost that may have held messages: nobody knows the content of what cannot be
// read.
bool may_have_held_messages(const SalvageReport& report) {
  constexpr std::string_view kKinds[] = {"file_lost", "writes_lost", "rows_lost"};
  return report.found > report.losses.size() || std::ranges::any_of(report.losses, [&](const Finding& loss) {
           return std::ranges::find(kKinds, loss.kind) != std::end(kKinds);
         });
}

void print_lost(CommandSession& session, const SalvageReport& report) {
  const bool unknown = may_have_held_messages(report);
  if (report.messages_lost > 0) {
    fmt::print(session.out(), "lost {}{}\n", counted(report.messages_lost, "message"),
               unknown ? " by the counts that are left; what could not be read may have held more" : "");
  } else if (unknown) {
    fmt::print(session.out(),
               "how many messages are lost is not known; the findings say what could not be read\n");
  } else {
    fmt::print(session.out(), "no message is lost\n");
  }
}

Result<void> salvage(CommandSession& session, const SalvageArguments& arguments) {
  const auto report = Engine::salvage(arguments.from, arguments.to);
  if (!report) return tl::unexpected(report.error());
  print_findings(session, report->losses, report->found);
  if (session.json()) {
    session.print({{"queues", report->queues},
                   {"messages", report->messages},
                   {"dead_letters", report->dead_letters},
                   {"messages_lost", report->messages_lost},
                   {"losses", report->found}});
  } else {
    fmt::print(session.out(), "brought over {} of {}, among them {}\n", counted(report->messages, "message"),
               counted(report->queues, "queue"), counted(report->dead_letters, "dead letter"));
    print_lost(session, *report);
  }
  return {};
}

Result<void> compact(CommandSession& session, const std::string& queue) {
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  if (auto ok = (*broker)->compact(queue); !ok) return ok;
  if (session.json()) {
    session.print({{"queue", queue.empty() ? Json() : Json(queue)}, {"compacted", true}});
  } else {
    fmt::print(session.out(), "compacted {}\n", queue.empty() ? "all queues" : printable(queue));
  }
  return {};
}

void add_backup_verbs(CLI::App& root, CommandSession& session) {
  auto arguments = std::make_shared<BackupArguments>();
  CLI::App& verb =
      add_verb(root, session, "backup", "Add a backup to a directory of backups, without stopping the queues",
               {"holdfast backup nightly --keep 7", "holdfast backup /backup/orders --data ./data"});
  verb.add_option("directory", arguments->directory,
                  "The directory of backups; with a server, a name below its --backups directory")
      ->required();
  verb.add_option("--keep", arguments->options.keep, "Keep only this many newest ones [all]")
      ->check(check_positive);
  verb.add_flag("--verify", arguments->options.verify, "Read the files back and compare checksums");
  on_run(verb, session, [arguments](CommandSession& s) { return backup(s, *arguments); });

  auto directory = std::make_shared<std::string>();
  CLI::App& list = add_local_verb(root, session, "backups", "List the backups of a directory",
                                  {"holdfast backups /backup/orders"});
  list.add_option("directory", *directory, "The directory of backups, on this machine")->required();
  on_run(list, session, [directory](CommandSession& s) { return list_backups(s, *directory); });

  auto restored = std::make_shared<RestoreArguments>();
  CLI::App& restore_verb = add_local_verb(
      root, session, "restore", "Make a new data directory from a backup, on this machine",
      {"holdfast restore /backup/orders ./data", "holdfast restore /backup/orders ./data --number 3"});
  restore_verb.add_option("backups", restored->backups, "The directory of backups")->required();
  restore_verb.add_option("directory", restored->directory, "The new data directory")->required();
  restore_verb.add_option("--number", restored->options.number, "Which backup [the newest]")
      ->check(check_number);
  on_run(restore_verb, session, [restored](CommandSession& s) { return restore(s, *restored); });
}

void add_check_verbs(CLI::App& root, CommandSession& session) {
  CLI::App& verify_verb =
      add_verb(root, session, "verify", "Check that the stored data is consistent; status 1 if not",
               {"holdfast verify --data ./data", "holdfast verify --server unix:/run/holdfast/socket"});
  on_run(verify_verb, session, verify);

  auto arguments = std::make_shared<SalvageArguments>();
  CLI::App& salvage_verb = add_local_verb(root, session, "salvage",
                                          "Copy what can be read of a damaged data directory into a new one",
                                          {"holdfast salvage ./data ./salvaged"});
  salvage_verb.add_option("from", arguments->from, "The damaged directory; it stays as it is")->required();
  salvage_verb.add_option("to", arguments->to, "The new data directory")->required();
  on_run(salvage_verb, session, [arguments](CommandSession& s) { return salvage(s, *arguments); });

  auto queue = std::make_shared<std::string>();
  CLI::App& compact_verb = add_verb(root, session, "compact", "Reclaim the space of removed messages now",
                                    {"holdfast compact", "holdfast compact orders"});
  compact_verb.add_option("queue", *queue, "Only this queue's")->check(check_not_empty);
  on_run(compact_verb, session, [queue](CommandSession& s) { return compact(s, *queue); });
}

}  // namespace

void add_operations_verbs(CLI::App& root, CommandSession& session) {
  add_status(root, session);
  add_stats(root, session);
  add_backup_verbs(root, session);
  add_check_verbs(root, session);
  add_drain(root, session);
}

}  // namespace holdfast::command
