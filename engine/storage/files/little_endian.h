// Reads and writes numbers in the byte order of RocksDB's files.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/helpers/check.h"

namespace holdfast {

// The number must lie within the bytes.
template <class Number>
Number load_little(std::string_view bytes, std::size_t at) {
  HOLDFAST_CHECK(at <= bytes.size() && sizeof(Number) <= bytes.size() - at,
                 "the number lies within the bytes");
  Number number{};
  std::memcpy(&number, bytes.data() + at, sizeof(Number));
  return number;
}

template <class Number>
void append_little(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(Number));
}

}  // namespace holdfast
