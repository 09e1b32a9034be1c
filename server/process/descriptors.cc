#include "server/process/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

#include "holdfast/limits.h"
#include "server/monitor/http_listener.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kStore = 512;

// The descriptors of a thread with a loop: those that Asio sleeps on, and the socket that waits to be
// refused.
constexpr std::size_t kLoop = 4;
// The other descriptors: standard streams, pid file, configuration, libraries that look something up, alerts
// that are posted.
constexpr std::size_t kRest = 24;

std::size_t kept_for_store(std::size_t limit) { return std::min(limit / 2, std::max(kStore, limit / 4)); }

std::size_t kept_for_server(const Config& config) {
  const std::size_t monitor = config.metrics_listen.empty() ? 0 : HttpListener::kMaxSessions + kLoop;
  return config.server.listen.size() + kLoop * config.server.io_threads + monitor + kRest +
         limits::kOwnerConnections;
}

}  // namespace

std::string DescriptorPlan::text() const {
  return std::to_string(limit) + " file descriptors, " + std::to_string(kept) +
         " of them kept for the store and the server itself: " + std::to_string(connections) + " connections";
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

std::size_t descriptor_limit() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : kStore;
}

DescriptorPlan plan_descriptors(const Config& config, std::size_t limit) {
  const std::size_t kept = kept_for_store(limit) + kept_for_server(config);
  const std::size_t free = std::max(limit, kept + 1) - kept;
  return {.limit = limit, .kept = kept, .connections = std::min(config.server.limits.max_connections, free)};
}

ServerLimits limits_within(const DescriptorPlan& plan, ServerLimits limits) {
  limits.max_connections = plan.connections;
  return limits;
}

}  // namespace holdfast::server
