// Writes and reads numbers in keys. They are big-endian, so that keys sort as their numbers do.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace holdfast {

inline std::uint64_t big_endian(std::uint64_t value) {
  return std::endian::native == std::endian::little ? __builtin_bswap64(value) : value;
}

inline void append_big_endian(std::string& key, std::uint64_t number) {
  const std::uint64_t ordered = big_endian(number);
  char bytes[sizeof ordered];
  std::memcpy(bytes, &ordered, sizeof ordered);
  key.append(bytes, sizeof ordered);
}

inline std::uint64_t big_endian_at(std::string_view key, std::size_t offset) {
  std::uint64_t ordered = 0;
  std::memcpy(&ordered, key.data() + offset, sizeof ordered);
  return big_endian(ordered);
}

}  // namespace holdfast
