#include "client/worker/backoff.h"

#include <algorithm>

namespace holdfast::worker {

Duration backoff(Duration first, Duration cap, std::uint64_t times) {
  Duration wait = std::min(first, cap);
  for (std::uint64_t i = 1; i < times && wait > Duration{0} && wait < cap; ++i)
    wait = wait > cap / 2 ? cap : wait * 2;
  return wait;
}

}  // namespace holdfast::worker
