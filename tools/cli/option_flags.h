// The flags of a queue's options, as `queue create` and `queue alter` have them.
#pragma once

#include "holdfast/queue.h"
#include "tools/cli/policy_settings.h"
#include "tools/cli/verb.h"

namespace holdfast::command {

// What was asked for. Policies are given a key at a time: apply() makes changes of them.
struct AskedOptions {
  QueueChanges changes;
  PolicySettings policies;
};

// A flag for each option, under its name in the table of options and with the help that it has there.
void add_option_flags(CLI::App& verb, AskedOptions& asked);

}  // namespace holdfast::command
