// `holdfast dlq redrive`, which is also `holdfast redrive`, brings dead letters back, and `dlq park` sets
// them aside. A filter program may pick and edit them. A dry run shows what would change.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/filter_program/filtered_redrive.h"
#include "tools/cli/json.h"
#include "tools/cli/progress.h"
#include "tools/cli/texts/input.h"
#include "tools/cli/texts/table.h"
#include "tools/cli/texts/text.h"
#include "tools/cli/verbs/redrive_verbs.h"

namespace holdfast::command {
namespace {

constexpr std::size_t kEditColumns = 2000;  // of a body before and after an edit

struct RedriveArguments {
  std::string queue;
  FilterArguments filter;
  RedriveOptions options;
  std::uint64_t named = 0;  // see count_named
  std::string patch_file;
  bool detach = false;
  std::string filter_program;
  bool yes = false;
  bool all = false;  // like in other verbs; without a filter all are moved anyway, after a question
};

void add_letters_to_move(CLI::App& verb, RedriveArguments& arguments) {
  verb.add_option("queue", arguments.queue, "The dead letter queue")->required();
  add_letters(verb, arguments.filter);
  add_filter(verb, arguments.filter);
  verb.add_option("-n,--max", arguments.options.max, "At most this many, in the order they came [all]")
      ->check(check_positive);
  add_all(verb, arguments.all);
  add_actor(verb, arguments.options.actor);
  add_request_id(verb, arguments.options.request_id);
}

ValueAttribute value_attribute_of(const std::string& text) {
  const auto equals = text.rfind('=');
  const auto value =
      equals == std::string::npos ? std::nullopt : parse_redrive_value(text.substr(equals + 1));
  if (equals == 0 || !value) {
    throw CLI::ValidationError("--set-attribute-from",
                               "'" + text + "' is not NAME=from_dlq, NAME=time or NAME=replays");
  }
  return {.name = text.substr(0, equals), .value = *value};
}

void add_edit(CLI::App& verb, RedriveArguments& arguments) {
  verb.add_option("--patch", arguments.patch_file,
                  "Apply the JSON Patch (RFC 6902) in this file to bodies that are JSON")
      ->check(check_not_empty)
      ->type_name("FILE");
  verb.add_option_function<std::vector<std::string>>(
          "--set-attribute",
          [&arguments](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              const auto equals = text.find('=');
              if (equals == 0 || equals == std::string::npos)
                throw CLI::ValidationError("--set-attribute", "'" + text + "' is not NAME=VALUE");
              arguments.options.edit.set_attributes.push_back(
                  {.name = text.substr(0, equals), .value = text.substr(equals + 1)});
            }
          },
          "Set this attribute on each message; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option_function<std::vector<std::string>>(
          "--set-attribute-from",
          [&arguments](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              arguments.options.edit.value_attributes.push_back(value_attribute_of(text));
          },
          "Set this attribute on each message to what the redrive knows: from_dlq (the queue that the "
          "message "
          "comes from), time (of the redrive), replays (how many with this one); may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  verb.add_option("--drop-attribute", arguments.options.edit.drop_attributes,
                  "Drop this attribute from each message; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void add_filter_program(CLI::App& verb, RedriveArguments& arguments) {
  auto* program =
      verb.add_option(
              "--filter-program", arguments.filter_program,
              "Ask this command what to do with each. It reads a JSON object a line, as 'dlq show "
              "--json' prints it, and answers each with a line, in order: {\"action\": "
              "\"redrive\"}, \"skip\" or \"discard\"; with redrive it may give a \"body\" (or "
              "\"body_base64\"), \"set_attributes\": {NAME: VALUE} and \"drop_attributes\": [NAME]. Unless "
              "it answers every line and ends with status 0, nothing is touched")
          ->type_name("COMMAND")
          ->check(check_not_empty);
  for (const char* other :
       {"--patch", "--set-attribute", "--set-attribute-from", "--drop-attribute", "--canary", "--rate"})
    program->excludes(verb.get_option(other));
}

Result<void> read_patch(RedriveArguments& arguments) {
  if (arguments.patch_file.empty()) return {};
  auto patch = read_file(arguments.patch_file, "the patch '" + arguments.patch_file + "'");
  if (!patch) return tl::unexpected(patch.error());
  if (patch->empty())  // an empty patch would move the messages as they are
    return fail(ErrorCode::kInvalidArgument, arguments.patch_file + " is empty: it has no JSON Patch");
  arguments.options.edit.json_patch = std::move(*patch);
  return {};
}

// Returns the broker. Makes the filter and counts the dead letters that are named, as the broker knows them.
Result<Broker*> prepare(CommandSession& session, RedriveArguments& arguments) {
  auto broker = session.broker();
  if (!broker) return broker;
  auto filter = filter_of(arguments.filter, (*broker)->now());
  if (!filter) return tl::unexpected(filter.error());
  arguments.options.filter = *std::move(filter);
  auto named = count_named(**broker, arguments.queue, arguments.options.filter);
  if (!named) return tl::unexpected(named.error());
  arguments.named = *named;
  return broker;
}

// Checks that the dead letters that were named were found. Once --max is reached, the rest was not looked
// for.
Result<void> check_found(CommandSession& session, const RedriveArguments& arguments, std::uint64_t done,
                         const LeftInPlace& left) {
  if (arguments.options.max != 0 && done >= arguments.options.max) return {};
  return check_named(session, arguments.queue, arguments.named, done + left.total());
}

void show_change(CommandSession& session, const std::string& what, const std::string& before,
                 const std::string& after) {
  if (before == after) return;
  session.out() << "  " << what << '\n';
  if (!before.empty()) session.out() << "    - " << printable(before, kEditColumns) << '\n';
  if (!after.empty()) session.out() << "    + " << printable(after, kEditColumns) << '\n';
}

// Returns all values of that name as one text.
std::string values_of(const Attributes& attributes, const std::string& name) {
  std::string text;
  for (const Attribute& attribute : attributes) {
    if (attribute.name == name) text += (text.empty() ? "" : ", ") + attribute.value;
  }
  return text;
}

void show_edit(CommandSession& session, const DeadLetter& letter) {
  session.out() << "of " << static_cast<std::uint64_t>(letter.seq) << " the edit changes\n";
  const OriginalMessage& before = *letter.original;
  const bool hidden = std::ranges::find(letter.redacted, "body") != letter.redacted.end();
  if (!hidden) show_change(session, "body", before.body, letter.body);
  std::set<std::string> names;
  for (const Attributes* attributes : {&before.attributes, &letter.attributes}) {
    for (const Attribute& attribute : *attributes) names.insert(attribute.name);
  }
  for (const std::string& name : names) {
    show_change(session, "attribute " + printable(name), values_of(before.attributes, name),
                values_of(letter.attributes, name));
  }
}

// Shows what the edit makes of the sample.
void show_edits(CommandSession& session, const Redriven& would) {
  for (const DeadLetter& letter : would.sample) {
    session.out() << '\n';
    if (letter.original) {
      show_edit(session, letter);
    } else {
      session.out() << static_cast<std::uint64_t>(letter.seq)
                    << " is not shown: the sample shows 1 MiB of messages; name it to see its edit\n";
    }
  }
}

Result<void> dry_run(CommandSession& session, Broker& broker, const RedriveArguments& arguments) {
  const auto would = broker.redrive(arguments.queue, arguments.options);
  if (!would) return tl::unexpected(would.error());
  if (auto ok = check_found(session, arguments, would->moved + would->parked, would->left); !ok) return ok;
  const bool parks = arguments.options.action == RedriveAction::kPark;
  if (session.json()) {
    Json sample = Json::array();
    for (const DeadLetter& letter : would->sample)
      sample.push_back(to_json(letter, letter.original.has_value()));
    session.print({{"queue", arguments.queue},
                   {"dry_run", true},
                   {"move", would->moved},
                   {"skip", would->left.total()},
                   {"left", to_json(would->left)},
                   {"park", would->parked},
                   {"sample", std::move(sample)}});
    return {};
  }
  session.out() << (parks ? fmt::format("would park {}", counted(would->parked, "message"))
                          : fmt::format("would move {}, park {}", counted(would->moved, "message"),
                                        would->parked))
                << ", leave " << would->left.total() << " in place"
                << (would->left.total() > 0 ? ": " + to_string(would->left) : "") << '\n';
  if (would->sample.empty()) return {};
  const std::uint64_t all = parks ? would->parked : would->moved;
  if (all > would->sample.size())
    session.out() << fmt::format("a sample, the first {} of {}:\n", would->sample.size(), all);
  Table table(
      {{"SEQ", true}, {"CATEGORY", false, 1}, {"REASON"}, {"REPLAYS", true, 3}, {"SOURCE", false, 2}});
  for (const DeadLetter& letter : would->sample) {
    const FailureRecord& record = letter.record;
    table.add({to_string(letter.seq), record.category, record.reason, std::to_string(record.replays),
               record.source_queue});
  }
  session.print(table);
  if (!arguments.options.edit.empty()) show_edits(session, *would);
  return {};
}

void print_counts(CommandSession& session, const std::string& verb, const RedriveArguments& arguments,
                  const Redriven& done) {
  const std::uint64_t moved = verb == "parked" ? done.parked : done.moved;
  session.out() << fmt::format("{} {} from {}\n", verb, counted(moved, "message"), arguments.queue);
  if (verb != "parked" && done.parked > 0)
    session.out() << "parked " << done.parked << ": redriven too often\n";
  if (done.left.total() > 0)
    session.out() << "left " << done.left.total() << " in place: " << to_string(done.left) << '\n';
}

// Checks that the dead letters that were named were found, and that not all of them were left in place.
Result<void> check_done(CommandSession& session, const RedriveArguments& arguments, std::uint64_t done,
                        const LeftInPlace& left) {
  if (auto ok = check_found(session, arguments, done, left); !ok) return ok;
  check_left(session, arguments.queue, done, left);
  return {};
}

// Asks before everything is taken.
Result<bool> may_take(CommandSession& session, Broker& broker, const RedriveArguments& arguments,
                      const std::string& verb) {
  if (!arguments.filter.everything() || arguments.options.max != 0) return true;
  auto info = broker.describe_queue(arguments.queue);
  if (!info) return tl::unexpected(info.error());
  if (info->counts.dead == 0) return true;
  return session.go_ahead(
      fmt::format("{} all of '{}': {}?", verb, arguments.queue, counted(info->counts.dead, "dead letter")),
      arguments.yes);
}

// Waits for the task and says how it went.
Result<void> follow(CommandSession& session, Broker& broker, const RedriveArguments& arguments, TaskId task) {
  auto status = follow_task(session, broker, task);
  if (!status) return tl::unexpected(status.error());
  const bool left = status->state == TaskState::kRunning;
  if (session.json()) {
    session.print(to_json(*status));
  } else if (!left) {
    print_counts(session, "redrove", arguments, {task, status->moved, status->parked, status->left});
    if (status->total == 0) note_no_dead_letters(session, broker, arguments.queue);
  }
  if (left) return {};
  const auto number = static_cast<std::uint64_t>(task);
  if (status->state == TaskState::kCanaryFailed) {
    session.report_undone(fmt::format("task {}: of its first {}, {} died again; the rest stays in {}", number,
                                      counted(status->canaries, "message"), status->canary_failed,
                                      arguments.queue));
    return {};
  }
  if (status->state == TaskState::kDone)
    return check_done(session, arguments, status->moved + status->parked, status->left);
  session.report_undone(fmt::format("task {} is {}{}{}", number, state_text(*status),
                                    status->error.empty() ? "" : ": ", status->error));
  return {};
}

Result<void> redrive(CommandSession& session, RedriveArguments arguments) {
  if (auto ok = read_patch(arguments); !ok) return ok;
  RedriveOptions& options = arguments.options;
  const bool shows = options.dry_run || !arguments.filter_program.empty();
  if (!options.redact.empty() && !shows) {
    return fail(ErrorCode::kInvalidArgument,
                "--redact is for --dry-run and --filter-program: a redrive shows no messages");
  }
  auto broker = prepare(session, arguments);
  if (!broker) return tl::unexpected(broker.error());
  if (!arguments.filter_program.empty()) {
    return redrive_with_program(session, **broker,
                                {.queue = arguments.queue,
                                 .options = options,
                                 .named = arguments.named,
                                 .program = arguments.filter_program,
                                 .yes = arguments.yes});
  }
  if (options.dry_run) return dry_run(session, **broker, arguments);
  const auto go = may_take(session, **broker, arguments, "redrive");
  if (!go || !*go) return go ? Result<void>() : tl::unexpected(go.error());
  options.wait = false;
  auto started = (*broker)->redrive(arguments.queue, options);
  if (!started) return tl::unexpected(started.error());
  if (!arguments.detach) return follow(session, **broker, arguments, started->task);
  const auto number = static_cast<std::uint64_t>(started->task);
  if (session.json()) {
    session.print({{"queue", arguments.queue}, {"task", number}});
  } else {
    session.out() << fmt::format("started task {}: 'holdfast dlq tasks' shows it\n", number);
  }
  return {};
}

Result<void> park(CommandSession& session, RedriveArguments arguments) {
  auto broker = prepare(session, arguments);
  if (!broker) return tl::unexpected(broker.error());
  warn_of_consumers(session, **broker, arguments.options.to);
  if (arguments.options.dry_run) return dry_run(session, **broker, arguments);
  const auto go = may_take(session, **broker, arguments, "park");
  if (!go || !*go) return go ? Result<void>() : tl::unexpected(go.error());
  auto parked = (*broker)->redrive(arguments.queue, arguments.options);
  if (!parked) return tl::unexpected(parked.error());
  if (session.json()) {
    session.print({{"queue", arguments.queue},
                   {"parked", parked->parked},
                   {"skipped", parked->left.total()},
                   {"left", to_json(parked->left)}});
  } else {
    print_counts(session, "parked", arguments, *parked);
  }
  return check_done(session, arguments, parked->parked, parked->left);
}

}  // namespace

void add_redrive(CLI::App& parent, CommandSession& session, const std::string& prefix) {
  auto arguments = std::make_shared<RedriveArguments>();
  RedriveOptions& options = arguments->options;
  CLI::App& verb = add_verb(
      parent, session, "redrive",
      "Move dead letters back to the queues they came from; asks first if nothing selects them",
      {prefix + "redrive orders-dlq --dry-run", prefix + "redrive orders-dlq --category timeout --rate 100",
       prefix + "redrive orders-dlq 7 --patch fix.json --set-attribute fixed-by=ada --dry-run",
       prefix + "redrive orders-dlq --category timeout --set-attribute-from replayed-from=from_dlq"});
  add_letters_to_move(verb, *arguments);
  verb.add_option("--to", options.to, "To this queue instead")->check(check_not_empty)->type_name(kQueueType);
  verb.add_option("--rate", options.rate, "Messages a second [as fast as it goes]")->check(check_positive);
  auto* gate =
      verb.add_option("--max-replays", options.max_replays, "Leave what was redriven this often already")
          ->check(check_positive);
  verb.add_flag("--park-refused", options.park_refused, "Park what --max-replays refuses")->needs(gate);
  verb.add_option("--unless-version", options.unless_version,
                  "Leave what this version of the consumer failed on")
      ->check(check_not_empty);
  auto* canary = verb.add_option("--canary", options.canary,
                                 "Move this many first, and the rest only if those are acknowledged")
                     ->check(check_positive);
  verb.add_option("--canary-percent", options.canary_percent,
                  "Move the rest if at least this share of the first ones is acknowledged [100]")
      ->check(check_number)
      ->check(CLI::Range(1, 100))
      ->needs(canary);
  add_edit(verb, *arguments);
  add_filter_program(verb, *arguments);
  add_yes(verb, arguments->yes, "Do not ask before everything is moved, or a filter program's discards");
  verb.add_flag("--dry-run", options.dry_run, "Say what would move, and move nothing");
  add_redaction(verb, options.redact);
  verb.add_flag("--detach", arguments->detach, "Start the task and leave it to the server")
      ->excludes(verb.get_option("--filter-program"));
  on_run(verb, session, [arguments](CommandSession& s) { return redrive(s, *arguments); });
}

void add_park(CLI::App& group, CommandSession& session) {
  auto arguments = std::make_shared<RedriveArguments>();
  RedriveOptions& options = arguments->options;
  options.action = RedriveAction::kPark;
  CLI::App& verb =
      add_verb(group, session, "park",
               "Put dead letters aside for people, in the parking queue; asks first if nothing selects them",
               {"holdfast dlq park orders-dlq 7", "holdfast dlq park orders-dlq --category fraud",
                "holdfast dlq park orders-dlq --older-than 30d --dry-run"});
  add_letters_to_move(verb, *arguments);
  add_yes(verb, arguments->yes);
  auto* dry_run = verb.add_flag("--dry-run", options.dry_run, "Say what would be parked, and move nothing");
  add_redaction(verb, options.redact);
  for (const char* name : {"--redact", "--redact-attribute"}) verb.get_option(name)->needs(dry_run);
  verb.add_option("--to", options.to, "Into this queue instead of the queue's parking queue")
      ->check(check_not_empty)
      ->type_name(kQueueType);
  on_run(verb, session, [arguments](CommandSession& s) { return park(s, *arguments); });
}

}  // namespace holdfast::command
