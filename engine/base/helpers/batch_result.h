// Functions that turn a BatchResult into the answers of its entries.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "holdfast/message_verbs.h"

namespace holdfast {

// Returns the answer of a batch of one entry: the entry's, or the error of the whole call. Requires that a
// result without an error has an entry.
template <class T>
Result<T> only_answer(BatchResult<T> answers) {
  if (!answers) return tl::unexpected(std::move(answers).error());
  return std::move(answers->front());
}

// Returns the answer of each of `entries` entries. An error of the whole call becomes the error of every
// entry.
template <class T>
std::vector<Result<T>> by_entry(BatchResult<T> answers, std::size_t entries) {
  if (!answers) return std::vector<Result<T>>(entries, tl::unexpected(answers.error()));
  return *std::move(answers);
}

}  // namespace holdfast
