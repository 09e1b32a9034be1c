// Gathers Cap'n Proto messages into one run of bytes.
#pragma once

#include <capnp/common.h>
#include <kj/array.h>

#include <vector>

namespace holdfast::transport {

// Appends a message in the standard serialization, which frame_reader.cc describes.
void append_frame(std::vector<char>& out, kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments);

}  // namespace holdfast::transport
