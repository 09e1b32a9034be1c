// Writing messages to a socket: what is sent together, how a peer who does not read holds up the writer, and
// how the stream ends.
#include <capnp/rpc.capnp.h>

#include "tests/transport/socket_fixture.h"

namespace holdfast::transport {
namespace {

using MessageSocketWrite = SocketFixture;

constexpr std::size_t kHighWater = 256 << 10;

TEST_F(MessageSocketWrite, SendsWhatWasWrittenInOneGo) {
  write("one").wait(scope_);
  write("two").wait(scope_);
  EXPECT_EQ(peer_.available(), 0U);
  Bytes expected = message("one") + message("two");
  turn();
  EXPECT_EQ(peer_.available(), expected.size());
  EXPECT_EQ(peer_reads(expected.size()), expected);
}

TEST_F(MessageSocketWrite, SendsAMessageOfManySegments) {
  capnp::MallocMessageBuilder builder(1, capnp::AllocationStrategy::FIXED_SIZE);
  auto list = builder.getRoot<capnp::AnyPointer>().initAs<capnp::List<capnp::Text>>(100);
  for (unsigned i = 0; i < list.size(); ++i) list.set(i, kj::str("text ", i));
  socket_->writeMessage(nullptr, builder.getSegmentsForOutput()).wait(scope_);

  auto words = capnp::messageToFlatArray(builder);
  EXPECT_EQ(peer_reads(words.asChars().size()), Bytes(words.asChars().begin(), words.asChars().end()));
}

TEST_F(MessageSocketWrite, WaitsAboveTheHighWaterMarkUntilThePeerReads) {
  std::string text(4 * kHighWater, 'x');
  auto written = write(text);
  EXPECT_FALSE(written.poll(scope_));
  EXPECT_GT(socket_->unsent_bytes(), kHighWater);
  EXPECT_EQ(peer_reads(message(text).size()), message(text));
  written.wait(scope_);
  EXPECT_EQ(socket_->unsent_bytes(), 0U);
}

TEST_F(MessageSocketWrite, CountsWhatThePeerTakesOfALargeMessage) {
  const std::string text(16 * kHighWater, 'x');
  const std::size_t all = message(text).size();
  auto written = write(text);
  turn();
  const std::uint64_t at_first = socket_->sent_bytes();
  EXPECT_LT(at_first, all);
  peer_reads(4 * kHighWater);
  const std::uint64_t later = socket_->sent_bytes();
  EXPECT_GE(later, 4 * kHighWater);
  EXPECT_GT(later, at_first);
  EXPECT_LT(later, all);
  EXPECT_FALSE(written.poll(scope_));
  peer_reads(all - 4 * kHighWater);
  written.wait(scope_);
  EXPECT_EQ(socket_->sent_bytes(), all);
}

TEST_F(MessageSocketWrite, ADroppedWriteLosesNothing) {
  std::string text(4 * kHighWater, 'x');
  {
    auto dropped = write(text);
    EXPECT_FALSE(dropped.poll(scope_));
  }
  EXPECT_EQ(peer_reads(message(text).size()), message(text));
}

TEST_F(MessageSocketWrite, TakesNoMessagesFromAPeerWhoDoesNotRead) {
  make({.pause_when_congested = true});
  auto written = write(std::string(4 * kHighWater, 'x'));
  peer_sends(message("a call"));
  auto pending = read();
  EXPECT_FALSE(pending.poll(scope_));

  peer_reads(message(std::string(4 * kHighWater, 'x')).size());
  written.wait(scope_);
  auto result = pending.wait(scope_);
  EXPECT_EQ(text_of(*KJ_ASSERT_NONNULL(result)), "a call");
}

TEST_F(MessageSocketWrite, PausesEvenWithAReadUnderWay) {
  make({.pause_when_congested = true});
  auto pending = read();
  EXPECT_FALSE(pending.poll(scope_));
  auto written = write(std::string(4 * kHighWater, 'x'));
  peer_sends(message("a call"));
  EXPECT_FALSE(pending.poll(scope_));
  peer_reads(message(std::string(4 * kHighWater, 'x')).size());
  auto result = pending.wait(scope_);
  EXPECT_EQ(text_of(*KJ_ASSERT_NONNULL(result)), "a call");
}

TEST_F(MessageSocketWrite, EndsTheStreamAfterTheLastByteAndStillReads) {
  write("last words").wait(scope_);
  auto ended = socket_->end().eagerlyEvaluate(nullptr);
  EXPECT_EQ(peer_reads(10'000), message("last words"));
  ended.wait(scope_);
  peer_sends(message("reply"));
  EXPECT_EQ(read_text(), "reply");
}

TEST_F(MessageSocketWrite, EndGivesUpOnAPeerWhoDoesNotRead) {
  make({.linger = std::chrono::milliseconds(0)});
  auto written = write(std::string(4 * kHighWater, 'x'));
  socket_->end().wait(scope_);
  EXPECT_EQ(read_failure().getType(), kj::Exception::Type::DISCONNECTED);
}

TEST_F(MessageSocketWrite, LingersUntilThePeerCloses) {
  write("last words").wait(scope_);
  auto lingering = socket_->linger().eagerlyEvaluate(nullptr);
  peer_sends(message("never read") + message("nor this"));
  EXPECT_FALSE(lingering.poll(scope_));
  EXPECT_EQ(peer_reads(10'000), message("last words"));
  EXPECT_FALSE(lingering.poll(scope_));
  peer_.close();
  lingering.wait(scope_);
}

class CallEnd : public MessageSocketWrite {
 protected:
  CallEnd() { finish_.initRoot<capnp::rpc::Message>().initFinish().setQuestionId(7); }
  ~CallEnd() noexcept override = default;  // declared, because KJ's destructors may throw

  void write_end() { socket_->writeMessage(nullptr, finish_.getSegmentsForOutput()).wait(scope_); }
  Bytes end() {
    auto words = capnp::messageToFlatArray(finish_);
    return {words.asChars().begin(), words.asChars().end()};
  }

  capnp::MallocMessageBuilder finish_;
};

TEST_F(CallEnd, GoesWithWhatComesNext) {
  write_end();
  turn();
  EXPECT_EQ(peer_.available(), 0U);
  EXPECT_EQ(socket_->unsent_bytes(), end().size());
  write("next").wait(scope_);
  turn();
  EXPECT_EQ(peer_.available(), (end() + message("next")).size());
  EXPECT_EQ(peer_reads(peer_.available()), end() + message("next"));
}

TEST_F(CallEnd, GoesAloneInTheEnd) {
  write_end();
  EXPECT_EQ(peer_reads(end().size()), end());
  write_end();
  EXPECT_EQ(peer_reads(end().size()), end());
}

TEST_F(CallEnd, GoesWhenEverythingIsToGo) {
  write_end();
  socket_->drained().wait(scope_);
  EXPECT_EQ(peer_.available(), end().size());
  write_end();
  socket_->end().wait(scope_);
  EXPECT_EQ(peer_reads(10'000), end() + end());
}

TEST_F(CallEnd, MayNeverGo) {
  write_end();
  socket_ = nullptr;
  EXPECT_EQ(peer_reads(10'000), Bytes());
}

TEST_F(MessageSocketWrite, NothingFollowsTheEnd) {
  write("last words").wait(scope_);
  socket_->end().wait(scope_);
  socket_->end().wait(scope_);
  EXPECT_THROW(write("more").wait(scope_), kj::Exception);
  EXPECT_EQ(peer_reads(10'000), message("last words"));
}

TEST_F(MessageSocketWrite, LingersOnlySoLong) {
  make({.linger = std::chrono::milliseconds(0)});
  socket_->linger().wait(scope_);
}

TEST_F(MessageSocketWrite, FailsOnceThePeerIsGone) {
  peer_.close();
  write("into the void").wait(scope_);
  turn();
  EXPECT_THROW(write("more").wait(scope_), kj::Exception);
  EXPECT_THROW(socket_->drained().wait(scope_), kj::Exception);
}

TEST_F(MessageSocketWrite, MayBeDestroyedWhileAWriteIsUnderWay) {
  {
    auto dropped = write(std::string(4 * kHighWater, 'x'));
    turn();
  }
  socket_ = nullptr;
  turn();
  EXPECT_LT(peer_reads(8 * kHighWater).size(), 4 * kHighWater);
}

}  // namespace
}  // namespace holdfast::transport
