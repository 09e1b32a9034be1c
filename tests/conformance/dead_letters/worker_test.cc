// The worker: how it settles what its handler has handled, and what the record says of a failure.
#include <atomic>
#include <barrier>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "holdfast/limits.h"
#include "tests/conformance/dead_letters/worker_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

HOLDFAST_FOR_EACH_BROKER(WorkerTest);

TEST_P(WorkerTest, SettlesByWhatTheHandlerSays) {
  for (const char* body : {"good", "wrong", "later", "back", "throws", "bug"}) send("orders", body);
  Worker worker =
      this->worker({.handler =
                        [](const Delivery& delivery, const WorkContext&) {
                          if (delivery.body == "wrong") return Work::reject({.category = "validation"});
                          if (delivery.body == "later") return Work::retry(1h);
                          if (delivery.body == "back") return Work::release(1h);
                          if (delivery.body == "throws")
                            throw std::invalid_argument("no order" + std::string(9000, '!'));
                          if (delivery.body == "bug") throw 7;
                          return Work::done();
                        },
                    .classify = ExceptionRules()
                                    .on<std::exception>([](const std::exception& e) {
                                      return Work::reject({.category = "schema", .reason = e.what()});
                                    })
                                    .on<int>(Work::retry_with_backoff(1h, 2h)),
                    .consumer = {.instance = "w1", .version = "2.0"}});
  must(worker.run_until_empty());
  EXPECT_THAT(failures(), IsEmpty());
  EXPECT_EQ(worker.counts(), (WorkerCounts{.done = 1, .rejected = 2, .retried = 2, .released = 1}));
  EXPECT_EQ(totals("orders").acked, 1U);
  EXPECT_EQ(counts("orders").waiting, 3U);
  const auto dead = dead_letters("dlq");
  ASSERT_THAT(dead, SizeIs(2));
  EXPECT_EQ(dead[1].record.category, "schema");
  EXPECT_THAT(dead[1].record.reason, ::testing::StartsWith("no order!!!"));
  EXPECT_THAT(dead[1].record.reason, ::testing::EndsWith("... [cut, it had 9008 bytes]"));
  EXPECT_EQ(dead[1].record.consumer, (Consumer{.instance = "w1", .version = "2.0"}));
  advance(1h);
  for (const Delivery& delivery : receive_all("orders")) {
    EXPECT_EQ(delivery.deliveries, delivery.body == "back" ? 1U : 2U) << delivery.body;
  }
}

TEST_P(WorkerTest, ARejectionThatIsTooLongIsCutAndTold) {
  send("orders", "x");
  Worker worker = this->worker({.handler = [](const Delivery&, const WorkContext&) {
    return Work::reject({.category = std::string(limits::kCategoryBytes + 1, 'c'),
                         .code = std::string(limits::kErrorCodeBytes + 1, 'e'),
                         .causes = std::vector<NestedError>(
                             limits::kNestedErrors + 1,
                             {.code = "1", .message = std::string(limits::kNestedErrorBytes, 'm')})});
  }});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts(), (WorkerCounts{.rejected = 1}));
  EXPECT_THAT(failures(), ElementsAre(ErrorCode::kLimitExceeded));
  const auto record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.cause, DeathCause::kRejected);
  EXPECT_THAT(record.category, ::testing::EndsWith("... [cut, it had 129 bytes]"));
  EXPECT_THAT(record.code, SizeIs(limits::kErrorCodeBytes));
  EXPECT_THAT(record.causes, SizeIs(limits::kNestedErrors));
}

TEST_P(WorkerTest, RetriesWithABackoffOfItsOwn) {
  send("orders", "x");
  Worker worker = this->worker(
      {.handler = [](const Delivery&, const WorkContext&) { return Work::retry_with_backoff(10s, 15s); }});
  for (const Duration delay : {Duration(10s), Duration(15s)}) {
    must(worker.run_until_empty());
    EXPECT_EQ(counts("orders").waiting, 1U);
    advance(delay - 1us);
    EXPECT_EQ(counts("orders").waiting, 1U);
    advance(1us);
    EXPECT_EQ(counts("orders").ready, 1U);
  }
}

TEST_P(WorkerTest, AnExceptionIsARetryUnlessItIsSaidOtherwise) {
  send("orders", "x");
  Worker worker = this->worker(
      {.handler = [](const Delivery&, const WorkContext&) -> Work { throw std::runtime_error("oops"); }});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().retried, 3U);
  EXPECT_EQ(only_dead_letter("dlq").record.cause, DeathCause::kMaxDeliveries);
}

TEST_P(WorkerTest, HandlersRunSideBySide) {
  send_numbered("orders", 8);
  std::barrier together(4);  // a handler alone would wait for ever
  Worker worker = this->worker({.handler =
                                    [&](const Delivery&, const WorkContext&) {
                                      together.arrive_and_wait();
                                      return Work::done();
                                    },
                                .concurrency = 4,
                                .prefetch = 4});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts(), WorkerCounts{.done = 8});
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(WorkerTest, AStopFinishesWhatRunsAndGivesBackTheRestUncharged) {
  send_numbered("orders", 5);
  Worker* self = nullptr;
  std::vector<std::string> handled;
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext& context) {
                                      handled.emplace_back(delivery.body);
                                      EXPECT_FALSE(context.stopping());
                                      self->stop();
                                      EXPECT_TRUE(context.stopping());
                                      return Work::done();
                                    },
                                .prefetch = 4});
  self = &worker;
  must(worker.run());
  EXPECT_THAT(handled, ElementsAre("0"));
  EXPECT_EQ(worker.counts(), (WorkerCounts{.done = 1, .returned = 4}));
  const Deliveries rest = receive_all("orders");
  EXPECT_THAT(bodies(rest), UnorderedElementsAre("1", "2", "3", "4"));
  for (const Delivery& delivery : rest) EXPECT_EQ(delivery.deliveries, 1U) << "it was charged before";
  must(worker.run());  // a stopped worker returns at once
}

TEST_P(WorkerTest, ATraceComesThroughDeathAndRedrive) {
  const TraceContext trace{.trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
                           .parent_id = "00f067aa0ba902b7",
                           .flags = 1,
                           .state = "vendor=1"};
  Message message{.body = "x"};
  set_trace(message.attributes, trace);
  must(broker().send("orders", std::move(message)));
  send("orders", "y");
  std::vector<std::optional<TraceContext>> traces;
  Worker worker = this->worker({.handler = [&](const Delivery& delivery, const WorkContext& context) {
    traces.push_back(context.trace());
    return delivery.replays == 0 ? Work::reject({}) : Work::done();
  }});
  must(worker.run_until_empty());
  must(broker().redrive("dlq"));
  must(worker.run_until_empty());
  EXPECT_THAT(traces, ElementsAre(trace, std::nullopt, trace, std::nullopt));
}

TEST_P(WorkerTest, TriesAgainWhatTheBrokerRefused) {
  must(broker().delete_queue("orders"));
  Worker worker = this->worker({.handler = [](const Delivery&, const WorkContext&) { return Work::done(); }});
  EXPECT_THAT(worker.run_until_empty(), FailsWith(ErrorCode::kQueueNotFound));
  {
    const Running running(*this, worker);
    wait_for([&] { return failures().size() == 2; });
    create("orders");
    send("orders", "x");
    let_time_pass_until([&] { return worker.counts().done == 1; });
  }
  for (const ErrorCode code : failures()) EXPECT_EQ(code, ErrorCode::kQueueNotFound);
}

TEST_P(WorkerTest, ItsCallbacksMayUseIt) {
  send("orders", "x");
  Worker* self = nullptr;
  std::atomic<int> heard = 0;
  Worker worker = must(Worker::make(broker(), {.queue = "orders",
                                               .handler =
                                                   [&](const Delivery&, const WorkContext&) {
                                                     must(broker().delete_queue("orders"));
                                                     return Work::done();
                                                   },
                                               .wait = 1ms,
                                               .on_failure =
                                                   [&](const Error&) {
                                                     (void)self->counts();
                                                     self->stop();
                                                     ++heard;
                                                   },
                                               .clock = &clock()}));
  self = &worker;
  std::atomic<bool> ended = false;
  std::thread thread([&] {
    must(worker.run());
    ended = true;
  });
  let_time_pass_until([&] { return ended.load(); });
  thread.join();
  EXPECT_GE(heard, 1);
}

class WarehouseError : public std::runtime_error, public HasStackTrace {
 public:
  using std::runtime_error::runtime_error;
  std::string stack_trace() const override { return "main\nreserve"; }
};

TEST_P(WorkerTest, WhatAHandlerThrowsIsInTheRecord) {
  send("orders", "x");
  int asked = 0;
  std::mutex mutex;
  std::vector<std::string> heard;
  Worker worker = this->worker({.handler = [&](const Delivery&, const WorkContext&) -> Work {
                                  if (++asked == 1) throw std::out_of_range("no such item");
                                  if (asked == 2) return Work::retry({.category = "told", .reason = "why"});
                                  try {
                                    throw WarehouseError("no answer");
                                  } catch (...) {
                                    std::throw_with_nested(std::runtime_error("cannot reserve"));
                                  }
                                },
                                .consumer = {.instance = "w1"},
                                .on_failed_delivery =
                                    [&](const FailedDelivery& failed) {
                                      const std::scoped_lock lock(mutex);
                                      heard.push_back(std::string(failed.queue) + " " +
                                                      std::to_string(failed.delivery.deliveries) + " " +
                                                      failed.failure.reason + (failed.dies ? " dies" : ""));
                                    }});
  must(worker.run_until_empty());
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.cause, DeathCause::kMaxDeliveries);
  EXPECT_EQ(record.code, "std::runtime_error");
  EXPECT_EQ(record.reason, "cannot reserve");
  EXPECT_EQ(record.stack_trace, "main\nreserve");
  ASSERT_THAT(record.causes, SizeIs(1));
  EXPECT_THAT(record.causes[0].code, ::testing::EndsWith("WarehouseError"));
  EXPECT_EQ(record.causes[0].message, "no answer");
  ASSERT_THAT(record.attempts.kept, SizeIs(3));
  EXPECT_EQ(record.attempts.kept[0].failure,
            (Failure{.reason = "no such item", .code = "std::out_of_range"}));
  EXPECT_EQ(record.attempts.kept[1].failure, (Failure{.category = "told", .reason = "why"}));
  EXPECT_THAT(heard, ElementsAre("orders 1 no such item", "orders 2 why", "orders 3 cannot reserve dies"));
  const WorkerMetrics metrics = worker.metrics();
  EXPECT_EQ(metrics.counts, WorkerCounts{.retried = 3});
  EXPECT_EQ(metrics.thrown, 2U);
  EXPECT_EQ(metrics.died, 1U);
  EXPECT_EQ(metrics.running, 0U);
  EXPECT_THAT(metrics.failed_by_category, ElementsAre(Pair("", 2U), Pair("told", 1U)));
}

TEST_P(WorkerTest, TellsOnlySoManyCategoriesApart) {
  send_numbered("orders", kWorkerCategories + 3);
  Worker worker = this->worker(
      {.handler = [](const Delivery& delivery,
                     const WorkContext&) { return Work::reject({.category = std::string(delivery.body)}); },
       .on_failed_delivery = [](const FailedDelivery&) {}});
  must(worker.run_until_empty());
  const auto counts = worker.metrics().failed_by_category;
  EXPECT_THAT(counts, SizeIs(kWorkerCategories + 1));
  EXPECT_EQ(counts.at("0"), 1U);
  EXPECT_EQ(counts.at(std::string(kOtherCategories)), 3U);
}

TEST_P(WorkerTest, WhatAHandlerLeavesOutItsExceptionSays) {
  send("orders", "x");
  Worker worker =
      this->worker({.handler = [](const Delivery&, const WorkContext&) -> Work {
                      throw std::invalid_argument("no quantity");
                    },
                    .classify = ExceptionRules().on<std::exception>(Work::reject({.category = "validation"})),
                    .on_failed_delivery = [](const FailedDelivery&) {}});
  must(worker.run_until_empty());
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.category, "validation");
  EXPECT_EQ(record.reason, "no quantity");
  EXPECT_EQ(record.code, "std::invalid_argument");
}

TEST_P(WorkerTest, OptionsAreChecked) {
  const auto refused = [&](auto change, ErrorCode code) {
    WorkerOptions options{.queue = "orders",
                          .handler = [](const Delivery&, const WorkContext&) { return Work::done(); }};
    change(options);
    EXPECT_THAT(Worker::make(broker(), std::move(options)).map([](auto&&) {}), FailsWith(code));
  };
  using enum ErrorCode;
  refused([](auto& o) { o.queue.clear(); }, kInvalidArgument);
  refused([](auto& o) { o.queue = "a b"; }, kInvalidArgument);
  refused([](auto& o) { o.consumer.instance = std::string(limits::kConsumerBytes + 1, 'x'); },
          kLimitExceeded);
  refused([](auto& o) { o.pause = o.pause_max + 1us; }, kInvalidArgument);
  refused([](auto& o) { o.handler = {}; }, kInvalidArgument);
  refused([](auto& o) { o.classify = {}; }, kInvalidArgument);
  refused([](auto& o) { o.concurrency = 0; }, kInvalidArgument);
  refused([](auto& o) { o.concurrency = 257; }, kLimitExceeded);
  refused([](auto& o) { o.prefetch = limits::kReceiveMax + 1; }, kLimitExceeded);
  refused([](auto& o) { o.lease = 0s; }, kInvalidArgument);
  refused([](auto& o) { o.lease = limits::kLeaseMax + 1us; }, kLimitExceeded);
  refused([](auto& o) { o.wait = 0s; }, kInvalidArgument);
  refused([](auto& o) { o.wait = 1min + 1us; }, kLimitExceeded);
  refused([](auto& o) { o.pause = 0s; }, kInvalidArgument);
  refused([](auto& o) { o.pause_max = 24h + 1us; }, kLimitExceeded);
  refused([](auto& o) { o.max_unavailable = -1us; }, kInvalidArgument);
  refused([](auto& o) { o.max_unavailable = limits::kDelayMax + 1us; }, kLimitExceeded);
}

}  // namespace
}  // namespace holdfast::testing
