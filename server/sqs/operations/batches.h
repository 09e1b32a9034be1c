// Batches: entries that are answered one by one.
#pragma once

#include <cstddef>
#include <vector>

#include "server/http/json/json_values.h"
#include "server/sqs/format/fault.h"
#include "server/sqs/operations/promised.h"

namespace holdfast::server::sqs {

// One for each entry, in their order.
using EntryOutcomes = std::vector<Outcome<Json>>;

// The entries of a batch. kEmptyBatchRequest, kTooManyEntriesInBatchRequest, kBatchEntryIdsNotDistinct,
// kInvalidBatchEntryId.
Outcome<std::vector<Json>> read_entries(const Json& input);

// Who succeeded and who did not, each by its id.
Json batch_answer(const std::vector<Json>& entries, EntryOutcomes outcomes);

// The answer of a single one.
Outcome<Json> answer_of_one(EntryOutcomes outcomes);

}  // namespace holdfast::server::sqs
