#include "engine/services/space_watch.h"

#include <chrono>
#include <limits>
#include <mutex>
#include <string>

#include "engine/base/helpers/units.h"
#include "engine/storage/files/ballast.h"

namespace holdfast {
namespace {

// Returns how much of the device `bytes` bytes may take until all is quiet. They may go to a single log. That
// is written again as tables, and these once more, before the log is deleted. The reserve has room for this
// if the log is of the usual size, but not if much is sent at one moment.
std::uint64_t cost(std::uint64_t bytes, std::uint64_t reserve) {
  const std::uint64_t usual = reserve / 4;
  return bytes + (bytes > usual ? Ballast::wanted_by(bytes - usual) : 0);
}

}  // namespace

Result<SpaceWatch::Claim> SpaceWatch::admit(std::size_t bytes) { return keep_free(reserve_, bytes); }

Result<SpaceWatch::Claim> SpaceWatch::admit_with_settled(std::size_t bytes) {
  return keep_free(reserve_ / 2, bytes);
}

// A claim counts before the device is asked, so that callers who ask side by side count each other's bytes.
Result<SpaceWatch::Claim> SpaceWatch::keep_free(std::uint64_t keep, std::uint64_t bytes) {
  if (reserve_ == 0) return Claim();
  {
    const sync::Lock lock(mutex_);
    claimed_ += bytes;
    if (free_ >= keep + cost(2 * unseen(), reserve_)) return Claim(*this, bytes);
  }
  ask();
  const sync::Lock lock(mutex_);
  if (free_ >= keep + cost(unseen(), reserve_)) return Claim(*this, bytes);
  claimed_ -= bytes;
  return fail(ErrorCode::kDiskFull, "the data directory's device has " + format_bytes(free_) +
                                        " free, and free_space_reserve keeps " + format_bytes(keep) +
                                        " of it from this call; what frees space, such as ack, goes on");
}

void SpaceWatch::note_written(std::uint64_t bytes) {
  const sync::Lock lock(mutex_);
  claimed_ -= bytes;
  written_ += bytes;
}

void SpaceWatch::look(Timestamp now) {
  if (reserve_ == 0) return;
  {
    const sync::Lock lock(mutex_);
    if (looked_at_ > now - std::chrono::seconds(1)) return;
    looked_at_ = now;
  }
  ask();
}

std::optional<std::uint64_t> SpaceWatch::free_bytes() const {
  const auto free = store_.free_space();
  return free ? std::optional(*free) : std::nullopt;
}

// A device that does not say how full it is will say it with a failed write. The device's answer may lack
// what is written while it is asked. Of two answers, the one that was asked for first tells less.
void SpaceWatch::ask() {
  const auto written = [this] {
    const sync::Lock lock(mutex_);
    return written_;
  }();
  const std::uint64_t free = free_bytes().value_or(std::numeric_limits<std::uint64_t>::max());
  const sync::Lock lock(mutex_);
  if (written < seen_) return;
  seen_ = written;
  free_ = free;
}

}  // namespace holdfast
