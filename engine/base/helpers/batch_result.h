// What becomes of a BatchResult where each entry is looked at by itself.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "holdfast/message_verbs.h"

namespace holdfast {

// The answer of a batch of one entry.
template <class T>
Result<T> only_answer(BatchResult<T> answers) {
  if (!answers) return tl::unexpected(std::move(answers).error());
  return std::move(answers->front());
}

// The answer of each of so many entries: an error of the whole call is every entry's.
template <class T>
std::vector<Result<T>> by_entry(BatchResult<T> answers, std::size_t entries) {
  if (!answers) return std::vector<Result<T>>(entries, tl::unexpected(answers.error()));
  return *std::move(answers);
}

}  // namespace holdfast
