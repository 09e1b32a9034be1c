// What the verbs that take receipts share.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/queue_state.h"
#include "holdfast/error.h"
#include "runtime/engine_impl.h"

namespace holdfast {

// The answer to a receipt that is not valid.
Result<void> refuse(ReceiptCheck check);

// Calls visit(queue, receipts, results) for each run of receipts of one queue; those of an unknown queue get
// their error here.
template <class Visit>
void for_each_queue(const Catalog& catalog, std::span<const Receipt> receipts,
                    std::span<Result<void>> results, Visit&& visit) {
  for (std::size_t begin = 0, end = 0; begin < receipts.size(); begin = end) {
    const QueueId id = receipts[begin].queue;
    for (end = begin; end < receipts.size() && receipts[end].queue == id;) ++end;
    const auto run = receipts.subspan(begin, end - begin);
    const auto run_results = results.subspan(begin, end - begin);
    if (const auto queue = catalog.find(id)) {
      visit(queue, run, run_results);
    } else {
      for (Result<void>& result : run_results) {
        result = fail(ErrorCode::kMessageNotFound, "the message is gone, with its queue");
      }
    }
  }
}

}  // namespace holdfast
