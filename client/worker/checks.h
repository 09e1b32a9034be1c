// Of options: whether a value is in its range, else an error that names both.
#pragma once

#include <cstddef>
#include <string_view>

#include "holdfast/error.h"
#include "holdfast/time.h"

namespace holdfast::worker {

Result<void> check(std::string_view field, std::size_t value, std::size_t min, std::size_t max);
Result<void> check(std::string_view field, Duration value, Duration min, Duration max);

}  // namespace holdfast::worker
