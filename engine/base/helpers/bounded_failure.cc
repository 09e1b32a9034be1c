#include "engine/base/helpers/bounded_failure.h"

#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast {

Failure bounded(Failure failure) {
  failure.category = bounded_text(failure.category, limits::kCategoryBytes);
  failure.code = bounded_text(failure.code, limits::kErrorCodeBytes);
  auto& causes = failure.causes;
  if (causes.size() > limits::kNestedErrors) {
    const auto first_cut = causes.begin() + limits::kNestedErrors - 2;
    const std::size_t cut = causes.size() - (limits::kNestedErrors - 1);
    *first_cut = {.message = "... [cut, nested errors: " + std::to_string(cut) + ']'};
    causes.erase(first_cut + 1, causes.end() - 1);
  }
  for (NestedError& cause : causes) {
    cause.code = bounded_text(cause.code, limits::kErrorCodeBytes);
    cause.message = bounded_text(cause.message, limits::kNestedErrorBytes - cause.code.size());
  }
  return failure;
}

}  // namespace holdfast
