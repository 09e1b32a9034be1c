// Checks of invariants that cost more than the code they guard, and stop the process as those of check.h do.
#pragma once

#include "engine/base/helpers/check.h"

namespace holdfast {

// `costly_checks` says whether the costly checks run. They do in the debug build, under the sanitizers, and
// in all tests, which set it before their first thread starts.
#ifdef HOLDFAST_COSTLY_CHECKS
inline bool costly_checks = true;
#else
inline bool costly_checks = false;
#endif

}  // namespace holdfast

// `what` is a sentence that says what holds.
#define HOLDFAST_COSTLY_CHECK(condition, what) \
  (::holdfast::costly_checks ? HOLDFAST_CHECK(condition, what) : void())
