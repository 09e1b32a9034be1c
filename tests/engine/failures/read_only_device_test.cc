// A directory on a file system that is mounted read-only, as that of a failing disk may be.
#include <gtest/gtest.h>

#include "holdfast/engine.h"
#include "tests/support/result_matchers.h"
#include "tests/support/small_device.h"

namespace holdfast::testing {
namespace {

TEST(ReadOnlyDevice, IsVerifiedAndSalvaged) {
  constexpr std::uint64_t kBytes = 64 << 20;
  constexpr std::uint64_t kSmall = 1 << 20;
  SmallDevice device(kBytes);
  if (!device.mounted())
    GTEST_SKIP() << "needs a small device of its own, and cannot mount a tmpfs: " << device.why_not();
  const TempDir temp;
  const auto data = device.path() / "data";
  const EngineOptions options{
      .background = false, .free_space_reserve = 4 * kSmall, .write_buffer_bytes = kSmall};
  {
    Engine engine = must(Engine::open(data, options));
    must(engine.create_queue("orders"));
    must(engine.send("orders", {.body = "x"}));
    must(engine.close());
  }
  device.make_read_only();
  EXPECT_TRUE(must(Engine::verify(data)).sound());
  EXPECT_EQ(must(Engine::salvage(data, temp / "salvaged")).messages, 1U);
  EXPECT_TRUE(must(Engine::verify(temp / "salvaged")).sound());
  EXPECT_FALSE(Engine::open(data, options).has_value());
}

}  // namespace
}  // namespace holdfast::testing
