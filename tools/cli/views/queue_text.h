// A queue as people read about it.
#pragma once

#include <iosfwd>
#include <string>

#include "holdfast/queue.h"
#include "tools/cli/texts/table.h"

namespace holdfast::command {

// "depth is 12", with the unit of the rule: dead letters, a minute, or an age.
std::string alert_text(const Alert& alert);
// ", clears within 1m" of one that holds no more by the rules of its queue, and waits to clear; else empty.
std::string clearing_text(const Alert& alert, const AlertRules& rules);

// What somebody has to know of a queue at a glance: what is paused, its brake, the alerts that hold.
Cell note_on(const QueueInfo& info, Timestamp now);

// Everything: options but those at their defaults, where only those that everybody asks for are told; counts,
// totals, pauses and alerts.
void print_queue(std::ostream& out, const QueueInfo& info, Timestamp now);

// How two sets of options differ: "max deliveries is 5, not 3".
std::string differences(const QueueOptions& is, const QueueOptions& asked);

}  // namespace holdfast::command
