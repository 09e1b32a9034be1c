// A device is full to its last byte. The engine opens on it, and acks free space again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/storage/files/ballast.h"
#include "holdfast/engine.h"
#include "tests/support/engine_time.h"
#include "tests/support/random.h"
#include "tests/support/result_matchers.h"
#include "tests/support/small_device.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMebibyte = 1 << 20;
constexpr std::uint64_t kBallast = kMebibyte + kMebibyte / 2 + kMebibyte;  // for a write buffer of 1 MiB
constexpr std::uint64_t kBallastOfUsualLogs = kBallast + kBallast / 2;

class FullDeviceTest : public ::testing::Test {
 protected:
  explicit FullDeviceTest(std::uint64_t bytes = 64 * kMebibyte) : device_(bytes) {}
  void SetUp() override {
    if (!device_.mounted())
      GTEST_SKIP() << "needs a small device of its own, and cannot mount a tmpfs: " << device_.why_not();
  }

  Result<Engine> open(std::uint64_t reserve = 4 * kMebibyte) {
    return Engine::open(data(), {.clock = &clock_,
                                 .background = false,
                                 .message_cache_bytes = kMebibyte,
                                 .free_space_reserve = reserve,
                                 .block_cache_bytes = kMebibyte,
                                 .write_buffer_bytes = kMebibyte});
  }
  std::filesystem::path data() const { return device_.path() / "data"; }
  std::filesystem::path ballast() const { return data() / Ballast::kName; }

  // Sends batches until one is refused, each to one of `queues`. Returns how many messages were taken.
  std::uint64_t send_all(Engine& engine, std::uint64_t most = UINT64_MAX,
                         const std::vector<std::string>& queues = {"orders"}) {
    std::vector<Message> batch(50);
    for (std::uint64_t sent = 0; sent < most; sent += batch.size()) {
      // The bodies are random. Otherwise they would be compressed, and never fill the device.
      for (Message& message : batch) message.body = random_.bytes(1000);
      const auto answers = engine.send_batch(random_.pick(queues), batch);
      if (!answers) {
        EXPECT_EQ(answers.error().code, ErrorCode::kDiskFull) << to_string(answers.error());
        return sent;
      }
    }
    return most;
  }
  // Sends a batch that goes to the log in one write, and makes the log larger than the usual ballast. Returns
  // how many messages it has.
  std::size_t send_more_than_usual(Engine& engine) {
    std::vector<Message> batch(53);
    for (Message& message : batch) message.body = random_.bytes(100'000);
    must(engine.send_batch("orders", batch));
    return batch.size();
  }
  // Does what one consumer does. Acknowledges up to `most` messages, and returns how many it has
  // acknowledged.
  std::uint64_t ack_all(Engine& engine, std::uint64_t most = UINT64_MAX,
                        const std::string& queue = "orders") {
    std::uint64_t acked = 0;
    while (acked < most) {
      const Deliveries deliveries = must(engine.receive(queue, {.max = 100}));
      if (deliveries.empty()) break;
      std::vector<Receipt> receipts;
      for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
      for (const auto& answer : must(engine.ack_batch(receipts))) must(answer);
      acked += receipts.size();
      advance(engine, clock_, 1s);
    }
    return acked;
  }

  // Does what one consumer does until everything is acked or the engine stops for want of space. What is due
  // is done only if time passes between receives. Returns how many messages were acked.
  std::uint64_t ack_until_stopped(Engine& engine, std::uint64_t most, Duration between) {
    for (std::uint64_t acked = 0; acked < most;) {
      if (between > Duration(0)) advance(engine, clock_, between);
      const auto deliveries = engine.receive("orders", {.max = 100});
      if (!deliveries) return stopped(deliveries.error(), acked);
      if (deliveries->empty()) return acked;
      for (const Delivery& delivery : *deliveries) {
        if (const auto answer = engine.ack(delivery.receipt); !answer) return stopped(answer.error(), acked);
        ++acked;
      }
    }
    return most;
  }
  static std::uint64_t stopped(const Error& error, std::uint64_t acked) {
    EXPECT_EQ(error.code, ErrorCode::kStorageFailed) << to_string(error);
    return acked;
  }

  SmallDevice device_;
  ManualClock clock_;
  Random random_{1};
};

class LargerDeviceTest : public FullDeviceTest {
 protected:
  LargerDeviceTest() : FullDeviceTest(256 * kMebibyte) {}
};

TEST_F(FullDeviceTest, IsOpenedAndFreedByAcks) {
  std::optional<Engine> engine(must(open()));
  must(engine->create_queue("orders", {.lease = 1h}));
  const std::uint64_t sent = send_all(*engine);
  EXPECT_TRUE(std::filesystem::exists(ballast()));
  must(engine->close());
  device_.fill();
  ASSERT_EQ(device_.free(), 0U);

  engine.emplace(must(open()));
  EXPECT_FALSE(std::filesystem::exists(ballast()));
  EXPECT_THAT(engine->send("orders", {.body = "x"}), FailsWith(ErrorCode::kDiskFull));
  EXPECT_EQ(ack_all(*engine), sent);
  for (int i = 0; i < 3; ++i) advance(*engine, clock_, 1s);
  // Other programs use all of the device except what the acks have freed.
  must(engine->send("orders", {.body = "x"}));
  must(engine->close());
}

TEST_F(FullDeviceTest, LetsGoOfItsBallastWhereTheLogWantsMoreThanIsFree) {
  std::optional<Engine> engine(must(open()));
  must(engine->create_queue("orders"));
  const std::size_t sent = send_more_than_usual(*engine);
  ASSERT_TRUE(std::filesystem::exists(ballast()));
  must(engine->close());
  device_.fill(kBallast + kBallast / 2);

  engine.emplace(must(open()));
  EXPECT_FALSE(std::filesystem::exists(ballast()));
  EXPECT_EQ(must(engine->describe_queue("orders")).counts.ready, sent);
}

TEST_F(FullDeviceTest, IsOpenedThoughOneGroupOfCommitsMadeItsLogLargerThanTheUsualBallast) {
  std::optional<Engine> engine(must(open()));
  must(engine->create_queue("orders", {.lease = 1h}));
  const std::size_t sent = send_more_than_usual(*engine);
  must(engine->close());
  device_.fill();
  ASSERT_EQ(device_.free(), 0U);

  engine.emplace(must(open()));
  EXPECT_EQ(ack_all(*engine), sent);
  must(engine->close());
}

// A thread that asks for the free space finds the log before the batch that is being written is in it.
TEST_F(LargerDeviceTest, ABallastIsNotLetGoWhileALargeBatchIsWritten) {
  Engine engine = must(open());
  must(engine.create_queue("orders"));
  must(engine.send("orders", {.body = "x"}));
  for (int round = 0; round < 10; ++round) {
    std::atomic<bool> is_sent = false;
    std::thread looking([&] {
      while (!is_sent) (void)must(engine.statistics());
    });
    send_more_than_usual(engine);
    is_sent = true;
    looking.join();
    EXPECT_GT(std::filesystem::file_size(ballast()), 10 * kMebibyte) << "round " << round;
  }
  must(engine.close());
}

TEST_F(FullDeviceTest, ABallastIsOfItsUsualSizeAgainOnceTheLogsAreSmall) {
  Engine engine = must(open());
  must(engine.create_queue("orders"));
  send_more_than_usual(engine);
  ASSERT_GT(std::filesystem::file_size(ballast()), kBallastOfUsualLogs);
  must(engine.send("orders", {.body = "x"}));  // this goes to another log, and the large log is flushed
  while (std::filesystem::file_size(ballast()) > kBallastOfUsualLogs) advance(engine, clock_, 1s);
  EXPECT_EQ(std::filesystem::file_size(ballast()), kBallastOfUsualLogs);

  // On a device with less than four times as much, only the configured size stays. What is left is enough for
  // a compaction that runs meanwhile. The loop fills the device again and again, since compactions make
  // space.
  while (std::filesystem::file_size(ballast()) > kBallast) {
    device_.fill(10 * kMebibyte);
    advance(engine, clock_, 1s);
  }
  EXPECT_EQ(std::filesystem::file_size(ballast()), kBallast);
  must(engine.close());
}

// On a file system in memory, to set space aside costs as much as to write it.
TEST_F(LargerDeviceTest, ABallastKeepsWhatItTookForLogsOfAUsualSize) {
  Engine engine = must(open());
  must(engine.create_queue("orders", {.lease = 1h}));
  std::uint64_t largest = 0;
  for (int i = 0; i < 60; ++i) {
    must(engine.send("orders", {.body = random_.bytes(400'000)}));
    ASSERT_EQ(ack_all(engine), 1U);
    const std::uint64_t held = std::filesystem::file_size(ballast());
    ASSERT_GE(held, std::min(largest, kBallastOfUsualLogs)) << "message " << i;
    largest = std::max(largest, held);
  }
  EXPECT_GT(largest, kBallast);
  must(engine.close());
}

// A copy of a directory may have made holes where the ballast has nothing but zeros.
TEST_F(FullDeviceTest, ABallastWithHolesIsSetAsideWhole) {
  const auto run = [this] {
    Engine engine = must(open());
    for (int i = 0; i < 3; ++i) advance(engine, clock_, 1s);
    must(engine.close());
  };
  const auto blocks = [this] {
    struct stat status {};
    EXPECT_EQ(::stat(ballast().c_str(), &status), 0);
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  };
  run();
  std::filesystem::resize_file(ballast(), 0);
  std::filesystem::resize_file(ballast(), kBallast);
  ASSERT_EQ(blocks(), 0U);
  std::fstream file(ballast(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(kBallast / 2);
  file << std::string(kBallast / 2, '\0') << std::flush;
  ASSERT_EQ(blocks(), kBallast / 2) << "the first half is a hole";
  run();
  EXPECT_EQ(blocks(), kBallast);
}

// A larger ballast would hold more than the rest of the device.
TEST_F(FullDeviceTest, ABallastGrowsOnlyWhereThereIsRoomForFourOfIt) {
  Engine engine = must(open());
  must(engine.create_queue("orders"));
  must(engine.send("orders", {.body = "x"}));
  advance(engine, clock_, 1s);
  ASSERT_EQ(std::filesystem::file_size(ballast()), kBallast);
  device_.fill(20 * kMebibyte);
  send_more_than_usual(engine);
  EXPECT_EQ(std::filesystem::file_size(ballast()), kBallast);
  must(engine.close());
}

// A write fails, and the engine stops as it does after any failed write. It opens again although nobody makes
// space, for as long as its compactions find enough space.
TEST_F(FullDeviceTest, ThatFillsWhileTheEngineRunsLosesNothing) {
  std::optional<Engine> engine(must(open()));
  must(engine->create_queue("orders", {.lease = 1h}));
  const std::uint64_t sent = send_all(*engine, 20'000);
  std::uint64_t acked = 0;
  while (acked < sent && engine->health().writes) {
    device_.fill();  // again and again, since a compaction that ends makes space
    acked += ack_until_stopped(*engine, std::min<std::uint64_t>(100, sent - acked), 0s);
  }
  EXPECT_LT(acked, sent) << "everything was acked on a device without space";
  EXPECT_THAT(engine->close(), FailsWith(ErrorCode::kStorageFailed));

  device_.fill();
  const auto opened_with = [&] {
    engine.emplace(must(open()));
    const QueueInfo info = must(engine->describe_queue("orders"));
    EXPECT_EQ(info.totals.sent, sent);
    // The effect of the write that failed is there or not.
    EXPECT_GE(info.totals.acked, acked);
    clock_.advance(2h);  // ends the leases of the engine before
    return info.totals.acked;
  };
  acked = opened_with();
  const std::uint64_t later = ack_until_stopped(*engine, sent - acked, 1s);
  EXPECT_GT(later, 0U);
  acked += later;
  if (acked < sent) {
    EXPECT_THAT(engine->close(), FailsWith(ErrorCode::kStorageFailed));
    device_.clear();
    acked = opened_with();
    EXPECT_EQ(ack_all(*engine), sent - acked);
  }
  must(engine->close());
}

TEST_F(FullDeviceTest, WithoutBallastSaysWhatIsMissingAndOpensOnceThereIsSpace) {
  std::optional<Engine> engine(must(open(0)));
  must(engine->create_queue("orders"));
  const std::uint64_t sent = send_all(*engine, 1000);
  EXPECT_FALSE(std::filesystem::exists(ballast()));
  must(engine->close());
  device_.fill();
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(open(0), FailsNaming(ErrorCode::kStorageFailed, "no space is left on the device"));
  device_.clear();
  engine.emplace(must(open(0)));
  EXPECT_EQ(must(engine->describe_queue("orders")).counts.ready, sent);
}

TEST_F(FullDeviceTest, ABallastIsTakenWhereThereIsRoomForFourOfIt) {
  Engine engine = must(open());
  must(engine.create_queue("orders"));
  device_.fill(4 * kBallast - 65'536);
  must(engine.send("orders", {.body = "x"}));
  for (int i = 0; i < 3; ++i) advance(engine, clock_, 1s);
  EXPECT_FALSE(std::filesystem::exists(ballast()));
  device_.clear();
  device_.fill(4 * kBallast + 65'536);
  advance(engine, clock_, 1s);
  ASSERT_TRUE(std::filesystem::exists(ballast()));
  EXPECT_EQ(std::filesystem::file_size(ballast()), kBallast);
  // Health tells how much space can be used.
  EXPECT_LE(engine.health().free_bytes, 3 * kBallast + 65'536);
}

// Sends and acks by turns never use up a device to which only the engine writes.
TEST_F(FullDeviceTest, IsNotUsedUpByTheEngineItself) {
  Engine engine = must(open());
  must(engine.create_queue("orders", {.lease = 1h}));
  std::uint64_t there = 0;
  for (int round = 0; round < 6; ++round) {
    there += send_all(engine);
    EXPECT_THAT(engine.health().writes, Succeeds());
    there -= ack_all(engine, there / 2);
    advance(engine, clock_, 1s);
  }
  EXPECT_EQ(ack_all(engine), there);
  must(engine.close());
}

// What is sent to many queues by turns is merged again and again. A compaction writes several times the write
// buffer before what it has read is deleted.
TEST_F(FullDeviceTest, IsNotUsedUpByCompactionsOfWhatIsSentToManyQueues) {
  Engine engine = must(open());
  std::vector<std::string> queues;
  for (int i = 0; i < 20; ++i) {
    queues.push_back("orders" + std::to_string(i));
    must(engine.create_queue(queues.back(), {.lease = 1h, .durability = Durability::kBuffered}));
  }
  std::uint64_t sent = 0;
  // Compactions go on meanwhile, and each of them makes room for more when it ends.
  for (int refused = 0; refused < 200; ++refused) sent += send_all(engine, UINT64_MAX, queues);
  ASSERT_THAT(engine.health().writes, Succeeds());
  std::uint64_t acked = 0;
  for (const std::string& queue : queues) acked += ack_all(engine, UINT64_MAX, queue);
  EXPECT_EQ(acked, sent);
  must(engine.close());
}

// What is sent at one moment goes to one log. Before the log is deleted, its content is written anew as
// tables, and then once more by a compaction.
TEST_F(LargerDeviceTest, IsNotUsedUpByWhatIsSentAtOneMoment) {
  constexpr int kSenders = 3;
  std::optional<Engine> engine(must(open()));
  must(engine->create_queue("orders", {.lease = 1h}));
  std::vector<std::vector<Message>> batches(kSenders);
  for (auto& batch : batches) {
    for (int i = 0; i < 580; ++i) batch.push_back({.body = random_.bytes(100'000)});
  }
  std::uint64_t taken = 0;
  for (int round = 0; round < 2; ++round) {
    std::atomic<std::uint64_t> sent = 0;
    std::barrier together(kSenders);
    std::vector<std::jthread> senders;
    for (const auto& batch : batches) {
      senders.emplace_back([&] {
        together.arrive_and_wait();
        const auto answers = engine->send_batch("orders", batch);
        if (answers) {
          sent += batch.size();
        } else {
          EXPECT_EQ(answers.error().code, ErrorCode::kDiskFull) << to_string(answers.error());
        }
      });
    }
    senders.clear();
    taken += sent;
  }
  EXPECT_GT(taken, 0U);
  EXPECT_THAT(engine->health().writes, Succeeds());
  must(engine->close());
  engine.emplace(must(open()));
  EXPECT_EQ(ack_all(*engine), taken);
  must(engine->close());
}

TEST_F(FullDeviceTest, AReserveIsNoneOrAtLeastFourWriteBuffers) {
  EXPECT_THAT(open(4 * kMebibyte - 1), FailsNaming(ErrorCode::kInvalidArgument, "4 MiB"));
  EXPECT_THAT(open(1), FailsNaming(ErrorCode::kInvalidArgument, "free_space_reserve"));
  EXPECT_FALSE(std::filesystem::exists(data()));
  must(must(open(4 * kMebibyte)).close());
  must(must(open(0)).close());
}

}  // namespace
}  // namespace holdfast::testing
