// What a failure may have.
#pragma once

#include "holdfast/dead_letter.h"

namespace holdfast::worker {

// With what is longer than its limit cut; of too many causes the first, which say the most, and the root.
Failure bounded(Failure failure);

}  // namespace holdfast::worker
