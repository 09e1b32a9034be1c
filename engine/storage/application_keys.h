// The keys of the application's families end here. The store may keep a row of its own behind all of them.
#pragma once

#include <string>

#include "holdfast/limits.h"

namespace holdfast {

inline const std::string kApplicationKeysEnd(limits::kApplicationKeyBytes + 1, '\xff');  // past every key

}  // namespace holdfast
