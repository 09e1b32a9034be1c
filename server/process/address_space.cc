#include "server/process/address_space.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>

namespace holdfast::server {

void fit_address_space() {
  constexpr rlim_t kArena = 64 << 20;
  constexpr rlim_t kMany = 16;  // the number of arenas that glibc makes on two cores
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  const rlim_t arenas = std::max<rlim_t>(limit.rlim_cur / 8 / kArena, 1);
  // NOLINTNEXTLINE(concurrency-mt-unsafe): called before any thread starts
  if (arenas < kMany) ::mallopt(M_ARENA_MAX, static_cast<int>(arenas));
}

}  // namespace holdfast::server
