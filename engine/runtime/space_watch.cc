#include "runtime/space_watch.h"

#include <chrono>
#include <limits>
#include <string>

#include "base/units.h"

namespace holdfast {

Result<void> SpaceWatch::admit(std::size_t bytes) { return keep_free(reserve_, bytes); }

Result<void> SpaceWatch::admit_with_settled(std::size_t bytes) { return keep_free(reserve_ / 2, bytes); }

Result<void> SpaceWatch::keep_free(std::uint64_t keep, std::size_t bytes) {
  if (reserve_ == 0) return {};
  const std::uint64_t unseen = since_asked_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  if (free_.load(std::memory_order_relaxed) >= keep + 2 * unseen) return {};
  ask();
  const std::uint64_t free = free_.load(std::memory_order_relaxed);
  if (free >= keep + bytes) return {};
  return fail(ErrorCode::kDiskFull, "the data directory's device has " + format_bytes(free) +
                                        " free, and free_space_reserve keeps " + format_bytes(keep) +
                                        " of it from this call; what frees space, such as ack, goes on");
}

void SpaceWatch::look(Timestamp now) {
  if (reserve_ == 0) return;
  const Timestamp::rep time = now.time_since_epoch().count();
  if (time < looked_at_.load(std::memory_order_relaxed) + Duration(std::chrono::seconds(1)).count()) return;
  looked_at_.store(time, std::memory_order_relaxed);
  ask();
}

std::optional<std::uint64_t> SpaceWatch::free_bytes() const {
  const auto free = store_.free_space();
  return free ? std::optional(*free) : std::nullopt;
}

// A device that does not say how full it is will say it with a failed write.
void SpaceWatch::ask() {
  since_asked_.store(0, std::memory_order_relaxed);
  free_.store(free_bytes().value_or(std::numeric_limits<std::uint64_t>::max()), std::memory_order_relaxed);
}

}  // namespace holdfast
