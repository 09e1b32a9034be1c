// The options of the dlq verbs that say which dead letters are meant.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "holdfast/dead_letter_query.h"
#include "holdfast/redrive.h"
#include "tools/cli/verb.h"

namespace holdfast::command {

// Moment is a time; or an age, which is counted back from the time when the verb runs, by the broker's clock.
using Moment = std::variant<Timestamp, Duration>;

struct FilterArguments {
  DeadLetterFilter filter;
  std::optional<Moment> older_than;
  std::optional<Moment> newer_than;

  // Returns true if nothing restricts the filter, so that it means every dead letter.
  bool everything() const { return filter.empty() && !older_than && !newer_than; }
};

// Adds the argument that names dead letters: by number, by the id of the message, or by their own id.
void add_letters(CLI::App& verb, FilterArguments& target);
void add_filter(CLI::App& verb, FilterArguments& target);
// Adds --redact and --redact-attribute.
void add_redaction(CLI::App& verb, Redaction& target);
// Returns the body as text, or says that it was left out.
std::string body_cell(const std::string& body, const std::vector<std::string>& redacted);
// Adds --actor. Its default is $USER, or else the name of the process's user.
void add_actor(CLI::App& verb, std::string& target);
// Adds --all.
void add_all(CLI::App& verb, bool& target);
// Adds -y and --yes.
void add_yes(CLI::App& verb, bool& target, const std::string& description = "Do not ask");

// Makes the filter. `now` is the broker's time. kInvalidArgument for a time in the future.
Result<DeadLetterFilter> filter_of(const FilterArguments& arguments, Timestamp now);

// Returns how many dead letters the filter names one by one, including those that are not there. One that is
// named by its SEQ and by an id counts once. Must be called before they are moved: a parked dead letter is
// not found by its names.
Result<std::uint64_t> count_named(Broker& broker, const std::string& queue, const DeadLetterFilter& filter);
// Removes the names of this dead letter from the filter, and returns whether there were any.
bool take_names(DeadLetterFilter& filter, const DeadLetter& letter);
// Checks that the dead letters that were named were found. kMessageNotFound if none was. If only some were,
// it reports that, and the command ends with the exit status of kMessageNotFound.
Result<void> check_named(CommandSession& session, const std::string& queue, std::uint64_t named,
                         std::uint64_t found);
// Says so, with exit status 1, if everything that should have been moved was left in place. `done` is how
// many were not left.
void check_left(CommandSession& session, const std::string& queue, std::uint64_t done,
                const LeftInPlace& left);

// SelectionArguments say which dead letters a verb changes, and how it asks before it does.
struct SelectionArguments {
  std::string queue;
  FilterArguments filter;
  bool all = false;
  bool yes = false;
  bool dry_run = false;
  std::string actor;
};

// Adds the queue, the filter, --all, --actor and --dry-run.
void add_selection(CLI::App& verb, SelectionArguments& target);
Result<DeadLetterSelection> selection_of(const SelectionArguments& arguments, Timestamp now);

}  // namespace holdfast::command
