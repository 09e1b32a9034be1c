// Arguments and replies in which everything is said.
#pragma once

#include <capnp/dynamic.h>

#include "holdfast/ids.h"

namespace holdfast::fuzz {

inline constexpr const char* kQueue = "orders";

inline constexpr Receipt kReceipt{QueueId{1}, Seq{1}, LeaseId{1}};

// Sets every field to something, `depth` structs deep. Of a union, it sets the last member. Each receipt
// becomes `receipt`, and capabilities stay null.
void fill(capnp::DynamicStruct::Builder to, const Receipt& receipt = kReceipt, int depth = 3);

}  // namespace holdfast::fuzz
