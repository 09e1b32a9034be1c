// Services side by side under the same load, in turns, and what is reported of them.
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
  std::string family;  // "served": the lines' names begin so
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
  Percentiles send = {};      // microseconds, of all rounds together, as is the next
  std::optional<Percentiles> delivery = {};
  double own_cpu_microseconds = 0;                     // per message: of producers and consumers together
  std::optional<double> server_cpu_microseconds = {};  // per message; none if it is in this process
  std::optional<double> server_memory_mib = {};
  const Standing* reference = nullptr;  // whom it is compared with; null: nobody

  double rate() const;                  // the median
  std::optional<double> ratio() const;  // to the reference: the median of the rounds' ratios
};

// "served/push/1+1/1KiB/batch100/fsync".
std::string line_name(const std::string& family, const Service& service, const Shape& shape);

// One round that does not count, then the rounds, back and forth. In the order of the services.
std::vector<Standing> hold_contest(const ContestOptions& options, const Shape& shape,
                                   const std::vector<Service*>& services);

void print_standings_head(std::ostream& out);
// A row of the table, or with JSON a line for each figure, as tools/bench has them.
void print_standing(std::ostream& out, const Standing& standing, bool json);

}  // namespace holdfast::bench
