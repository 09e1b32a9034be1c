// Compares what the engine showed with what the model holds.
#pragma once

#include <string>

#include "tests/model/model.h"
#include "tests/support/print.h"

namespace holdfast::testing {

// Returns "counts is {...}, expected {...}", or an empty text if the values are equal.
template <class T, class U>
Verdict differs(std::string_view what, const T& got, const U& expected) {
  if (got == expected) return {};
  return std::string(what) + " is " + ::testing::PrintToString(got) + ", expected " +
         ::testing::PrintToString(expected);
}

// Compares a message that was just handed out. The model has counted its delivery already.
Verdict compare(const Delivery& got, const ModelMessage& expected);
Verdict compare(const DeadLetter& got, const ModelMessage& expected, bool with_body);
Verdict compare(const DeadLetter& got, const ModelRecord& expected);

}  // namespace holdfast::testing
