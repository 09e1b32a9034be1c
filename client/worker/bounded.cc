#include "client/worker/bounded.h"

#include "engine/base/validation/validate.h"
#include "holdfast/limits.h"

namespace holdfast::worker {

Failure bounded(Failure failure) {
  failure.category = bounded_text(failure.category, limits::kCategoryBytes);
  failure.code = bounded_text(failure.code, limits::kErrorCodeBytes);
  auto& causes = failure.causes;
  if (causes.size() > limits::kNestedErrors)
    causes.erase(causes.begin() + limits::kNestedErrors - 1, causes.end() - 1);
  for (NestedError& cause : causes) {
    cause.code = bounded_text(cause.code, limits::kErrorCodeBytes);
    cause.message = bounded_text(cause.message, limits::kNestedErrorBytes - cause.code.size());
  }
  return failure;
}

}  // namespace holdfast::worker
