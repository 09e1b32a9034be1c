#include "engine/storage/files/crc32c.h"

#include <array>
#include <cstddef>

#include "engine/storage/files/little_endian.h"

namespace holdfast {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // with its bits reversed

using Table = std::array<std::uint32_t, 256>;

// tables[0] has the remainder of each byte, and tables[n] the remainder of each byte that n zeros follow. So
// eight bytes are looked up side by side, where a single table makes each byte wait for the one before.
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = value;
  }
  for (std::size_t zeros = 1; zeros < tables.size(); ++zeros) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[zeros - 1][byte];
      tables[zeros][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr std::array<Table, 8> kTables = make_tables();

}  // namespace

std::uint32_t crc32c(std::string_view bytes, std::uint32_t before) {
  std::uint32_t value = ~before;
  for (; bytes.size() >= kTables.size(); bytes.remove_prefix(kTables.size())) {
    const std::uint64_t word = load_little<std::uint64_t>(bytes, 0) ^ value;
    const auto remainder = [word](std::size_t byte) {
      return kTables[kTables.size() - 1 - byte][(word >> (8 * byte)) & 0xff];
    };
    value = remainder(0) ^ remainder(1) ^ remainder(2) ^ remainder(3) ^ remainder(4) ^ remainder(5) ^
            remainder(6) ^ remainder(7);
  }
  for (const char byte : bytes)
    value = (value >> 8) ^ kTables[0][(value ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~value;
}

}  // namespace holdfast
