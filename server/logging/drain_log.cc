#include "server/logging/drain_log.h"

#include <string>
#include <utility>

namespace holdfast::server {
namespace {

std::string counted(std::uint64_t deliveries) {
  return std::to_string(deliveries) + (deliveries == 1 ? " delivery" : " deliveries");
}

}  // namespace

void DrainLog::note(const DrainStatus& status) {
  const DrainStatus last = std::exchange(last_, status);
  if (status.draining && !last.draining)
    log_.info("draining: {} in flight, {} left", counted(status.in_flight), format_rounded(status.left));
  if (!status.draining && last.draining) log_.info("no longer draining");
  if (!status.over || last.over) return;
  if (status.in_flight == 0) {
    log_.info("drained: no delivery is in flight");
  } else {
    log_.warn("drained: time is over, and {} {} still in flight", counted(status.in_flight),
              status.in_flight == 1 ? "is" : "are");
  }
}

}  // namespace holdfast::server
