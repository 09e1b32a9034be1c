// The server's metrics are about connections and calls. Methods that were never called and errors that never
// occurred have no sample.
#include "server/logging/method_names.h"
#include "server/monitor/metrics.h"
#include "server/version.h"

namespace holdfast::server {
namespace {

constexpr Family::Cut kCallTimes{.scale = kMicrosecond, .first = 6, .last = 26};  // 63 us to 67 s

void add_calls(const Meter& meter, Families& families) {
  static const std::vector<std::string> names = method_names();
  Family times =
      histogram("holdfast_call_seconds", "Time from a call's arrival to its answer, waits included");
  for (std::size_t i = 0; i < names.size() && i < Meter::kMethods; ++i) {
    const Histogram calls = meter.calls[i].read();
    if (calls.count > 0) times.add(calls, kCallTimes, {{"method", names[i]}});
  }
  std::move(times).move_to(families);

  Family errors = counter("holdfast_call_errors_total", "Calls that were answered with an error as a whole");
  for (const ErrorInfo& info : error_table()) {
    const auto count = meter.errors[static_cast<std::size_t>(info.code)].load();
    if (count > 0) errors.add(static_cast<double>(count), {{"code", std::string(info.name)}});
  }
  std::move(errors).move_to(families);
}

}  // namespace

void add_server_families(const Engine& engine, const Meter& meter, Families& families) {
  const auto add = [&](Family family, double value, Labels labels = {}) {
    family.add(value, std::move(labels));
    std::move(family).move_to(families);
  };
  add(gauge("holdfast_build_info", "1, with the version as a label"), 1, {{"version", kVersion}});
  add(gauge("holdfast_connections", "Clients that are connected"), static_cast<double>(meter.connections));
  add(counter("holdfast_connections_opened_total", "Connections that were accepted"),
      static_cast<double>(meter.opened));
  add(counter("holdfast_connections_refused_total", "Connections that were refused because of a limit"),
      static_cast<double>(meter.refused));
  add(gauge("holdfast_calls_in_flight", "Calls that are not answered yet, waiting receives included"),
      static_cast<double>(meter.calls_in_flight));
  add(gauge("holdfast_deliveries_in_flight",
            "Unfinished deliveries that clients received over their present connections"),
      static_cast<double>(meter.in_flight.count(engine)));
  add(gauge("holdfast_draining", "1 while the server takes no new work"), meter.draining ? 1 : 0);
  add_calls(meter, families);
}

}  // namespace holdfast::server
