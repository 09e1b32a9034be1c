// Reads the stored counts of the index over dead letters.
#pragma once

#include <functional>
#include <string_view>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/storage/store.h"

namespace holdfast {

enum class CountScan : std::uint8_t { kOn, kStop };
using VisitCount = std::function<CountScan(std::string_view value, const IndexCount& count)>;

// Calls visit(value, count) for each value of a kind that any dead letter of the queue has, here or in
// history, in the order of the values, until `visit` returns kStop. kCorruption, or the error of reading.
Result<void> for_each_count(const Store& store, QueueId queue, IndexKind kind, const VisitCount& visit);

}  // namespace holdfast
