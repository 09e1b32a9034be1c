// Puts services under the same load, in turns, and reports on them.
#pragma once

#include <chrono>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/pipeline/pipeline.h"

namespace holdfast::bench {

struct ContestOptions {
  std::string family;  // the beginning of the lines' names, such as "served"
  int rounds = 3;
  std::chrono::duration<double> turn = std::chrono::milliseconds(700);
  bool json = false;
};

struct Percentiles {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
};

struct Standing {
  std::string name;           // "served/push/1+1/1KiB/batch100/fsync"
  std::vector<double> rates;  // messages/s, by round
  Percentiles send = {};      // microseconds of all rounds together, like `delivery`
  std::optional<Percentiles> delivery = {};
  double own_cpu_microseconds = 0;  // CPU time per message of producers and consumers together
  std::optional<double> server_cpu_microseconds = {};  // per message; none if it is this process
  std::optional<double> server_memory_mib = {};
  const Standing* reference = nullptr;  // what it is compared with; null: nothing

  double rate() const;                  // returns the median
  std::optional<double> ratio() const;  // returns the median of the rounds' ratios to the reference
};

// Returns a name such as "served/push/1+1/1KiB/batch100/fsync".
std::string line_name(const std::string& family, const Service& service, const Shape& shape);

// Runs a round that does not count, and then the rounds, each in the reverse order of the one before. Returns
// the standings in the order of the services.
std::vector<Standing> hold_contest(const ContestOptions& options, const Shape& shape,
                                   const std::vector<Service*>& services);

void print_standings_head(std::ostream& out);
// Prints a row of the table. With `json` it prints a line for each figure, in the form of tools/bench.
void print_standing(std::ostream& out, const Standing& standing, bool json);

}  // namespace holdfast::bench
