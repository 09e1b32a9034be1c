// Checks of invariants: conditions that must hold whatever callers and disks do. A broken invariant stops the
// process, in every build, and the message says what was broken; going on would answer or write something
// untrue. Contents of the disk are not invariants: they can be damaged, which is answered with kCorruption.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace holdfast {

[[noreturn]] inline void stop_for_broken_invariant(const char* what, const char* condition, const char* file,
                                                   int line) {
  (void)std::fprintf(stderr, "holdfast: broken invariant: %s (%s, %s:%d); this is a defect of Holdfast\n",
                     what, condition, file, line);
  std::abort();
}

}  // namespace holdfast

// `what` is a sentence that says what holds.
#define HOLDFAST_CHECK(condition, what) \
  ((condition) ? void() : ::holdfast::stop_for_broken_invariant(what, #condition, __FILE__, __LINE__))
