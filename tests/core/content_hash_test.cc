// The hash of a message's content: each bit of it, its length and the order of its words count.
#include "engine/base/helpers/content_hash.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace holdfast {
namespace {

TEST(ContentHashTest, EachBitAndTheLengthCount) {
  std::set<std::uint64_t> seen;
  std::size_t made = 0;
  for (const std::size_t size : {0, 1, 7, 8, 31, 32, 33, 64, 100}) {
    std::string bytes(size, 'x');
    seen.insert(ContentHash().add(std::string_view(bytes)).value());
    ++made;
    for (std::size_t bit = 0; bit < size * 8; ++bit) {
      const auto flip = static_cast<char>(1U << (bit % 8));
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
      seen.insert(ContentHash().add(std::string_view(bytes)).value());
      bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ flip);
      ++made;
    }
  }
  EXPECT_EQ(seen.size(), made);
}

TEST(ContentHashTest, WordsMayNotChangePlaces) {
  const std::string a(8, 'a');
  const std::string b(8, 'b');
  std::set<std::uint64_t> seen;
  for (const std::string& text : {a + b + b + b + b + b, b + a + b + b + b + b, b + b + b + b + a + b,
                                  b + b + b + b + b + a, a + b + b + b + a + b})
    seen.insert(ContentHash().add(std::string_view(text)).value());
  EXPECT_EQ(seen.size(), 5U);
}

}  // namespace
}  // namespace holdfast
