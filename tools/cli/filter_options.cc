#include "tools/cli/filter_options.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "holdfast/limits.h"
#include "tools/cli/texts/choices.h"
#include "tools/cli/texts/duration.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

constexpr const char* kFilterGroup = "Which dead letters";

void add_letter(const std::string& text, DeadLetterFilter& filter) {
  std::uint64_t seq = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seq);
  if (error == std::errc() && end == text.data() + text.size()) {
    filter.seqs.push_back(Seq{seq});
    return;
  }
  auto id = MessageId::parse(text);
  if (!id) throw CLI::ValidationError("letter", "'" + text + "' is neither a SEQ nor an id");
  filter.ids.push_back(*id);
}

void add_attribute(const std::string& text, DeadLetterFilter& filter) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError("--attribute", "'" + text + "' is not NAME=VALUE");
  filter.attributes.push_back({text.substr(0, equals), text.substr(equals + 1)});
}

template <class Name>
void drop_repeated(std::vector<Name>& names) {
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

template <class Enum>
void add_name(CLI::App& verb, const std::string& name, std::optional<Enum>& target,
              const std::string& description) {
  add_choice<Enum>(
      verb, name, [&target](Enum value) { target = value; }, description)
      ->group(kFilterGroup);
}

void add_fingerprint(CLI::App& verb, std::optional<Fingerprint>& target) {
  verb.add_option_function<std::string>(
          "--fingerprint",
          [&target](const std::string& text) {
            target = parse_fingerprint(text);
            if (!target)
              throw CLI::ValidationError("--fingerprint",
                                         "'" + text + "' is not 16 hex digits, as group shows them");
          },
          "Only failures with this fingerprint, which dlq group shows")
      ->group(kFilterGroup);
}

void add_text(CLI::App& verb, const std::string& name, std::optional<std::string>& target,
              const std::string& description) {
  verb.add_option(name, target, description)->group(kFilterGroup);
}

// Reads a time or an age. kInvalidArgument for an age of 0: everything is older than that.
Result<Moment> parse_moment(const std::string& text) {
  if (const auto time = parse_time(text)) return *time;
  const auto age = parse_duration(text);
  if (!age)
    return fail(ErrorCode::kInvalidArgument,
                age.error().message + ", nor a time such as 2026-03-01T09:30:00Z");
  if (*age == Duration{0}) return fail(ErrorCode::kInvalidArgument, "an age must be above 0");
  return *age;
}

void add_moment(CLI::App& verb, const std::string& name, std::optional<Moment>& target,
                const std::string& description) {
  verb.add_option_function<std::string>(
          name,
          [&target, name](const std::string& text) {
            const auto moment = parse_moment(text);
            if (!moment) throw CLI::ValidationError(name, moment.error().message);
            target = *moment;
          },
          description)
      ->type_name("DURATION|TIME")
      ->group(kFilterGroup);
}

// Sets a bound of the filter. kInvalidArgument for a time in the future: nothing dies in the future.
Result<void> set_time(std::string_view option, const std::optional<Moment>& moment, Timestamp now,
                      std::optional<Timestamp>& target) {
  if (!moment) return {};
  const auto* age = std::get_if<Duration>(&*moment);
  target = age != nullptr ? now - *age : std::get<Timestamp>(*moment);
  if (*target <= now) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: {} is in the future", option, format_time(*target)));
}

std::string user_name() {
  const char* name = std::getenv("USER");  // NOLINT(concurrency-mt-unsafe)
  if (name != nullptr && *name != '\0') return name;
  const passwd* user = ::getpwuid(::geteuid());  // NOLINT(concurrency-mt-unsafe)
  return user == nullptr ? "" : user->pw_name;
}

}  // namespace

void add_letters(CLI::App& verb, FilterArguments& target) {
  verb.add_option_function<std::vector<std::string>>(
          "letter",
          [&target](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) add_letter(text, target.filter);
            drop_repeated(target.filter.seqs);
            drop_repeated(target.filter.ids);
          },
          "Only these: their SEQ, the id of the message, or their own id")
      ->type_name("LETTER");
}

void add_filter(CLI::App& verb, FilterArguments& target) {
  DeadLetterFilter& filter = target.filter;
  add_text(verb, "--category", filter.category,
           "Only this category; '' selects those without one. The same holds for --code, --source, "
           "--consumer-version, --assignee, --correlation-id and --workflow-version");
  add_text(verb, "--code", filter.code, "Only this error code");
  add_text(verb, "--source", filter.source, "Only from this queue");
  verb.get_option("--source")->type_name(kQueueType);
  add_text(verb, "--consumer-version", filter.consumer_version,
           "Only failures of this version of the consumer");
  add_text(verb, "--assignee", filter.assignee, "Only those assigned to this person");
  add_fingerprint(verb, filter.fingerprint);
  add_name(verb, "--status", filter.status, "Only with this status");
  add_name(verb, "--cause", filter.cause, "Only those that died of this cause");
  verb.add_option("--reason", filter.reason,
                  "The reason contains this; the case of A to Z does not matter, that of other letters does")
      ->check(check_not_empty)
      ->group(kFilterGroup);
  add_text(verb, "--correlation-id", filter.correlation_id, "Only messages with this correlation id");
  add_text(verb, "--workflow-version", filter.workflow_version, "Only messages with this workflow version");
  verb.add_option("--min-replays", filter.min_replays,
                  "Only what was redriven at least this often; with --history, the last redrive counts too")
      ->check(check_number)
      ->group(kFilterGroup);
  verb.add_option_function<std::vector<std::string>>(
          "--attribute",
          [&filter](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) add_attribute(text, filter);
          },
          "Only messages with this value of an attribute; may be repeated. Fast for attributes that the "
          "queue searches by (queue create --searched-attributes); for others, dead letters are read one by "
          "one")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->group(kFilterGroup);
  verb.add_option("--in-body", filter.body,
                  "The body contains this, compared as --reason is; bodies are read one by one")
      ->check(check_not_empty)
      ->group(kFilterGroup);
  add_moment(verb, "--older-than", target.older_than, "Died longer ago than this, or before this time");
  add_moment(verb, "--newer-than", target.newer_than, "Died within this time, or at this time or after it");
  verb.add_flag("--history", filter.history, "Also records whose message is gone: discarded, or replayed")
      ->group(kFilterGroup);
}

void add_redaction(CLI::App& verb, Redaction& target) {
  verb.add_flag("--redact", target.bodies, "Leave out bodies and partial output");
  verb.add_option("--redact-attribute", target.attributes,
                  "Leave out the value of this attribute; may be repeated")
      ->check(check_not_empty)
      ->allow_extra_args(false);
}

std::string body_cell(const std::string& body, const std::vector<std::string>& redacted) {
  return std::ranges::find(redacted, "body") == redacted.end() ? body : "(redacted)";
}

Result<DeadLetterFilter> filter_of(const FilterArguments& arguments, Timestamp now) {
  DeadLetterFilter filter = arguments.filter;
  if (auto ok = set_time("--older-than", arguments.older_than, now, filter.died_before); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = set_time("--newer-than", arguments.newer_than, now, filter.died_from); !ok)
    return tl::unexpected(ok.error());
  if (filter.died_before && filter.died_from && *filter.died_before <= *filter.died_from) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no time is both before {} (--older-than) and after {} (--newer-than)",
                            format_time(*filter.died_before), format_time(*filter.died_from)));
  }
  return filter;
}

bool take_names(DeadLetterFilter& filter, const DeadLetter& letter) {
  return std::erase(filter.seqs, letter.seq) + std::erase(filter.ids, letter.id) +
             std::erase(filter.ids, letter.record.message_id) >
         0;
}

Result<std::uint64_t> count_named(Broker& broker, const std::string& queue, const DeadLetterFilter& filter) {
  DeadLetterFilter names{.ids = filter.ids, .seqs = filter.seqs, .history = true};
  std::uint64_t named = 0;
  // SEQs alone, or a single id, need no look: each names one dead letter.
  if (!names.ids.empty() && names.seqs.size() + names.ids.size() > 1) {
    ListDeadLettersOptions options{.filter = names, .max = limits::kListPage};
    do {
      auto page = broker.list_dead_letters(queue, options);
      if (!page) return tl::unexpected(page.error());
      for (const DeadLetter& letter : page->items) named += take_names(names, letter) ? 1 : 0;
      options.after = page->next;
    } while (options.after);
  }
  return named + names.seqs.size() + names.ids.size();
}

Result<void> check_named(CommandSession& session, const std::string& queue, std::uint64_t named,
                         std::uint64_t found) {
  if (found >= named) return {};
  if (found == 0) return fail(ErrorCode::kMessageNotFound, "no such dead letter in '" + queue + "'");
  session.report(
      {ErrorCode::kMessageNotFound, fmt::format("{} of the {} that were named: no such dead letter in '{}'",
                                                named - found, counted(named, "dead letter"), queue)});
  return {};
}

void check_left(CommandSession& session, const std::string& queue, std::uint64_t done,
                const LeftInPlace& left) {
  if (done > 0 || left.total() == 0) return;
  session.report_undone(fmt::format("nothing was moved: left {} in {}: {}",
                                    counted(left.total(), "dead letter"), queue, to_string(left)));
}

void add_actor(CLI::App& verb, std::string& target) {
  target = user_name();
  verb.add_option("--actor", target,
                  "Who makes the change, for the audit [$USER, else the user who runs this]");
}

void add_all(CLI::App& verb, bool& target) {
  verb.add_flag("--all", target, "Every dead letter, if nothing else selects any");
}

void add_yes(CLI::App& verb, bool& target, const std::string& description) {
  verb.add_flag("-y,--yes", target, description);
}

void add_selection(CLI::App& verb, SelectionArguments& target) {
  verb.add_option("queue", target.queue, "The dead letter queue")->required();
  add_letters(verb, target.filter);
  add_filter(verb, target.filter);
  add_all(verb, target.all);
  verb.add_flag("--dry-run", target.dry_run, "Say how many it would be, and change nothing");
  add_actor(verb, target.actor);
}

Result<DeadLetterSelection> selection_of(const SelectionArguments& arguments, Timestamp now) {
  auto filter = filter_of(arguments.filter, now);
  if (!filter) return tl::unexpected(filter.error());
  return DeadLetterSelection{.filter = *std::move(filter),
                             .all = arguments.all,
                             .actor = arguments.actor,
                             .dry_run = arguments.dry_run};
}

}  // namespace holdfast::command
