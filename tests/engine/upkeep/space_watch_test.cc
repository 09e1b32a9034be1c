// The free space of a device while callers side by side use it up.
#include "engine/services/space_watch.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <utility>

#include "engine/storage/memory/memory_store.h"
#include "tests/support/result_matchers.h"
#include "tests/support/switched_store.h"

namespace holdfast::testing {
namespace {

// A device that says what the test wants it to say. Before it answers, it does what the test wants done
// meanwhile.
class AskedStore final : public SwitchedStore {
 public:
  AskedStore() : SwitchedStore(must(open_memory_store(std::make_shared<MemoryDisk>(1))), power_on()) {}

  Result<std::uint64_t> free_space() const override {
    const std::uint64_t answer = free;
    if (const auto act = std::exchange(meanwhile, nullptr)) act();
    return answer;
  }

  std::uint64_t free = 0;
  mutable std::function<void()> meanwhile;
};

class SpaceWatchTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kReserve = 4000;
  AskedStore store_;
  SpaceWatch watch_{store_, kReserve};
};

TEST_F(SpaceWatchTest, WhatIsAdmittedWhileTheDeviceIsAskedIsMeasuredByNoOlderAnswer) {
  store_.free = kReserve + 900;
  ASSERT_THAT(watch_.admit(1), Succeeds());
  store_.free = kReserve + 30;
  bool admitted = true;
  store_.meanwhile = [&] { admitted = watch_.admit(40).has_value(); };
  EXPECT_THAT(watch_.admit(500), FailsWith(ErrorCode::kDiskFull));
  EXPECT_FALSE(admitted);
}

TEST_F(SpaceWatchTest, WhatIsNotWrittenYetCountsForOthers) {
  store_.free = kReserve + 25;
  {
    const auto first = watch_.admit(20);
    ASSERT_THAT(first, Succeeds());
    EXPECT_THAT(watch_.admit(6), FailsWith(ErrorCode::kDiskFull));
    EXPECT_THAT(watch_.admit(5), Succeeds());
  }
  // Nothing was written for those calls, as the device says.
  EXPECT_THAT(watch_.admit(25), Succeeds());
  EXPECT_THAT(watch_.admit(26), FailsWith(ErrorCode::kDiskFull));
}

// What is sent at one moment goes to one log. The reserve has room for the tables that a log of the usual
// size becomes, and not for more.
TEST_F(SpaceWatchTest, WhatIsSentAtOneMomentCountsAsOftenAsItIsWritten) {
  constexpr std::uint64_t kUsual = kReserve / 4;
  store_.free = kReserve + kUsual;
  EXPECT_THAT(watch_.admit(kUsual), Succeeds());
  EXPECT_THAT(watch_.admit(kUsual + 1), FailsWith(ErrorCode::kDiskFull));
  store_.free = kReserve + kUsual + 400 + 900;
  const auto first = watch_.admit(kUsual);
  ASSERT_THAT(first, Succeeds());
  EXPECT_THAT(watch_.admit(401), FailsWith(ErrorCode::kDiskFull));
  EXPECT_THAT(watch_.admit(400), Succeeds());
}

// Two calls ask at once. The first answer is from before the second call's bytes were written.
TEST_F(SpaceWatchTest, AnOlderAnswerDoesNotReplaceANewerOne) {
  store_.free = kReserve + 900;
  store_.meanwhile = [&] {
    store_.free = kReserve + 850;
    (void)watch_.admit(50);
    store_.free = kReserve + 10;
    EXPECT_THAT(watch_.admit(500), FailsWith(ErrorCode::kDiskFull));
  };
  (void)watch_.admit(460);
  EXPECT_THAT(watch_.admit(11), FailsWith(ErrorCode::kDiskFull));
}

}  // namespace
}  // namespace holdfast::testing
