// A Line has results for people (in a table) and for programs (as JSON).
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "bench/harness/meter.h"

namespace holdfast::bench {

struct Line {
  std::string name;  // "engine/lifecycle/1KiB/batch100/fsync"
  double value = 0;
  std::string unit = "messages/s";
  std::string reference = {};  // what the value is compared with; empty: nothing
  std::optional<double> reference_value = {};
  std::optional<double> ratio = {};
  // These are per message, and are there if messages were counted.
  std::optional<double> cpu_microseconds = {};
  // `quiet_cpu_microseconds` comes from the laps that the machine disturbed least; none if laps were too few.
  std::optional<double> quiet_cpu_microseconds = {};
  std::optional<double> allocations = {};
};

// Writes {"name":…,"value":…,"unit":…,"reference":…,"reference_value":…,"ratio":…,"quiet_cpu_us":…}. What is
// absent is null.
void print_json(std::ostream& out, const Line& line);

void print_table_head(std::ostream& out);
void print_table_row(std::ostream& out, const Line& line);

}  // namespace holdfast::bench
