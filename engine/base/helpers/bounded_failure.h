// Keeps a failure within its limits, whatever a consumer says of it.
#pragma once

#include "holdfast/dead_letter.h"

namespace holdfast {

// Cuts the texts that the engine would refuse as too long, and marks each cut. If there are too many causes,
// the first ones, which say the most, and the root stay, with an entry between them that says how many were
// left out. The reason, the stack trace and the partial output stay as they are: the engine cuts them.
Failure bounded(Failure failure);

}  // namespace holdfast
