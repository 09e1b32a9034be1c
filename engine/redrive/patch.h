// These functions apply a JSON Patch (RFC 6902) to a body, with a bound on the work that it makes.
#pragma once

#include <cstddef>

#include "engine/codec/encoding/json.h"
#include "holdfast/error.h"

namespace holdfast {

// Returns whether a value is an array of operations, each with the members that it needs.
bool is_patch(const Json& operations);

// Applies the operations to a body that parse_exact_json() returned, and leaves a body that it would read
// again. If that fails, some operations may be done. `limit` is how many bytes of text the body may have
// afterwards, and also how many the copies of all operations may have together. kLimitExceeded if the patch
// exceeds it, limits::kJsonDepth, kJsonValues or kPatchSteps. Throws Json::exception if an operation does not
// fit the body.
Result<void> apply_patch(const Json& operations, std::size_t limit, Json& body);

}  // namespace holdfast
