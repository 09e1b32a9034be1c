#include "schema/transport/frames/frame_writer.h"

#include <boost/endian/conversion.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace holdfast::transport {
namespace {

void append_u32(std::vector<char>& out, std::size_t value) {
  char bytes[sizeof(std::uint32_t)];
  boost::endian::store_little_u32(reinterpret_cast<unsigned char*>(bytes), static_cast<std::uint32_t>(value));
  out.insert(out.end(), std::begin(bytes), std::end(bytes));
}

}  // namespace

void append_frame(std::vector<char>& out, kj::ArrayPtr<const kj::ArrayPtr<const capnp::word>> segments) {
  append_u32(out, segments.size() - 1);
  for (const auto& segment : segments) append_u32(out, segment.size());
  if (segments.size() % 2 == 0) append_u32(out, 0);
  for (const auto& segment : segments) {
    auto bytes = segment.asChars();
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
}

}  // namespace holdfast::transport
