// The checksum of the mark and of RocksDB's log records.
#include "engine/storage/files/crc32c.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/support/random.h"

namespace holdfast::testing {
namespace {

std::string counted(int first, int step) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes += static_cast<char>(first + i * step);
  return bytes;
}

// RFC 3720, B.4, has these values.
TEST(Crc32cTest, HasTheValuesOfItsStandard) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  EXPECT_EQ(crc32c(counted(0, 1)), 0x46dd794eU);
  EXPECT_EQ(crc32c(counted(31, -1)), 0x113fdb5cU);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32cTest, OfAPrefixGoesOnToThatOfTheWhole) {
  Random random(1);
  const std::string bytes = random.bytes(67);
  for (std::size_t at = 0; at <= bytes.size(); ++at) {
    const std::string_view whole = bytes;
    EXPECT_EQ(crc32c(whole.substr(at), crc32c(whole.substr(0, at))), crc32c(whole)) << at;
  }
}

// Each bit that is turned changes the checksum, wherever it lies in a word.
TEST(Crc32cTest, SeesEachBit) {
  Random random(2);
  std::string bytes = random.bytes(41);
  const std::uint32_t before = crc32c(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto mask = static_cast<char>(1 << (bit % 8));
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
    EXPECT_NE(crc32c(bytes), before) << bit;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ mask);
  }
}

}  // namespace
}  // namespace holdfast::testing
