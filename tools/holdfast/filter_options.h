// The options that say which dead letters are meant; shared by the dlq verbs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "holdfast/dead_letter_changes.h"
#include "verb.h"

namespace holdfast::command {

struct FilterArguments {
  DeadLetterFilter filter;
  std::optional<Duration> older_than;  // ages count from when the verb runs
  std::optional<Duration> newer_than;
};

// A dead letter's number, the id of its message, or its own.
void add_letters(CLI::App& verb, FilterArguments& target);
void add_filter(CLI::App& verb, FilterArguments& target);
void add_redaction(CLI::App& verb, Redaction& target);

DeadLetterFilter filter_of(const FilterArguments& arguments);

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
DeadLetterSelection selection_of(const SelectionArguments& arguments);

}  // namespace holdfast::command
