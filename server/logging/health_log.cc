#include "server/logging/health_log.h"

namespace holdfast::server {

void HealthLog::note(const Health& health) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  if (health.writes.has_value() != wrote_) {
    wrote_ = health.writes.has_value();
    if (!wrote_) log_.critical("the engine has stopped: {}", to_string(health.writes.error()));
  }
  if (health.has_space == had_space_) return;
  had_space_ = health.has_space;
  const std::uint64_t free = health.free_bytes.value_or(0) / kMebibyte;
  const std::uint64_t reserve = health.reserve_bytes / kMebibyte;
  if (had_space_) {
    log_.info("space is back: {} MiB are free, sends are taken again", free);
  } else {
    log_.error("sends are refused: {} MiB are free, less than the reserve of {} MiB", free, reserve);
  }
}

}  // namespace holdfast::server
