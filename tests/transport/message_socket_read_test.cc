// Reading messages from a socket: they arrive whole however their bytes come, and what is too large,
// malformed or cut off is refused.
#include <gmock/gmock.h>

#include "tests/transport/socket_fixture.h"

namespace holdfast::transport {
namespace {

using MessageSocketRead = SocketFixture;

Bytes first_word(std::uint32_t segments_minus_one, std::uint32_t words) {
  Bytes bytes(8);
  std::memcpy(bytes.data(), &segments_minus_one, 4);
  std::memcpy(bytes.data() + 4, &words, 4);
  return bytes;
}

TEST_F(MessageSocketRead, GathersAMessageThatComesByteByByte) {
  auto pending = read();
  Bytes bytes = message("forty-two widgets");
  for (char byte : bytes) {
    EXPECT_FALSE(pending.poll(scope_));
    peer_sends({byte});
    turn();
  }
  auto result = pending.wait(scope_);
  EXPECT_EQ(text_of(*KJ_ASSERT_NONNULL(result)), "forty-two widgets");
}

TEST_F(MessageSocketRead, TakesManyMessagesFromOneRead) {
  Bytes bytes;
  for (int i = 0; i < 1000; ++i) bytes = std::move(bytes) + message(std::to_string(i));
  peer_sends(bytes);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(read_text(), std::to_string(i));
}

TEST_F(MessageSocketRead, TakesMessagesOfEverySizeAroundTheBuffer) {
  std::vector<std::string> texts;
  Bytes bytes;
  for (std::size_t size :
       {0U, 1U, 65'000U, 65'519U, 65'520U, 65'521U, 65'528U, 65'536U, 200'000U, 3'000'000U, 5U}) {
    texts.emplace_back(size, static_cast<char>('a' + texts.size()));
    bytes = std::move(bytes) + message(texts.back());
  }
  peer_sends_in_background(bytes);
  for (const std::string& text : texts) EXPECT_TRUE(read_text() == text) << text.size();
}

TEST_F(MessageSocketRead, TakesAMessageOfManySegments) {
  capnp::MallocMessageBuilder builder(1, capnp::AllocationStrategy::FIXED_SIZE);
  auto list = builder.getRoot<capnp::AnyPointer>().initAs<capnp::List<capnp::Text>>(100);
  for (unsigned i = 0; i < list.size(); ++i) list.set(i, kj::str("text ", i));
  ASSERT_GT(builder.getSegmentsForOutput().size(), 100);
  auto words = capnp::messageToFlatArray(builder);
  peer_sends({words.asChars().begin(), words.asChars().end()});

  auto result = read().wait(scope_);
  auto texts = KJ_ASSERT_NONNULL(result)->getRoot<capnp::AnyPointer>().getAs<capnp::List<capnp::Text>>();
  EXPECT_STREQ(texts[99].cStr(), "text 99");
}

TEST_F(MessageSocketRead, TakesTheLargestSegmentTable) {
  Bytes table(4UL * 512);  // 511 segments, of which all but the first are empty
  std::uint32_t segments_minus_one = 510;
  std::uint32_t words = 1;
  std::memcpy(table.data(), &segments_minus_one, 4);
  std::memcpy(table.data() + 4, &words, 4);
  peer_sends(table + Bytes(8));
  EXPECT_EQ(read_text(), "");
}

TEST_F(MessageSocketRead, RefusesTooManySegmentsAtTheFirstWord) {
  for (std::uint32_t segments_minus_one : {511U, 512U, 0x7fffffffU, 0xffffffffU}) {
    make({});
    peer_sends(first_word(segments_minus_one, 0));
    EXPECT_THAT(read_failure().getDescription().cStr(), ::testing::HasSubstr("too many segments"));
    EXPECT_THAT(read_failure().getDescription().cStr(), ::testing::HasSubstr("too many segments"));
  }
}

TEST_F(MessageSocketRead, NamesTheProtocolOfAPeerThatSpeaksAnother) {
  const std::pair<std::string, const char*> spoken[] = {
      {"GET / HTTP/1.1\r\n\r\n", "the other side speaks HTTP"},
      {"POST /queues HTTP/1.1\r\n\r\n", "the other side speaks HTTP"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "the other side speaks HTTP"},
      {"HTTP/1.1 200 OK\r\n\r\n", "the other side speaks HTTP"},
      {"\x16\x03\x01\x02", "the other side speaks TLS"},
      {"EHLO example.org\r\n", "does not speak Holdfast's RPC"}};
  for (const auto& [said, wanted] : spoken) {
    make({});
    peer_sends(Bytes(said.begin(), said.end()));
    const kj::String why = kj::str(read_failure().getDescription());
    EXPECT_THAT(why.cStr(), ::testing::StartsWith("the other side"));
    EXPECT_THAT(why.cStr(), ::testing::HasSubstr(wanted));
  }
}

TEST_F(MessageSocketRead, RefusesAMessageOverTheLimitBeforeItsBytesCome) {
  peer_sends(first_word(0, 0xffffffff));
  EXPECT_THAT(read_failure().getDescription().cStr(), ::testing::StartsWith("a message is too large: "));
}

TEST_F(MessageSocketRead, TellsHowMuchHasComeOfAMessageThatIsWaitedFor) {
  for (const std::size_t size : {1'000U, 100'000U}) {
    SCOPED_TRACE(size);
    const Bytes bytes = message(std::string(size, 'x'));
    auto pending = read();
    EXPECT_EQ(socket_->unfinished_bytes(), 0U);
    peer_sends({bytes.begin(), bytes.begin() + 4});  // half a segment table
    turn();
    EXPECT_EQ(socket_->unfinished_bytes(), 4U);
    peer_sends({bytes.begin() + 4, bytes.end() - 1});
    turn();
    EXPECT_EQ(socket_->unfinished_bytes(), bytes.size() - 1);
    peer_sends({bytes.back()});
    pending.wait(scope_);
    EXPECT_EQ(socket_->unfinished_bytes(), 0U);
  }
}

TEST_F(MessageSocketRead, WaitsForNoMessageThatNobodyReads) {
  const Bytes bytes = message("second");
  peer_sends(message("first") + Bytes(bytes.begin(), bytes.begin() + 5));
  EXPECT_EQ(read_text(), "first");
  EXPECT_EQ(socket_->unfinished_bytes(), 0U);
  auto pending = read();
  EXPECT_EQ(socket_->unfinished_bytes(), 5U);
}

TEST_F(MessageSocketRead, EndsBetweenMessages) {
  peer_sends(message("last"));
  peer_.shutdown(Stream::shutdown_send);
  EXPECT_EQ(read_text(), "last");
  EXPECT_EQ(read_text(), "(end)");
  EXPECT_EQ(read_text(), "(end)");
}

TEST_F(MessageSocketRead, FailsIfTheStreamEndsInsideAMessage) {
  Bytes bytes = message("cut off");
  bytes.pop_back();
  peer_sends(bytes);
  peer_.close();
  EXPECT_EQ(read_failure().getType(), kj::Exception::Type::DISCONNECTED);
}

TEST_F(MessageSocketRead, FailsIfTheStreamEndsInsideALargeMessage) {
  Bytes bytes = message(std::string(100'000, 'x'));
  bytes.pop_back();
  peer_sends(bytes);
  peer_.close();
  EXPECT_EQ(read_failure().getType(), kj::Exception::Type::DISCONNECTED);
}

TEST_F(MessageSocketRead, ADroppedReadLosesNothing) {
  Bytes bytes = message("kept");
  peer_sends({bytes.begin(), bytes.begin() + 5});
  {
    auto dropped = read();
    EXPECT_FALSE(dropped.poll(scope_));
  }
  peer_sends({bytes.begin() + 5, bytes.end()});
  turn();
  EXPECT_EQ(read_text(), "kept");
}

TEST_F(MessageSocketRead, MayBeDestroyedWhileAReadIsUnderWay) {
  {
    auto dropped = read();
    turn();
  }
  socket_ = nullptr;
  turn();
  EXPECT_EQ(peer_reads(1), Bytes());
}

}  // namespace
}  // namespace holdfast::transport
