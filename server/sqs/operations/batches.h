// Batches of entries that are answered one by one.
#pragma once

#include <cstddef>
#include <vector>

#include "server/http/json/json_values.h"
#include "server/sqs/format/fault.h"
#include "server/sqs/operations/promised.h"

namespace holdfast::server::sqs {

// One outcome for each entry, in their order.
using EntryOutcomes = std::vector<Outcome<Json>>;

// Returns the entries of a batch. kEmptyBatchRequest, kTooManyEntriesInBatchRequest,
// kBatchEntryIdsNotDistinct, kInvalidBatchEntryId.
Outcome<std::vector<Json>> read_entries(const Json& input);

// Makes the answer: which entries succeeded and which failed, each by its id.
Json batch_answer(const std::vector<Json>& entries, EntryOutcomes outcomes);

// Returns the answer of the single entry.
Outcome<Json> answer_of_one(EntryOutcomes outcomes);

}  // namespace holdfast::server::sqs
