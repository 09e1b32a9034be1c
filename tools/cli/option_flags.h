// This header adds the flags of `queue create` and `queue alter` for a queue's options.
#pragma once

#include "holdfast/queue.h"
#include "tools/cli/policy_settings.h"
#include "tools/cli/verb.h"

namespace holdfast::command {

// The options that were asked for. Policies are given one key at a time, and apply() turns them into changes.
struct AskedOptions {
  QueueChanges changes;
  PolicySettings policies;
};

// Adds a flag for each option, with its name and help from the table of options.
void add_option_flags(CLI::App& verb, AskedOptions& asked);

}  // namespace holdfast::command
