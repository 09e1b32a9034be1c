// The unit in which times are measured. Users include holdfast/time.h.
#pragma once

#include <chrono>

namespace holdfast {

using Duration = std::chrono::microseconds;

}  // namespace holdfast
