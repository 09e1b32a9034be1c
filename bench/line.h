// A line of results, for people (a table) and for programs (JSON).
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "bench/meter.h"

namespace holdfast::bench {

struct Line {
  std::string name;  // "engine/lifecycle/1KiB/batch100/fsync"
  double value = 0;
  std::string unit = "messages/s";
  std::string reference = {};  // what it is compared with; empty: nothing
  std::optional<double> reference_value = {};
  std::optional<double> ratio = {};
  // Per message, where messages were counted.
  std::optional<double> cpu_microseconds = {};
  std::optional<double> allocations = {};
};

// {"name":…,"value":…,"unit":…,"reference":…,"reference_value":…,"ratio":…}; what there is not is null.
void print_json(std::ostream& out, const Line& line);

void print_table_head(std::ostream& out);
void print_table_row(std::ostream& out, const Line& line);

}  // namespace holdfast::bench
