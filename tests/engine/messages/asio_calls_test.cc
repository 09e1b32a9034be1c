// Completion tokens of the verbs that are not about messages.
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <latch>

#include "engine/engine/engine_inside.h"
#include "engine/storage/memory/memory_store.h"
#include "holdfast/asio.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

namespace asio = boost::asio;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class AsioCallsTest : public ::testing::Test {
 protected:
  AsioCallsTest() {
    must(engine_.create_queue("orders", {.dead_letters = {.queue = "dlq"}}, MissingQueues::kCreate));
  }

  void dead_letter(std::size_t n) {
    std::vector<Message> messages(n, {.body = "x"});
    must(engine_.send_batch("orders", std::move(messages), {.durability = Durability::kBuffered}));
    for (std::size_t done = 0; done < n;) {
      const auto deliveries = must(engine_.receive("orders", {.max = 1000}));
      std::vector<Receipt> receipts;
      for (const auto& delivery : deliveries) receipts.push_back(delivery.receipt);
      for (const auto& result :
           must(engine_.reject_batch(receipts, {.category = "c"}, {.durability = Durability::kBuffered})))
        must(result);
      done += receipts.size();
    }
  }
  // Returns the result of an operation that start(token) starts.
  template <class Start>
  auto result_of(Start start) {
    auto future = start(asio::bind_executor(context_, asio::use_future));
    context_.run();
    context_.restart();
    return future.get();
  }

  asio::io_context context_;  // outlives the engine, whose threads post to it
  ManualClock clock_;
  Engine engine_ = must(EngineInside::open_over(must(open_memory_store(std::make_shared<MemoryDisk>(1))),
                                                {.clock = &clock_, .background = false}));
};

TEST_F(AsioCallsTest, QueuesAreDeclaredAndShown) {
  EXPECT_TRUE(must(result_of([&](auto token) {
                return async_call<&Broker::create_queue>(engine_, "a", QueueOptions{}, MissingQueues::kRefuse,
                                                         token);
              })).created);
  EXPECT_THAT(result_of([&](auto token) {
                return async_call<&Broker::alter_queue>(engine_, "a",
                                                        QueueChanges{.retry = {.max_deliveries = 0}},
                                                        MissingQueues::kRefuse, token);
              }),
              RefusesValue("max_deliveries"));
  EXPECT_THAT(result_of([&](auto token) {
                return async_call<&Broker::pause_queue>(engine_, "a", Pause{.sends = true}, token);
              }),
              Succeeds());
  EXPECT_TRUE(must(result_of([&](auto token) {
                return async_call<&Broker::describe_queue>(engine_, "a", token);
              })).paused.sends);
  EXPECT_THAT(result_of([&](auto token) {
                return async_call<&Broker::resume_queue>(engine_, "a", Pause{.sends = true}, token);
              }),
              Succeeds());
  must(engine_.send("a", {.body = "x"}));
  EXPECT_THAT(must(result_of([&](auto token) {
                return async_call<&Broker::peek>(engine_, "a", PeekOptions{}, token);
              })).items,
              SizeIs(1));
  EXPECT_EQ(
      must(result_of([&](auto token) { return async_call<&Broker::purge_queue>(engine_, "a", token); })), 1U);
  EXPECT_THAT(result_of([&](auto token) { return async_call<&Broker::delete_queue>(engine_, "a", token); }),
              Succeeds());
  EXPECT_THAT(must(result_of([&](auto token) { return async_call<&Broker::list_queues>(engine_, token); })),
              SizeIs(2));
  EXPECT_EQ(
      must(result_of([&](auto token) { return async_call<&Broker::statistics>(engine_, token); })).queues,
      2U);
  EXPECT_THAT(
      result_of([&](auto token) { return async_call<&Broker::queue_statistics>(engine_, "orders", token); }),
      Succeeds());
  EXPECT_THAT(result_of([&](auto token) { return async_call<&Broker::compact>(engine_, "", token); }),
              Succeeds());
  EXPECT_THAT(
      must(result_of([&](auto token) { return async_call<&Broker::verify>(engine_, token); })).findings,
      IsEmpty());
}

TEST_F(AsioCallsTest, DeadLettersAreListedChangedAndMoved) {
  dead_letter(10);
  auto page = must(result_of([&](auto token) {
    return async_call<&Broker::list_dead_letters>(engine_, "dlq", ListDeadLettersOptions{.max = 3}, token);
  }));
  EXPECT_THAT(page.items, SizeIs(3));
  EXPECT_THAT(must(result_of([&](auto token) {
                return async_call<&Broker::group_dead_letters>(engine_, "dlq", GroupDeadLettersOptions{},
                                                               token);
              })).groups,
              SizeIs(1));
  EXPECT_EQ(must(result_of([&](auto token) {
              return async_call<&Broker::dead_letter_statistics>(engine_, "dlq",
                                                                 DeadLetterStatisticsOptions{}, token);
            })).dead,
            10U);
  EXPECT_THAT(must(result_of([&](auto token) {
                return async_call<&Broker::message_history>(engine_, page.items[0].record.message_id, token);
              })).steps,
              IsEmpty());
  DeadLetterSelection three{.filter = {.seqs = {page.items[0].seq, page.items[1].seq, page.items[2].seq}}};
  EXPECT_EQ(must(result_of([&](auto token) {
              return async_call<&Broker::change_dead_letters>(engine_, "dlq", three,
                                                              DeadLetterChanges{.assignee = "ann"}, token);
            })).changed,
            3U);
  EXPECT_EQ(must(result_of([&](auto token) {
              return async_call<&Broker::discard_dead_letters>(engine_, "dlq", three, token);
            })).changed,
            3U);
  EXPECT_EQ(must(result_of([&](auto token) {
              return async_redrive(engine_, "dlq", {.dry_run = true}, token);
            })).moved,
            7U);
  for (const bool dry_run : {false, true}) {
    EXPECT_THAT(result_of([&](auto token) {
                  return async_redrive(engine_, "dlq", {.action = RedriveAction::kPark, .dry_run = dry_run},
                                       token);
                }),
                RefusesValue("parking_queue"));
  }
  EXPECT_EQ(
      must(result_of([&](auto token) { return async_redrive(engine_, "dlq", {.max = 2}, token); })).moved,
      2U);
  const TaskId task =
      must(result_of([&](auto token) {
        return async_call<&Broker::redrive>(engine_, "dlq", RedriveOptions{.max = 1, .wait = false}, token);
      })).task;
  engine_.run_due();
  EXPECT_EQ(must(result_of([&](auto token) {
              return async_call<&Broker::redrive_status>(engine_, task, token);
            })).moved,
            1U);
  EXPECT_THAT(must(result_of([&](auto token) { return async_call<&Broker::list_redrives>(engine_, token); })),
              SizeIs(2));
  EXPECT_EQ(must(result_of([&](auto token) {
              return async_call<&Broker::cancel_redrive>(engine_, task, "ann", token);
            })).state,
            TaskState::kDone);
  EXPECT_THAT(result_of([&](auto token) { return async_redrive(engine_, "dlq", {.rate = 1}, token); }),
              RefusesValue("rate"));
}

// However far the redrive had come, what moved is told, and nothing is lost.
TEST_F(AsioCallsTest, ARedriveCanBeCancelled) {
  constexpr std::size_t kMessages = 5000;
  dead_letter(kMessages);
  asio::cancellation_signal signal;
  std::optional<Result<Redriven>> got;
  async_redrive(engine_, "dlq", {},
                asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(context_, [&](auto moved) {
                                               got = std::move(moved);
                                             })));
  while (must(engine_.list_redrives()).empty()) std::this_thread::yield();
  signal.emit(asio::cancellation_type::terminal);
  context_.run();
  const Redriven redriven = must(*std::move(got));
  const TaskStatus status = must(engine_.redrive_status(redriven.task));
  EXPECT_NE(status.state, TaskState::kRunning);
  EXPECT_EQ(status.moved, redriven.moved);
  EXPECT_EQ(must(engine_.describe_queue("orders")).counts.ready, redriven.moved);
  EXPECT_EQ(must(engine_.describe_queue("dlq")).counts.ready, kMessages - redriven.moved);
}

TEST_F(AsioCallsTest, ACallThatHasNotStartedCanBeCancelled) {
  dead_letter(2);
  must(engine_.alter_queue("dlq", {.dead_letters = {.parking_queue = "parked"}}, MissingQueues::kCreate));
  std::latch gate(1);
  for (int i = 0; i < 4; ++i) {
    async_call(
        engine_,
        [&gate](Engine&) {
          gate.wait();
          return Result<void>();
        },
        asio::bind_executor(context_, [](const Result<void>&) {}));
  }
  asio::cancellation_signal purge;
  asio::cancellation_signal park;
  std::vector<ErrorCode> codes;
  const auto note = [&](const auto& answer) { codes.push_back(answer ? ErrorCode{} : answer.error().code); };
  async_call<&Broker::purge_queue>(
      engine_, "dlq", asio::bind_cancellation_slot(purge.slot(), asio::bind_executor(context_, note)));
  async_redrive(engine_, "dlq", {.action = RedriveAction::kPark},
                asio::bind_cancellation_slot(park.slot(), asio::bind_executor(context_, note)));
  purge.emit(asio::cancellation_type::terminal);
  park.emit(asio::cancellation_type::terminal);
  gate.count_down();
  context_.run();
  EXPECT_EQ(codes, std::vector(2, ErrorCode::kCancelled));
  EXPECT_EQ(must(engine_.describe_queue("dlq")).counts.dead, 2U);
}

TEST_F(AsioCallsTest, ACallMayBeAnything) {
  std::optional<std::size_t> queues;
  const auto count = [](Engine& engine) -> Result<std::size_t> { return must(engine.list_queues()).size(); };
  asio::co_spawn(
      context_,
      [&]() -> asio::awaitable<void> {
        queues = must(co_await async_call(engine_, count, asio::use_awaitable));
      },
      [](std::exception_ptr thrown) { EXPECT_EQ(thrown, nullptr); });
  context_.run();
  EXPECT_EQ(queues, 2U);
}

}  // namespace
}  // namespace holdfast::testing
