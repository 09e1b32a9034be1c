// The options that say which dead letters are meant; shared by the dlq verbs.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "holdfast/dead_letter_query.h"
#include "holdfast/redrive.h"
#include "tools/cli/verb.h"

namespace holdfast::command {

// A time, or an age, which counts from when the verb runs, by the broker's time.
using Moment = std::variant<Timestamp, Duration>;

struct FilterArguments {
  DeadLetterFilter filter;
  std::optional<Moment> older_than;
  std::optional<Moment> newer_than;

  // Nothing says which: every dead letter is meant.
  bool everything() const { return filter.empty() && !older_than && !newer_than; }
};

// A dead letter's number, the id of its message, or its own.
void add_letters(CLI::App& verb, FilterArguments& target);
void add_filter(CLI::App& verb, FilterArguments& target);
// --redact, --redact-attribute.
void add_redaction(CLI::App& verb, Redaction& target);
// The body, or that it was taken out.
std::string body_cell(const std::string& body, const std::vector<std::string>& redacted);
// --actor, who is $USER, or the name of the process's user, unless said otherwise.
void add_actor(CLI::App& verb, std::string& target);
// --all.
void add_all(CLI::App& verb, bool& target);
// -y, --yes.
void add_yes(CLI::App& verb, bool& target, const std::string& description = "Do not ask");

// `now`: the broker's. kInvalidArgument for a time that is to come.
Result<DeadLetterFilter> filter_of(const FilterArguments& arguments, Timestamp now);

// How many dead letters the filter names one by one, those included that are not there; one that is named by
// its SEQ and by an id is one. To be asked before they are moved: what is parked is not found by its names.
Result<std::uint64_t> count_named(Broker& broker, const std::string& queue, const DeadLetterFilter& filter);
// Takes the names of this letter off the filter, and says whether it had any.
bool take_names(DeadLetterFilter& filter, const DeadLetter& letter);
// kMessageNotFound if letters were named and none of them was found. If some were not, says so, and the
// command ends with the exit status of that.
Result<void> check_named(CommandSession& session, const std::string& queue, std::uint64_t named,
                         std::uint64_t found);
// If all that was to be moved was left in place, says so, with exit status 1. `done`: what was not left.
void check_left(CommandSession& session, const std::string& queue, std::uint64_t done,
                const LeftInPlace& left);

// Which dead letters a verb that changes them is about.
struct SelectionArguments {
  std::string queue;
  FilterArguments filter;
  bool all = false;
  bool yes = false;
  bool dry_run = false;
  std::string actor;
};

// The queue, filter, --all, --actor, --yes and --dry-run.
void add_selection(CLI::App& verb, SelectionArguments& target);
Result<DeadLetterSelection> selection_of(const SelectionArguments& arguments, Timestamp now);

}  // namespace holdfast::command
