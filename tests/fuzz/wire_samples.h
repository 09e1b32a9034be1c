// Arguments and replies in which everything is said.
#pragma once

#include <capnp/dynamic.h>

namespace holdfast::fuzz {

inline constexpr const char* kQueue = "orders";

// Something in every field, `depth` structs deep; of a union's members, in the last.
void fill(capnp::DynamicStruct::Builder to, int depth = 3);

}  // namespace holdfast::fuzz
