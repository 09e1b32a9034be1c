// The buffer of the buffered sender: when a batch is due, what goes into it, and how much the buffer holds.
#include "client/sending/send_buffer.h"

#include <gmock/gmock.h>

namespace holdfast::client {
namespace {

using namespace std::chrono_literals;

constexpr Timestamp kStart{};

Waiting message(std::size_t bytes) {
  return {.message = {.body = std::string(bytes - 2, 'x'), .attributes = {{"a", "b"}}}, .done = {}};
}

TEST(SendBufferTest, ABatchIsDueWhenItIsFullOrItsOldestHasLingered) {
  const BufferedSenderOptions options{.batch_messages = 3, .batch_bytes = 100, .linger = 5ms};
  SendBuffer buffer(options);
  EXPECT_EQ(buffer.due(), Timestamp::max());
  buffer.add(message(10), kStart);
  buffer.add(message(10), kStart + 4ms);
  EXPECT_EQ(buffer.due(), kStart + 5ms);
  buffer.add(message(10), kStart + 4ms);
  EXPECT_EQ(buffer.due(), Timestamp::min()) << "so many messages";
  EXPECT_EQ(buffer.take().messages.size(), 3U);
  buffer.add(message(99), kStart);
  EXPECT_EQ(buffer.due(), kStart + 5ms);
  buffer.add(message(10), kStart);
  EXPECT_EQ(buffer.due(), Timestamp::min()) << "so many bytes";
  const SendBatch batch = buffer.take();
  EXPECT_EQ(batch.messages.size(), 1U) << "both are too many bytes";
  EXPECT_EQ(batch.bytes, 99U);
  EXPECT_EQ(buffer.due(), kStart + 5ms);
  EXPECT_FALSE(buffer.empty());
}

TEST(SendBufferTest, ALargeMessageLeavesAlone) {
  const BufferedSenderOptions options{.batch_bytes = 100};
  SendBuffer buffer(options);
  for (const std::size_t bytes : {10, 101, 10, 10}) buffer.add(message(bytes), kStart);
  EXPECT_EQ(buffer.take().bytes, 10U);
  EXPECT_EQ(buffer.take().bytes, 101U);
  EXPECT_EQ(buffer.take().bytes, 20U);
  EXPECT_TRUE(buffer.empty());
}

TEST(SendBufferTest, AMessageWithALongNameLeavesAloneToo) {
  const BufferedSenderOptions options{.batch_bytes = 100};
  SendBuffer buffer(options);
  const auto add = [&buffer](Message message) {
    buffer.add({.message = std::move(message), .done = {}}, kStart);
  };
  add({.body = "a"});
  add({.body = "b", .group = std::string(100, 'x')});
  add({.body = "c"});
  add({.body = "d", .deduplication_id = std::string(100, 'x')});
  for (const char* body : {"a", "b", "c", "d"}) {
    const SendBatch batch = buffer.take();
    ASSERT_EQ(batch.messages.size(), 1U) << body;
    EXPECT_EQ(batch.messages.front().body, body);
  }
  EXPECT_TRUE(buffer.empty());
}

TEST(SendBufferTest, WhatIsUnderWayCountsUntilItIsDoneWith) {
  const BufferedSenderOptions options{.buffer_messages = 3, .buffer_bytes = 100};
  SendBuffer buffer(options);
  EXPECT_TRUE(buffer.has_room(message(1000).message)) << "nothing else is held";
  buffer.add(message(60), kStart);
  const SendBatch batch = buffer.take();
  EXPECT_TRUE(buffer.has_room(message(40).message));
  EXPECT_FALSE(buffer.has_room(message(41).message));
  buffer.release(batch);
  EXPECT_EQ(buffer.answered(), 1U);
  EXPECT_TRUE(buffer.has_room(message(1000).message));
  for (int i = 0; i < 3; ++i) buffer.add(message(2), kStart);
  EXPECT_FALSE(buffer.has_room(message(2).message)) << "so many messages";
}

TEST(SendBufferTest, AFlushConcernsWhatIsThere) {
  const BufferedSenderOptions options{.batch_messages = 2, .linger = 1min};
  SendBuffer buffer(options);
  for (int i = 0; i < 3; ++i) buffer.add(message(2), kStart);
  EXPECT_EQ(buffer.flush(), 3U);
  (void)buffer.take();
  EXPECT_EQ(buffer.due(), Timestamp::min());
  (void)buffer.take();
  buffer.add(message(2), kStart);
  EXPECT_EQ(buffer.due(), kStart + 1min);
}

}  // namespace
}  // namespace holdfast::client
