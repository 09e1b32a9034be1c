// What a failure may have, whatever a consumer says of it.
#pragma once

#include "holdfast/dead_letter.h"

namespace holdfast {

// With what would be refused cut, and marks that say so; of too many causes the first, which say the most,
// and the root stay, with one between them that says how many were left out. Longer reasons and the like the
// engine cuts.
Failure bounded(Failure failure);

}  // namespace holdfast
