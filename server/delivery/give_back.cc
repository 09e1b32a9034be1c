#include "server/delivery/give_back.h"

#include <algorithm>
#include <span>

#include "holdfast/limits.h"

namespace holdfast::server {

void give_back(Engine& engine, const PrefetchedDeliveries& prefetched, const std::vector<Receipt>& receipts) {
  for (std::size_t begin = 0; begin < receipts.size(); begin += limits::kBatchEntries) {
    const auto count = std::min(receipts.size() - begin, limits::kBatchEntries);
    const auto some = std::span(receipts).subspan(begin, count);
    engine.async_release_batch(
        some, {.charge = false},
        [going_back = prefetched.going_back(),
         own = std::vector(some.begin(), some.end())](const BatchResult<void>&) { going_back->remove(own); });
  }
}

}  // namespace holdfast::server
