#include "engine/dead_letters/index/count_scan.h"

namespace holdfast {

Result<void> for_each_count(const Store& store, QueueId queue, IndexKind kind, const VisitCount& visit) {
  const auto scan =
      store.scan(Family::kDeadLetterIndex, keys::counts_begin(queue, kind), keys::counts_end(queue, kind));
  for (; scan->valid(); scan->next()) {
    const auto value = keys::parse_count(scan->key());
    const auto count = decode_index_count(scan->value());
    if (!value || !count) return fail(ErrorCode::kCorruption, "a count of dead letters does not decode");
    if (visit(*value, *count) == CountScan::kStop) return {};
  }
  return scan->status();
}

}  // namespace holdfast
