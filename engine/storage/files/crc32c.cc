#include "engine/storage/files/crc32c.h"

#include <array>

namespace holdfast {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // with its bits reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    table[byte] = value;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t value = 0xffffffff;
  for (const char byte : bytes)
    value = (value >> 8) ^ kTable[(value ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~value;
}

}  // namespace holdfast
