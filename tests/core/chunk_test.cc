// Chunks, the rows that hold messages: they keep their messages byte for byte within their limits, and
// damaged bytes are answered.
#include "engine/codec/rows/chunk.h"

#include <gtest/gtest.h>

#include <random>

#include "engine/codec/rows/carried.h"
#include "engine/core/group_index.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

std::string random_bytes(std::mt19937_64& random, std::size_t max) {
  std::string bytes(random() % (max + 1), '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

Message random_message(std::mt19937_64& random) {
  Message message{.body = random_bytes(random, 300)};
  if (random() % 2 == 0) message.group = random_bytes(random, limits::kGroupBytes);
  message.priority = static_cast<std::uint32_t>(random() % limits::kPrioritiesMax);
  for (std::size_t i = random() % 4; i > 0; --i) {
    message.attributes.push_back({random_bytes(random, 20), random_bytes(random, 200)});
  }
  return message;
}

TEST(Chunk, KeepsMessagesByteForByte) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ChunkBuilder builder(Seq{random()}, ChunkKind::kDeadLetters);
    std::vector<Message> messages(1 + random() % limits::kChunkMessages);
    for (Message& message : messages) {
      message = random_message(random);
      MessageId id;
      id.bytes[3] = static_cast<std::uint8_t>(builder.count());
      builder.add(id, Timestamp(Duration(1000 + builder.count())), message);
    }
    const auto decoded = Chunk::decode((std::move(builder).finish())->bytes());
    ASSERT_TRUE(decoded.has_value());
    ASSERT_EQ((*decoded)->count(), messages.size());
    EXPECT_EQ((*decoded)->kind(), ChunkKind::kDeadLetters);
    for (std::uint32_t i = 0; i < messages.size(); ++i) {
      const MessageView view = (*decoded)->message(i);
      EXPECT_EQ(view.body, messages[i].body);
      EXPECT_EQ(view.attributes(), messages[i].attributes);
      EXPECT_EQ(view.group, messages[i].group);
      EXPECT_EQ(view.priority, messages[i].priority);
      EXPECT_EQ((*decoded)->groups().at(i), group_key(messages[i].group));
      EXPECT_EQ(view.id.bytes[3], i);
      EXPECT_EQ(view.sent_at, Timestamp(Duration(1000 + i)));
      EXPECT_TRUE(view.lineage.empty());
    }
  }
}

TEST(Chunk, KeepsWhatAMessageCarries) {
  const FailureHistory history{.deliveries = 7,
                               .first_failed_at = Timestamp(Duration(3)),
                               .last_failed_at = Timestamp(Duration(4)),
                               .consumer = std::make_shared<const Consumer>(Consumer{"one", "2.1"}),
                               .attempts = std::make_shared<const AttemptNotes>(
                                   AttemptNotes{.kept = {{.failed_at = Timestamp(Duration(3)),
                                                          .end = AttemptEnd::kReleased,
                                                          .held_ms = 5,
                                                          .consumer = {"one", "2.1"}}},
                                                .left_out = 5,
                                                .home = Seq{8}}),
                               .described = 5,
                               .home = Seq{8}};
  const std::string carried = encode_carried({history, ReturnTo::kTail});
  MessageView message;
  message.body = "body";
  message.attribute_bytes = std::string_view("\0", 1);
  message.carried = carried;
  ChunkBuilder builder(Seq{0}, ChunkKind::kMessages);
  builder.add_copy(message, {});
  const auto decoded = Chunk::decode((std::move(builder).finish())->bytes());
  ASSERT_TRUE(decoded.has_value());
  const MessageView view = (*decoded)->message(0);
  EXPECT_EQ(view.body, "body");
  EXPECT_EQ(decode_carried(view.carried).to, ReturnTo::kTail);
  const FailureHistory kept = decode_carried(view.carried).history;
  EXPECT_EQ(kept.deliveries, 7U);
  EXPECT_EQ(kept.first_failed_at, history.first_failed_at);
  EXPECT_EQ(kept.last_failed_at, history.last_failed_at);
  EXPECT_EQ(*kept.consumer, *history.consumer);
  EXPECT_EQ(*kept.attempts, *history.attempts);
  EXPECT_EQ(kept.described, history.described);
  EXPECT_EQ(kept.home, history.home);
}

TEST(Chunk, CopiesAMessageWithAnotherLineage) {
  ChunkBuilder from(Seq{1}, ChunkKind::kMessages);
  from.add({}, Timestamp(Duration(7)), {.body = "body", .attributes = {{"name", "value"}}, .group = "g"});
  const auto chunk = std::move(from).finish();
  const Lineage lineage{.replays = 3,
                        .deaths = 4,
                        .first_failed_at = Timestamp(Duration(5)),
                        .origin_queue = QueueId{6},
                        .origin_seq = Seq{1U << 30},
                        .record_queue = QueueId{700},
                        .record_seq = Seq{1U << 20}};
  ChunkBuilder to(Seq{9}, ChunkKind::kMessages);
  to.add_copy(chunk->message(0), lineage);
  const auto copy = Chunk::decode((std::move(to).finish())->bytes());
  ASSERT_TRUE(copy.has_value());
  EXPECT_EQ((*copy)->message(0).lineage, lineage);
  EXPECT_EQ((*copy)->message(0).body, "body");
  EXPECT_EQ((*copy)->message(0).group, "g");
  EXPECT_EQ((*copy)->message(0).attributes(), (Attributes{{"name", "value"}}));
}

TEST(Chunk, IsFullAtItsLimits) {
  ChunkBuilder builder(Seq{1}, ChunkKind::kMessages);
  EXPECT_TRUE(builder.has_room_for(limits::kChunkBytes - builder.byte_size()));
  EXPECT_FALSE(builder.has_room_for(limits::kChunkBytes - builder.byte_size() + 1));
  for (std::size_t i = 0; i < limits::kChunkMessages; ++i) {
    EXPECT_TRUE(builder.has_room_for(0));
    builder.add({}, {}, {});
  }
  EXPECT_FALSE(builder.has_room_for(0));
}

// A cache keeps chunks by their bytes, so what a chunk takes must follow from them.
TEST(Chunk, TakesAtMostTwiceItsBytes) {
  for (const std::size_t reserved : {0, 1, 1000, 100'000}) {
    SCOPED_TRACE("reserved " + std::to_string(reserved));
    ChunkBuilder builder(Seq{1}, ChunkKind::kMessages);
    builder.reserve(1, reserved);
    const Message message{.body = std::string(500, 'a')};
    builder.add({}, {}, message);
    builder.add({}, {}, message);
    const auto chunk = std::move(builder).finish();
    EXPECT_LE(chunk->bytes().capacity(), 2 * chunk->bytes().size());
    EXPECT_EQ(chunk->count(), 2U);
    EXPECT_EQ(chunk->message(1).body, message.body);
  }
}

// Whatever bytes it is given, decoding answers with kCorruption or with a chunk that can be read.
TEST(Chunk, AnswersDamagedBytes) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random(seed);
    ChunkBuilder builder(Seq{1}, ChunkKind::kMessages);
    for (int i = 0; i < 3; ++i) builder.add({}, {}, random_message(random));
    std::string bytes = (std::move(builder).finish())->bytes();
    const bool cut = random() % 2 == 0;
    if (cut) {
      bytes.resize(random() % bytes.size());
    } else {
      char& byte = bytes[random() % bytes.size()];
      byte = static_cast<char>(byte ^ static_cast<char>(1U << (random() % 8)));
    }
    const auto decoded = Chunk::decode(bytes);
    EXPECT_FALSE(cut && decoded.has_value());
    if (!decoded) {
      EXPECT_EQ(decoded.error().code, ErrorCode::kCorruption);
      continue;
    }
    for (std::uint32_t i = 0; i < (*decoded)->count(); ++i) (void)(*decoded)->message(i).attributes();
  }
}

}  // namespace
}  // namespace holdfast
