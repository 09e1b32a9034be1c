// Shows a queue to people.
#pragma once

#include <iosfwd>
#include <string>

#include "holdfast/queue.h"
#include "tools/cli/texts/table.h"

namespace holdfast::command {

// Returns an alert's value with the unit of its rule, which is dead letters, arrivals per minute or an age:
// "depth is 12".
std::string alert_text(const Alert& alert);
// Returns ", clears in 42.0 s" for an alert that is no longer above its threshold, or else nothing.
std::string clearing_text(const Alert& alert, Timestamp now);

// Returns what people must know of a queue at a glance: what is paused, its brake, the alerts that hold.
Cell note_on(const QueueInfo& info, Timestamp now);

// Prints everything about a queue: counts, totals, pauses, alerts and options. Options that have their
// defaults are left out, except those that everybody asks for. On a terminal a text that is longer than a
// line goes on in the next one.
void print_queue(std::ostream& out, const QueueInfo& info, const Screen& screen, Timestamp now);

}  // namespace holdfast::command
