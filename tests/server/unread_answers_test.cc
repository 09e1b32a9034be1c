// Tests which connections give way to others when the answers that nobody reads have reached their bound.
#include "server/bounds/unread_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace holdfast::server {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UnreadAnswersTest : public ::testing::Test {
 protected:
  using Room = UnreadAnswers::Room;

  std::unique_ptr<Room> room(const std::string& name) {
    auto made = std::make_unique<Room>(answers_);
    made->on_loss([this, name] { left_.push_back(name); });
    return made;
  }
  bool admits(std::size_t bytes) { return answers_.admit(bytes, limits_, now_); }

  UnreadAnswers answers_;
  UnreadAnswers::Time now_;
  ServerLimits limits_ = {.max_total_send_bytes = 100, .give_way_timeout = seconds(2)};
  std::vector<std::string> left_;
};

TEST_F(UnreadAnswersTest, WhoHasStoodStillForTheLongestGivesWayFirst) {
  const auto first = room("first");
  const auto second = room("second");
  const auto third = room("third");
  for (Room* one : {first.get(), second.get(), third.get()}) {
    one->hold(30, now_);
    now_ += seconds(1);
  }
  first->moved(now_);
  now_ += seconds(2);
  EXPECT_TRUE(admits(10));
  EXPECT_THAT(left_, IsEmpty()) << "there was room";
  EXPECT_TRUE(admits(20));
  EXPECT_THAT(left_, ElementsAre("second"));
  EXPECT_TRUE(second->is_lost());
  EXPECT_TRUE(admits(60));
  EXPECT_THAT(left_, ElementsAre("second", "third")) << "as many as are needed";
  EXPECT_FALSE(first->is_lost());
}

TEST_F(UnreadAnswersTest, WhoReadsDoesNotGiveWay) {
  const auto reader = room("reader");
  reader->hold(100, now_);
  for (int i = 0; i < 10; ++i) {
    now_ += limits_.give_way_timeout - std::chrono::milliseconds(1);
    EXPECT_FALSE(admits(1));
    reader->moved(now_);
  }
  now_ += limits_.give_way_timeout;
  EXPECT_TRUE(admits(1));
  EXPECT_THAT(left_, ElementsAre("reader"));
}

TEST_F(UnreadAnswersTest, NobodyGivesWayInVain) {
  const auto stalled = room("stalled");
  stalled->hold(30, now_);
  now_ += seconds(2);
  const auto reader = room("reader");
  reader->hold(60, now_);
  EXPECT_FALSE(admits(50));
  EXPECT_THAT(left_, IsEmpty());
  EXPECT_TRUE(admits(40));
  EXPECT_THAT(left_, ElementsAre("stalled"));
}

TEST_F(UnreadAnswersTest, AnAnswerMayHaveAnySizeIfAllOthersAreRead) {
  EXPECT_TRUE(admits(1000));
  const auto reader = room("reader");
  reader->hold(1000, now_);
  EXPECT_FALSE(admits(0));
  reader->hold(0, now_);
  EXPECT_TRUE(admits(1000));
  reader->hold(1000, now_);
  reader->release();
  EXPECT_TRUE(admits(1000));
  EXPECT_THAT(left_, IsEmpty());
}

// The connection's loop may hear of the loss only when the answer has been sent after all.
TEST_F(UnreadAnswersTest, WhatIsReadAfterAllIsNotLost) {
  const auto late = room("late");
  late->hold(100, now_);
  now_ += seconds(2);
  ASSERT_TRUE(admits(1));
  ASSERT_TRUE(late->is_lost());
  late->moved(now_);
  EXPECT_TRUE(late->is_lost());
  late->release();
  EXPECT_FALSE(late->is_lost());
  late->hold(100, now_);
  EXPECT_FALSE(late->is_lost());
  EXPECT_FALSE(admits(1)) << "it counts again";
}

}  // namespace
}  // namespace holdfast::server
