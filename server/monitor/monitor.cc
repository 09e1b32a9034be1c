#include "server/monitor/monitor.h"

#include <prometheus/text_serializer.h>

#include "schema/http/status.h"
#include "server/monitor/metrics.h"

namespace holdfast::server {
namespace {

Page failed(const Error& error) {
  const auto status = static_cast<unsigned>(error_info(error.code).http_status);
  const bool is_servers = status >= http_status::kInternalError;
  return {is_servers ? http_status::kUnavailable : http_status::kInternalError, to_string(error) + "\n"};
}

}  // namespace

Page Monitor::page(std::string_view path) const {
  if (path == "/metrics") return metrics();
  if (path == "/healthz") return health();
  if (path == "/readyz") return readiness();
  return {http_status::kNotFound, "there are only /metrics, /healthz and /readyz\n"};
}

Page Monitor::metrics() const {
  Families families;
  add_server_families(engine_, meter_, families);
  auto added = add_engine_families(engine_, families);
  if (added) added = add_queue_families(engine_, max_queues_, engine_.now(), families);
  // After a failed write the families that are there are shown, since they say so.
  if (!added && added.error().code != ErrorCode::kStorageFailed) return failed(added.error());
  return {.body = prometheus::TextSerializer().Serialize(families)};
}

Page Monitor::health() const {
  const Health health = engine_.health();
  if (!health.writes) return {http_status::kUnavailable, to_string(health.writes.error()) + "\n"};
  return {.body = "ok\n"};
}

Page Monitor::readiness() const {
  if (meter_.stopping) return {http_status::kUnavailable, "stopping\n"};
  if (meter_.draining) return {http_status::kUnavailable, "draining\n"};
  return health();
}

}  // namespace holdfast::server
