#include "bench/pipeline/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace holdfast::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRow =
    "{:<46} {:>10} {:>6}  {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9}  {:>8} {:>8} {:>8}  {}\n";

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

template <class Number>
double median_of(const std::vector<Passage>& passages, Number number) {
  std::vector<double> values;
  values.reserve(passages.size());
  for (const Passage& passage : passages) values.push_back(number(passage));
  return median(std::move(values));
}

double per_message(const Passage& passage, double seconds) {
  return seconds * 1e6 / static_cast<double>(std::max<std::uint64_t>(passage.messages, 1));
}

Percentiles percentiles(const std::vector<Passage>& passages, Latencies Passage::*which) {
  Latencies all;
  for (const Passage& passage : passages) all.add(passage.*which);
  return {all.percentile(0.5), all.percentile(0.99), all.percentile(0.999)};
}

Standing standing_of(const std::vector<Passage>& passages, bool has_server) {
  Standing standing;
  for (const Passage& passage : passages) standing.rates.push_back(passage.rate());
  standing.send = percentiles(passages, &Passage::send);
  if (!passages.front().delivery.empty()) standing.delivery = percentiles(passages, &Passage::delivery);
  standing.own_cpu_microseconds =
      median_of(passages, [](const Passage& p) { return per_message(p, p.own_cpu_seconds); });
  if (!has_server) return standing;
  standing.server_cpu_microseconds =
      median_of(passages, [](const Passage& p) { return per_message(p, p.server_cpu_seconds); });
  standing.server_memory_mib = passages.back().server_memory_mib;
  return standing;
}

std::string text(const std::optional<double>& number, int decimals) {
  return number ? fmt::format("{:.{}f}", *number, decimals) : "-";
}

Json or_null(const std::optional<double>& number) { return number ? Json(*number) : Json(nullptr); }

void print_figure(std::ostream& out, const std::string& name, double value, const std::string& unit) {
  out << Json{{"name", name},
              {"value", value},
              {"unit", unit},
              {"reference", nullptr},
              {"reference_value", nullptr},
              {"ratio", nullptr}}
             .dump()
      << '\n';
}

void print_percentiles(std::ostream& out, const std::string& name, const Percentiles& percentiles) {
  print_figure(out, name + "_p50", percentiles.p50, "us");
  print_figure(out, name + "_p99", percentiles.p99, "us");
  print_figure(out, name + "_p99.9", percentiles.p999, "us");
}

void print_json(std::ostream& out, const Standing& standing) {
  const Standing* reference = standing.reference;
  out << Json{{"name", standing.name},
              {"value", standing.rate()},
              {"unit", "messages/s"},
              {"reference", reference != nullptr ? Json(reference->name) : Json(nullptr)},
              {"reference_value", reference != nullptr ? Json(reference->rate()) : Json(nullptr)},
              {"ratio", or_null(standing.ratio())}}
             .dump()
      << '\n';
  print_percentiles(out, standing.name + "/send", standing.send);
  if (standing.delivery) print_percentiles(out, standing.name + "/delivery", *standing.delivery);
  print_figure(out, standing.name + "/client_cpu", standing.own_cpu_microseconds, "us/message");
  if (standing.server_cpu_microseconds)
    print_figure(out, standing.name + "/server_cpu", *standing.server_cpu_microseconds, "us/message");
  if (standing.server_memory_mib)
    print_figure(out, standing.name + "/server_memory", *standing.server_memory_mib, "MiB");
  out << std::flush;
}

}  // namespace

double Standing::rate() const { return median(rates); }

std::optional<double> Standing::ratio() const {
  if (reference == nullptr) return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < rates.size(); ++i) ratios.push_back(rates[i] / reference->rates[i]);
  return median(std::move(ratios));
}

std::string line_name(const std::string& family, const Service& service, const Shape& shape) {
  return family + "/" + service.name() + "/" + shape_name(shape);
}

std::vector<Standing> hold_contest(const ContestOptions& options, const Shape& shape,
                                   const std::vector<Service*>& services) {
  static int contests = 0;
  const std::string queue = "bench-" + std::to_string(++contests);
  std::vector<std::unique_ptr<Pipeline>> pipelines;
  for (Service* service : services) {
    pipelines.push_back(std::make_unique<Pipeline>(*service, queue, shape));
    if (pipelines.back()->run(options.turn / 2).messages == 0)
      throw BenchError(line_name(options.family, *service, shape) + ": no message came through");
  }
  std::vector<std::vector<Passage>> passages(services.size());
  for (int round = 0; round < options.rounds; ++round) {
    for (std::size_t turn = 0; turn < services.size(); ++turn) {
      // The order turns around in each round, so that nobody always comes after the same contender.
      const std::size_t which = round % 2 == 0 ? turn : services.size() - 1 - turn;
      passages[which].push_back(pipelines[which]->run(options.turn));
    }
  }
  std::vector<Standing> standings;
  for (std::size_t i = 0; i < services.size(); ++i) {
    Standing standing = standing_of(passages[i], services[i]->pid() != 0);
    standing.name = line_name(options.family, *services[i], shape);
    standings.push_back(std::move(standing));
  }
  return standings;
}

void print_standings_head(std::ostream& out) {
  out << fmt::format(kRow, "name", "messages/s", "ratio", "send p50", "p99", "p99.9 us", "deliv p50", "p99",
                     "p99.9 us", "own us", "CPU us", "MiB", "ratio to");
}

void print_standing(std::ostream& out, const Standing& standing, bool json) {
  if (json) return print_json(out, standing);
  const auto& delivery = standing.delivery;
  const auto part = [&](double Percentiles::*which) {
    return delivery ? text((*delivery).*which, 0) : std::string("-");
  };
  out << fmt::format(kRow, standing.name, text(standing.rate(), 0), text(standing.ratio(), 2),
                     text(standing.send.p50, 0), text(standing.send.p99, 0), text(standing.send.p999, 0),
                     part(&Percentiles::p50), part(&Percentiles::p99), part(&Percentiles::p999),
                     text(standing.own_cpu_microseconds, 1), text(standing.server_cpu_microseconds, 1),
                     text(standing.server_memory_mib, 0),
                     standing.reference != nullptr ? standing.reference->name : "")
      << std::flush;
}

}  // namespace holdfast::bench
