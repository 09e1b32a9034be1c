// A queue as people read about it.
#pragma once

#include <iosfwd>
#include <string>

#include "holdfast/queue.h"
#include "tools/cli/texts/table.h"

namespace holdfast::command {

// "depth is 12", with the unit of the rule: dead letters, a minute, or an age.
std::string alert_text(const Alert& alert);
// ", clears in 42.0 s" of one that is no longer above its threshold; else nothing.
std::string clearing_text(const Alert& alert, Timestamp now);

// What somebody has to know of a queue at a glance: what is paused, its brake, the alerts that hold.
Cell note_on(const QueueInfo& info, Timestamp now);

// Everything: options but those at their defaults, where only those that everybody asks for are told; counts,
// totals, pauses and alerts. On a terminal what is longer than a line goes on in the next one.
void print_queue(std::ostream& out, const QueueInfo& info, const Screen& screen, Timestamp now);

}  // namespace holdfast::command
