// The log of a round's calls knows which answers a power loss may take back.
#include "tests/interleaving/call_log.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace holdfast::testing {
namespace {

bool keeps_answer(const CallLog& log, std::uint64_t op) {
  const auto lines = log.after_power_loss();
  return std::ranges::any_of(lines, [&](const LogLine& line) { return line.settled && line.op == op; });
}

TEST(CallLog, APowerLossTakesBackWhatIsOnlyBuffered) {
  CallLog log(1);
  const auto buffered = log.begin({"send"});
  const auto synced = log.begin({"send"});
  const auto refused = log.begin({"send"});
  log.settle(buffered, {"ok"}, Durability::kBuffered);
  log.settle(synced, {"ok"}, Durability::kFsync);
  log.refuse(refused, "queue_paused");
  EXPECT_FALSE(keeps_answer(log, buffered)) << "it may have been written after the other one";
  EXPECT_TRUE(keeps_answer(log, synced));
  EXPECT_TRUE(keeps_answer(log, refused));
  EXPECT_EQ(log.after_power_loss().size(), 5U) << "all calls have started";
}

TEST(CallLog, WhatIsSyncedKeepsWhatWasAnsweredBeforeItBegan) {
  CallLog log(1);
  const auto before = log.begin({"send"});
  log.settle(before, {"ok"}, Durability::kBuffered);
  const auto synced = log.begin({"send"});
  log.settle(synced, {"ok"}, Durability::kFsync);
  EXPECT_TRUE(keeps_answer(log, before));
}

}  // namespace
}  // namespace holdfast::testing
