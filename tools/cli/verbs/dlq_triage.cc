// `holdfast dlq assign`, `note`, `status`, `abandon` and `discard` change the triage of dead letters. Before
// they are abandoned or discarded, a dry run tells how many are meant, and a person is asked.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "tools/cli/dlq_verbs.h"
#include "tools/cli/filter_options.h"
#include "tools/cli/texts/choices.h"
#include "tools/cli/texts/text.h"

namespace holdfast::command {
namespace {

struct TriageArguments {
  SelectionArguments selection;
  DeadLetterChanges changes;
};

Result<void> report(CommandSession& session, const SelectionArguments& arguments, std::uint64_t named,
                    const DeadLettersChanged& done, bool discarded) {
  const std::uint64_t found = done.changed + done.unchanged + done.refused;
  if (auto ok = check_named(session, arguments.queue, named, found); !ok) return ok;
  if (done.refused > 0 && !arguments.dry_run) session.set_exit_status(1);
  if (session.json()) {
    Json object{{"queue", arguments.queue}, {discarded ? "discarded" : "changed", done.changed}};
    if (!discarded) object["unchanged"] = done.unchanged;
    object["refused"] = done.refused;
    object["dry_run"] = arguments.dry_run;
    session.print(object);
    return {};
  }
  const char* verb = discarded ? "discard" : "change";
  const std::string letters = counted(done.changed, "dead letter");
  session.out() << (arguments.dry_run ? fmt::format("would {} {} of {}\n", verb, letters, arguments.queue)
                                      : fmt::format("{}{} {} of {}\n", verb, discarded ? "ed" : "d", letters,
                                                    arguments.queue));
  if (done.unchanged > 0)
    session.out() << done.unchanged << " already " << (done.unchanged == 1 ? "was so\n" : "were so\n");
  if (done.refused > 0) {
    session.out() << "left " << done.refused
                  << (discarded ? " as they are: leased, or history\n"
                                : " as they are: their present status does not allow the new one\n");
  }
  return {};
}

// Does what `apply` does with a selection, once a dry run has told a person how many are meant and the person
// agrees, unless the arguments have answered that already or there is no question. Returns what was done, or
// nothing if the person does not agree.
template <class Apply>
Result<std::optional<DeadLettersChanged>> if_meant(CommandSession& session,
                                                   const SelectionArguments& arguments,
                                                   const DeadLetterSelection& selection, const Apply& apply,
                                                   const std::string& question) {
  if (!question.empty() && !arguments.dry_run && !arguments.yes) {
    DeadLetterSelection planned = selection;
    planned.dry_run = true;
    const auto plan = apply(planned);
    if (!plan) return tl::unexpected(plan.error());
    // A person who was not asked has not agreed to change what dies from now on.
    if (plan->changed == 0) return *plan;
    const auto go = session.go_ahead(
        fmt::format(fmt::runtime(question), counted(plan->changed, "dead letter"), arguments.queue), false);
    if (!go) return tl::unexpected(go.error());
    if (!*go) return std::nullopt;
  }
  return apply(selection);
}

// Checks that somebody who changes every dead letter has said so.
Result<void> check_meant(const SelectionArguments& arguments) {
  if (arguments.all || !arguments.filter.everything()) return {};
  return fail(
      ErrorCode::kInvalidArgument,
      fmt::format("no dead letters of '{}' are selected: give their SEQ or id, a filter as for 'dlq list', "
                  "or --all",
                  arguments.queue));
}

Result<void> change(CommandSession& session, const TriageArguments& arguments) {
  if (auto ok = check_meant(arguments.selection); !ok) return ok;
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto named = count_named(**broker, arguments.selection.queue, arguments.selection.filter.filter);
  if (!named) return tl::unexpected(named.error());
  const auto apply = [&](const DeadLetterSelection& which) {
    return (*broker)->change_dead_letters(arguments.selection.queue, which, arguments.changes);
  };
  const auto selection = selection_of(arguments.selection, (*broker)->now());
  if (!selection) return tl::unexpected(selection.error());
  const bool abandons = arguments.changes.status == DeadLetterStatus::kAbandoned;
  const auto done = if_meant(
      session, arguments.selection, *selection, apply,
      abandons ? "abandon {} of '{}', to be deleted when the queue's --keep-abandoned is over?" : "");
  if (!done) return tl::unexpected(done.error());
  return *done ? report(session, arguments.selection, *named, **done, false) : Result<void>();
}

Result<void> discard(CommandSession& session, const SelectionArguments& arguments) {
  if (auto ok = check_meant(arguments); !ok) return ok;
  auto broker = session.broker();
  if (!broker) return tl::unexpected(broker.error());
  const auto named = count_named(**broker, arguments.queue, arguments.filter.filter);
  if (!named) return tl::unexpected(named.error());
  const auto apply = [&](const DeadLetterSelection& which) {
    return (*broker)->discard_dead_letters(arguments.queue, which);
  };
  const auto selection = selection_of(arguments, (*broker)->now());
  if (!selection) return tl::unexpected(selection.error());
  const auto done = if_meant(session, arguments, *selection, apply, "delete {} of '{}' for good?");
  if (!done) return tl::unexpected(done.error());
  return *done ? report(session, arguments, *named, **done, true) : Result<void>();
}

std::shared_ptr<TriageArguments> add_change(CLI::App& group, CommandSession& session, const std::string& name,
                                            const std::string& description,
                                            const std::vector<std::string>& examples) {
  auto arguments = std::make_shared<TriageArguments>();
  CLI::App& verb = add_verb(group, session, name, description, examples);
  add_selection(verb, arguments->selection);
  on_run(verb, session, [arguments](CommandSession& s) { return change(s, *arguments); });
  return arguments;
}

}  // namespace

void add_dlq_triage(CLI::App& group, CommandSession& session) {
  auto assign = add_change(group, session, "assign", "Give dead letters to somebody",
                           {"holdfast dlq assign orders-dlq --to ann 17 18",
                            "holdfast dlq assign orders-dlq --to '' --assignee ann"});
  group.get_subcommand("assign")
      ->add_option("--to", assign->changes.assignee, "The assignee; '' for nobody")
      ->required();

  auto note = add_change(group, session, "note", "Write a note on dead letters",
                         {"holdfast dlq note orders-dlq 17 --text 'the warehouse was down'"});
  group.get_subcommand("note")->add_option("--text", note->changes.note, "The note")->required();

  auto status = add_change(group, session, "status", "Set the status of dead letters",
                           {"holdfast dlq status orders-dlq --to fixed --fingerprint 76b01eaef6697622"});
  using enum DeadLetterStatus;
  add_choice<DeadLetterStatus>(*group.get_subcommand("status"), "--to",
                               [status](DeadLetterStatus to) { status->changes.status = to; },
                               "The status; none goes back to new, and only a redrive sets replayed",
                               {kNew, kInvestigating, kFixed, kAbandoned})
      ->required();

  auto abandon = add_change(group, session, "abandon",
                            "Set dead letters to abandoned: nobody will redrive them; asks first",
                            {"holdfast dlq abandon orders-dlq --category spam --older-than 30d"});
  abandon->changes.status = DeadLetterStatus::kAbandoned;
  add_yes(*group.get_subcommand("abandon"), abandon->selection.yes);
  add_yes(*group.get_subcommand("status"), status->selection.yes, "Do not ask before they are abandoned");

  auto discarded = std::make_shared<SelectionArguments>();
  CLI::App& verb = add_verb(
      group, session, "discard", "Delete the messages of dead letters for good; asks first",
      {"holdfast dlq discard orders-dlq --status abandoned", "holdfast dlq discard orders-dlq --all --yes"});
  add_selection(verb, *discarded);
  add_yes(verb, discarded->yes);
  on_run(verb, session, [discarded](CommandSession& s) { return discard(s, *discarded); });
}

}  // namespace holdfast::command
