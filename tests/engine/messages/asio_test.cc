// Completion tokens: coroutines, futures and callbacks over an engine, on executors of the caller's own.
#include "holdfast/asio.h"
#include "engine/engine/engine_inside.h"

#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <thread>

#include "engine/storage/memory/memory_store.h"
#include "tests/support/coroutine.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AsioTest : public ::testing::Test {
 protected:
  AsioTest() {
    must(engine_.create_queue("orders", {.lease = 10s, .dead_letters = {.queue = "dlq"}},
                              MissingQueues::kCreate));
  }

  QueueCounts counts(std::string_view queue) { return must(engine_.describe_queue(queue)).counts; }

  asio::io_context context_;  // outlives the engine, whose threads post to it
  ManualClock clock_;
  Engine engine_ = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                                {.clock = &clock_, .background = false}));
};

TEST_F(AsioTest, ACoroutineUsesEveryVerb) {
  run_to_end(context_, [&]() -> asio::awaitable<void> {
    const auto token = asio::use_awaitable;
    // The options are variables, since GCC 12 destroys arguments of a co_await wrongly if they are braced in
    // the call.
    const SendOptions send_options;
    const SettleOptions settle_options;
    const ExtendOptions extend_options;
    const ReleaseOptions release_options;
    const Message first{.body = "a"};
    const Rejection rejection{.category = "c"};
    const TransactionOptions commit_options;
    const ReceiveOptions receive_options{.max = 10};
    must(co_await async_send(engine_, "orders", first, send_options, token));
    std::vector<Message> more{{.body = "b"}, {.body = "c"}, {.body = "d"}};
    EXPECT_THAT(must(co_await async_send_batch(engine_, "orders", std::move(more), send_options, token)),
                SizeIs(3));
    const auto deliveries = must(co_await async_receive(engine_, "orders", receive_options, token));
    EXPECT_EQ(deliveries.size(), 4U);
    EXPECT_THAT(co_await async_ack(engine_, deliveries[0].receipt, settle_options, token), Succeeds());
    EXPECT_THAT(co_await async_extend(engine_, deliveries[1].receipt, 1h, extend_options, token), Succeeds());
    EXPECT_THAT(co_await async_release(engine_, deliveries[2].receipt, release_options, token), Succeeds());
    EXPECT_THAT(co_await async_reject(engine_, deliveries[3].receipt, rejection, settle_options, token),
                Succeeds());
    EXPECT_THAT(co_await async_ack(engine_, deliveries[0].receipt, settle_options, token), FailsAsSettled());
    EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1, .leased = 1}));
    EXPECT_EQ(counts("dlq"), (QueueCounts{.ready = 1, .dead = 1}));
    Transaction transaction;
    transaction.ack(deliveries[1].receipt).send("orders", {.body = "e"});
    EXPECT_THAT(must(co_await async_commit(engine_, std::move(transaction), commit_options, token)).sent,
                SizeIs(1));
    EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 2}));
    EXPECT_THAT(co_await async_send(engine_, "nowhere", first, send_options, token),
                FailsWith(ErrorCode::kQueueNotFound));
  });
}

TEST_F(AsioTest, AFutureGetsTheAnswer) {
  std::thread runner;
  auto sent =
      async_send(engine_, "orders", {.body = "a"}, {}, asio::bind_executor(context_, asio::use_future));
  context_.run();
  EXPECT_THAT(sent.get(), Succeeds());
}

TEST_F(AsioTest, ACallbackRunsOnItsExecutor) {
  std::thread::id completed_on;
  async_receive(engine_, "orders", {}, asio::bind_executor(context_, [&](Result<Deliveries> deliveries) {
                  EXPECT_THAT(must(std::move(deliveries)), IsEmpty());
                  completed_on = std::this_thread::get_id();
                }));
  std::thread runner([&] { context_.run(); });
  const auto expected = runner.get_id();
  runner.join();
  EXPECT_EQ(completed_on, expected);
}

// Without the wait's hold on its executor, the context would return at once.
TEST_F(AsioTest, AWaitKeepsItsExecutorAtWork) {
  Deliveries got;
  async_receive(engine_, "orders", {.wait = 1h},
                asio::bind_executor(context_, [&](auto deliveries) { got = must(std::move(deliveries)); }));
  std::thread runner([&] { context_.run(); });
  must(engine_.send("orders", {.body = "late"}));
  runner.join();
  ASSERT_THAT(got, SizeIs(1));
  EXPECT_EQ(got[0].body, "late");
}

TEST_F(AsioTest, CancellingEndsAWait) {
  asio::cancellation_signal signal;
  std::optional<Result<Deliveries>> got;
  async_receive(
      engine_, "orders", {.wait = 1h},
      asio::bind_cancellation_slot(
          signal.slot(), asio::bind_executor(context_, [&](auto deliveries) { got = deliveries; })));
  asio::post(context_, [&] { signal.emit(asio::cancellation_type::total); });
  context_.run();
  EXPECT_THAT(must(*std::move(got)), IsEmpty());
  must(engine_.send("orders", {.body = "for the next one"}));
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
}

// The deliveries are made but not handed over yet, so they go back as if nothing had happened.
TEST_F(AsioTest, ACancelledReceiveGivesBackWhatWasMade) {
  asio::cancellation_signal signal;
  std::optional<Result<Deliveries>> got;
  must(engine_.send("orders", {.body = "a"}));
  async_receive(
      engine_, "orders", {},
      asio::bind_cancellation_slot(
          signal.slot(), asio::bind_executor(context_, [&](auto deliveries) { got = deliveries; })));
  while (counts("orders").leased == 0) std::this_thread::yield();
  signal.emit(asio::cancellation_type::terminal);
  context_.run();
  EXPECT_THAT(must(*std::move(got)), IsEmpty());
  EXPECT_EQ(counts("orders"), (QueueCounts{.ready = 1}));
  EXPECT_EQ(must(engine_.receive("orders")).at(0).deliveries, 1U);
}

TEST_F(AsioTest, CloseCompletesWhatIsUnderWay) {
  std::atomic<int> completed = 0;
  const auto count = [&](auto&&) { ++completed; };
  asio::thread_pool pool(2);
  for (int i = 0; i < 10; ++i) {
    async_receive(engine_, "dlq", {.wait = 1h}, asio::bind_executor(pool, count));
    async_send(engine_, "orders", {.body = "x"}, {}, asio::bind_executor(pool, count));
    async_reject(engine_, {QueueId{1}, Seq{1}, LeaseId{1}}, {}, {}, asio::bind_executor(pool, count));
    async_commit(engine_, {}, {}, asio::bind_executor(pool, count));
  }
  must(engine_.close());
  pool.join();
  EXPECT_EQ(completed, 40);
}

TEST_F(AsioTest, ManyCoroutinesShareTheWork) {
  constexpr int kMessages = 200;
  asio::thread_pool pool(3);
  std::atomic<int> acked = 0;
  for (int i = 0; i < 8; ++i) {
    asio::co_spawn(
        pool,
        [&]() -> asio::awaitable<void> {
          while (acked < kMessages) {
            const auto token = asio::use_awaitable;
            const ReceiveOptions three{.max = 3};
            const SettleOptions buffered{.durability = Durability::kBuffered};
            const auto deliveries = must(co_await async_receive(engine_, "orders", three, token));
            for (const auto& delivery : deliveries) {
              must(co_await async_ack(engine_, delivery.receipt, buffered, token));
              ++acked;
            }
          }
        },
        asio::detached);
  }
  for (int i = 0; i < kMessages; ++i) must(engine_.send("orders", {.body = "x"}));
  pool.join();
  EXPECT_EQ(acked, kMessages);
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

}  // namespace
}  // namespace holdfast::testing
