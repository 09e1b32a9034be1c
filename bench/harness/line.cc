#include "bench/harness/line.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <ostream>

namespace holdfast::bench {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* kRow = "{:<56} {:>12} {:<11} {:>12} {:>6}  {:>7} {:>7} {:>7}  {}\n";

OrderedJson or_null(const std::optional<double>& number) {
  return number ? OrderedJson(*number) : OrderedJson(nullptr);
}

std::string text(const std::optional<double>& number, int decimals) {
  return number ? fmt::format("{:.{}f}", *number, decimals) : "-";
}

// Writes a number. Rates need no decimals, and seconds do.
std::string value_text(const std::optional<double>& number) {
  return text(number, number && *number < 1000 ? 3 : 0);
}

}  // namespace

void print_json(std::ostream& out, const Line& line) {
  const OrderedJson json = {
      {"name", line.name},
      {"value", line.value},
      {"unit", line.unit},
      {"reference", line.reference.empty() ? OrderedJson(nullptr) : OrderedJson(line.reference)},
      {"reference_value", or_null(line.reference_value)},
      {"ratio", or_null(line.ratio)},
      {"quiet_cpu_us", or_null(line.quiet_cpu_microseconds)}};
  out << json.dump() << std::endl;
}

void print_table_head(std::ostream& out) {
  out << fmt::format(kRow, "name", "value", "unit", "reference", "ratio", "CPU us", "quiet", "allocs",
                     "reference is");
}

void print_table_row(std::ostream& out, const Line& line) {
  out << fmt::format(kRow, line.name, value_text(line.value), line.unit, value_text(line.reference_value),
                     text(line.ratio, 2), text(line.cpu_microseconds, 2),
                     text(line.quiet_cpu_microseconds, 2), text(line.allocations, 2), line.reference)
      << std::flush;
}

}  // namespace holdfast::bench
