#include "server/drain_log.h"

#include <utility>

namespace holdfast::server {

void DrainLog::note(const DrainStatus& status) {
  const DrainStatus last = std::exchange(last_, status);
  if (status.draining && !last.draining)
    log_.info("draining: {} deliveries in hand, {} for them", status.in_hand, format_duration(status.left));
  if (!status.draining && last.draining) log_.info("no longer draining");
  if (!status.over || last.over) return;
  if (status.in_hand == 0) {
    log_.info("drained: no delivery is in hand");
  } else {
    log_.warn("drained: time is over, and {} deliveries are still in hand", status.in_hand);
  }
}

}  // namespace holdfast::server
