// The worker, over an engine and over a client.
#include "holdfast/worker.h"

#include <atomic>
#include <barrier>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "holdfast/limits.h"
#include "tests/conformance/conformance.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

class WorkerTest : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.max_deliveries = 3, .dead_letter_queue = "dlq", .lease = 1min});
  }

  Worker worker(WorkerOptions options) {
    options.queue = "orders";
    if (options.lease == WorkerOptions().lease) options.lease = 10s;
    options.wait = 1ms;
    options.clock = &clock();
    options.on_failure = [this](const Error& error) {
      const std::scoped_lock lock(mutex_);
      failures_.push_back(error.code);
    };
    return must(Worker::make(broker(), std::move(options)));
  }

  std::vector<ErrorCode> failures() {
    const std::scoped_lock lock(mutex_);
    return failures_;
  }

  // Until it holds. Whatever waits for time to go on sees it go on.
  void wait_for(const std::function<bool()>& holds) {
    while (!holds()) {
      run_due();
      std::this_thread::yield();
    }
  }

  // A worker's run() on a thread of its own, until stopped.
  class Running {
   public:
    Running(WorkerTest& test, Worker& worker)
        : test_(test), worker_(worker), thread_([this] {
            must(worker_.run());
            ended_ = true;
          }) {}
    ~Running() {
      worker_.stop();
      // A receive may wait, so time goes on, but never so far that a lease or a call runs out.
      for (Duration gone(0); !ended_; gone += 1ms) gone < 1s ? test_.advance(1ms) : test_.run_due();
      thread_.join();
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    WorkerTest& test_;
    Worker& worker_;
    std::atomic<bool> ended_ = false;
    std::thread thread_;
  };

 private:
  std::mutex mutex_;
  std::vector<ErrorCode> failures_;
};
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
  std::barrier together(4);  // a handler that were alone would wait for ever
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
  must(worker.run());  // returns at once
}

TEST_P(WorkerTest, ALeaseIsExtendedWhileItsHandlerRuns) {
  send("orders", "slow");
  Worker worker = this->worker({.handler = [&](const Delivery& delivery, const WorkContext& context) {
    for (int i = 0; i < 4; ++i) {
      const Timestamp before = now();
      advance(6s);
      // Until the worker has seen that time went on: its lease would be over with the next step.
      wait_for([&] {
        const PeekPage page = must(broker().peek("orders", {.id = delivery.id}));
        return page.items.at(0).due > before + 10s;
      });
    }
    EXPECT_FALSE(context.lost());
    return Work::done();
  }});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts(), WorkerCounts{.done = 1});
}

TEST_P(WorkerTest, ALeaseIsExtendedInTimeThoughTheWallClockIsSet) {
  for (const Duration step : std::vector<Duration>{-1h, -60s, 30s, 24h}) {
    send("orders", "slow");
    Worker worker = this->worker({.handler = [&](const Delivery& delivery, const WorkContext& context) {
      EXPECT_EQ(delivery.deliveries, 1U);
      for (int i = 0; i < 4; ++i) {
        const auto due = [&] {
          return must(broker().peek("orders", {.id = delivery.id})).items.at(0).due.value_or(Timestamp{});
        };
        const Timestamp before = due();
        if (i == 1) clock().step(step);
        advance(6s);
        wait_for([&] { return due() > before; });
      }
      EXPECT_FALSE(context.lost());
      return Work::done();
    }});
    must(worker.run_until_empty());
    EXPECT_EQ(worker.counts(), WorkerCounts{.done = 1});
  }
  EXPECT_THAT(failures(), IsEmpty());
}

TEST_P(WorkerTest, APauseIsOverInTimeThoughTheWallClockIsSet) {
  for (const Duration step : {-1h, 1h}) {
    send("orders", "x");
    std::atomic<int> asked = 0;
    Worker worker = this->worker(
        {.handler = [&](const Delivery&,
                        const WorkContext&) { return ++asked == 1 ? Work::unavailable() : Work::done(); },
         .breaker_after = 1,
         .pause = 2s,
         .pause_max = 2s});
    const Running running(*this, worker);
    wait_for([&] { return worker.counts().unavailable == 1; });
    clock().step(step);
    advance(1s);
    EXPECT_EQ(asked, 1);
    advance(1100ms);
    wait_for([&] { return worker.counts().done == 1; });
  }
}

TEST_P(WorkerTest, AHandlerCanKnowThatItsLeaseIsOver) {
  send("orders", "slow");
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext& context) {
                                      // An extension that comes before the engine has ended the lease renews
                                      // it, and the next one may come too late.
                                      while (delivery.deliveries == 1 && !context.lost()) {
                                        advance(10s);
                                        std::this_thread::yield();
                                      }
                                      EXPECT_EQ(context.lost(), delivery.deliveries == 1);
                                      return Work::done();
                                    },
                                .prefetch = 0});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts(), (WorkerCounts{.done = 1, .failed = 1})) << "it came again";
  EXPECT_THAT(failures(), ElementsAre(ErrorCode::kReceiptStale));
}

TEST_P(WorkerTest, PausesWhileADependencyIsDownAndChargesNothing) {
  send_numbered("orders", 6);
  std::atomic<bool> down = true;
  std::atomic<int> asked = 0;
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext&) {
                                      ++asked;
                                      EXPECT_EQ(delivery.deliveries, 1U) << "it was charged before";
                                      return down ? Work::unavailable() : Work::done();
                                    },
                                .prefetch = 10,
                                .breaker_after = 2,
                                .pause = 1s,
                                .pause_max = 3s});
  {
    const Running running(*this, worker);
    wait_for([&] { return worker.counts().returned >= 4 && worker.counts().unavailable == 2; });
    EXPECT_EQ(worker.counts().paused, 1U);
    EXPECT_EQ(asked, 2);
    advance(1s);
    wait_for([&] { return worker.counts().unavailable == 3; });
    EXPECT_EQ(worker.counts().paused, 2U);
    EXPECT_EQ(asked, 3) << "one alone is tried";
    down = false;
    advance(2s);
    wait_for([&] { return worker.counts().done == 6; });
  }
  EXPECT_EQ(worker.counts().paused, 2U);
  EXPECT_EQ(counts("orders"), QueueCounts{});
  EXPECT_THAT(failures(), IsEmpty());
}

TEST_P(WorkerTest, WhatWasHandledIsNotHandledAgain) {
  send("orders", "x", {{"order", "17"}});
  send("orders", "again", {{"order", "17"}});
  std::vector<std::string> handled;
  RecentlyHandled log;
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext&) {
                                      handled.emplace_back(delivery.body);
                                      return handled.size() == 1 ? Work::retry() : Work::done();
                                    },
                                .handled = &log,
                                .key =
                                    [](const Delivery& delivery) {
                                      return std::string(find_attribute(delivery.attributes, "order"));
                                    }});
  must(worker.run_until_empty());
  EXPECT_THAT(handled, ElementsAre("x", "again")) << "a retry is not handled yet";
  EXPECT_EQ(worker.counts(), (WorkerCounts{.done = 1, .repeated = 1, .retried = 1}));
  EXPECT_EQ(counts("orders"), QueueCounts{});
}

TEST_P(WorkerTest, WhatItsAckMissedIsAckedWhenItComesAgain) {
  send("orders", "slow");
  int asked = 0;
  RecentlyHandled log;
  // An extension may come before the engine sees that the lease is over.
  const auto is_extended = [&] {
    const auto items = must(broker().peek("orders", {})).items;
    const bool is_leased = items.size() == 1 && items[0].due && *items[0].due > now();
    return is_leased && info("orders").totals.delivered == 1;
  };
  Worker worker = this->worker({.handler =
                                    [&](const Delivery&, const WorkContext& context) {
                                      ++asked;
                                      advance(10s);
                                      wait_for([&] {
                                        if (is_extended()) advance(10s);
                                        return context.lost();
                                      });
                                      return Work::done();
                                    },
                                .handled = &log});
  must(worker.run_until_empty());
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(worker.counts(), (WorkerCounts{.repeated = 1, .failed = 1}));
}

// Of a log elsewhere that is out of reach.
class BrokenLog final : public HandledLog {
 public:
  Result<bool> was_handled(const std::string&) override { return fail(ErrorCode::kUnavailable, "down"); }
  Result<void> note_handled(const std::string&) override { return {}; }
};

TEST_P(WorkerTest, WithoutItsLogAMessageIsRetried) {
  send("orders", "x");
  BrokenLog log;
  Worker worker = this->worker({.handler =
                                    [](const Delivery&, const WorkContext&) {
                                      ADD_FAILURE() << "it may have been handled";
                                      return Work::done();
                                    },
                                .handled = &log});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts(), WorkerCounts{.retried = 3});
  EXPECT_THAT(failures(),
              ElementsAre(ErrorCode::kUnavailable, ErrorCode::kUnavailable, ErrorCode::kUnavailable));
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

TEST_P(WorkerTest, ADeliveryWhoseLeaseIsOverIsNotHandled) {
  send_numbered("orders", 2);
  std::atomic<int> asked = 0;
  Worker worker = this->worker({.handler = [&](const Delivery&, const WorkContext&) {
    if (++asked == 1) must(broker().purge_queue("orders"));
    return Work::done();
  }});
  must(worker.run_until_empty());
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(worker.counts(), WorkerCounts{.failed = 2});
  EXPECT_THAT(failures(), SizeIs(2));
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
    wait_for([&] {
      advance(1ms);
      return worker.counts().done == 1;
    });
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
  wait_for([&] {
    advance(1ms);
    return ended.load();
  });
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

TEST_P(WorkerTest, WhatIsUnavailableForTooLongFails) {
  send("orders", "x");
  Worker worker =
      this->worker({.handler = [](const Delivery&, const WorkContext&) -> Work {
                      throw std::runtime_error("connection refused");
                    },
                    .classify = ExceptionRules().on<std::exception>(Work::unavailable("warehouse")),
                    .pause = 10min,
                    .pause_max = 10min,
                    .max_unavailable = 30min,
                    .on_failed_delivery = [](const FailedDelivery&) {}});
  for (int i = 0; i < 3; ++i) {
    must(worker.run_until_empty());
    EXPECT_EQ(counts("orders").waiting, 1U);
    advance(10min);
  }
  must(worker.run_until_empty());
  EXPECT_EQ(counts("orders").ready + counts("orders").waiting, 0U);  // it fails each time from then on
  const FailureRecord record = only_dead_letter("dlq").record;
  EXPECT_EQ(record.deliveries, 3U);
  EXPECT_EQ(record.category, "unavailable");
  EXPECT_EQ(record.reason, "warehouse has been unavailable for 30m: connection refused");
  EXPECT_EQ(worker.metrics().outlived, 3U);
  EXPECT_EQ(worker.counts().unavailable, 3U);
}

// Not after the breaker's pause, which is for what is not charged.
TEST_P(WorkerTest, WhatIsUnavailableForTooLongWaitsByTheQueuesPolicy) {
  must(broker().alter_queue("orders", {.retry = RetryPolicy{.kind = RetryKind::kFixed, .base = 5s}}));
  send("orders", "x");
  Worker worker = this->worker(
      {.handler = [](const Delivery&, const WorkContext&) { return Work::unavailable("warehouse"); },
       .pause = 10min,
       .pause_max = 10min,
       .max_unavailable = 10min,
       .on_failed_delivery = [](const FailedDelivery&) {}});
  must(worker.run_until_empty());
  advance(10min);
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().retried, 1U);
  EXPECT_EQ(counts("orders").waiting, 1U);
  advance(5s - 1ms);
  EXPECT_EQ(counts("orders").waiting, 1U);
  advance(1ms);
  EXPECT_EQ(counts("orders").ready, 1U);
}

TEST_P(WorkerTest, ADependencyThatIsDownHoldsUpOnlyWhatNeedsIt) {
  for (int i = 0; i < 5; ++i) send("orders", "needs it");
  for (int i = 0; i < 5; ++i) send("orders", "does not");
  std::atomic<bool> down = true;
  std::atomic<int> used = 0;
  Worker worker = this->worker({.handler =
                                    [&](const Delivery& delivery, const WorkContext& context) {
                                      if (delivery.body == "does not") return Work::done();
                                      if (!context.available("warehouse"))
                                        return Work::unavailable("warehouse");
                                      ++used;
                                      return down ? Work::unavailable("warehouse") : Work::done();
                                    },
                                .breaker_after = 2,
                                .pause = 1min,
                                .pause_max = 10min});
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().done, 5U);
  EXPECT_EQ(used, 2) << "its breaker is open then";
  EXPECT_THAT(worker.metrics().paused_dependencies, ElementsAre("warehouse"));
  EXPECT_FALSE(worker.metrics().paused);
  EXPECT_EQ(counts("orders").waiting, 5U);
  advance(1min);
  must(worker.run_until_empty());
  EXPECT_EQ(used, 3) << "one tries";
  down = false;
  advance(2min);
  must(worker.run_until_empty());
  advance(2min);
  must(worker.run_until_empty());
  EXPECT_EQ(worker.counts().done, 10U);
  EXPECT_THAT(worker.metrics().paused_dependencies, IsEmpty());
}

TEST_P(WorkerTest, AHandlerTriesACallAgainByItself) {
  send("orders", "x");
  std::atomic<int> called = 0;
  const auto handler = [&](const Delivery&, const WorkContext& context) {
    const LocalRetry policy{.attempts = 4, .first = 1s, .max = 2s, .jitter = 0};
    const Timestamp began = now();
    const int answer = context.retry(policy, [&] {
      if (++called < 4) throw std::runtime_error("hiccup");
      return 42;
    });
    EXPECT_EQ(answer, 42);
    EXPECT_GE(now() - began, 5s);
    return Work::done();
  };
  // When the handler looks at the clock the test cannot see, so time goes on until it has; the lease outlasts
  // that.
  Worker worker = this->worker({.handler = handler, .lease = 12h});
  {
    const Running running(*this, worker);
    wait_for([&] {
      advance(10ms);
      return worker.counts().done == 1;
    });
  }
  EXPECT_EQ(worker.metrics().local_retries, 3U);
}

TEST_P(WorkerTest, ALocalRetryEndsWithItsPolicy) {
  const auto attempts = [&](LocalRetry policy) {
    send("orders", "x");
    int called = 0;
    Worker worker = this->worker({.handler =
                                      [&](const Delivery&, const WorkContext& context) {
                                        context.retry(policy, [&] {
                                          ++called;
                                          throw std::runtime_error("down");
                                        });
                                        return Work::done();
                                      },
                                  .classify = ExceptionRules().on<std::exception>(Work::reject({})),
                                  .on_failed_delivery = [](const FailedDelivery&) {}});
    must(worker.run_until_empty());
    EXPECT_EQ(worker.counts().rejected, 1U);
    return called;
  };
  EXPECT_EQ(attempts({.attempts = 3, .first = 0s}), 3);
  EXPECT_EQ(attempts({.attempts = 1}), 1);
  EXPECT_EQ(attempts({.attempts = 9, .first = 11s, .max = 11s, .jitter = 0}), 1) << "past the lease";
  EXPECT_EQ(attempts({.attempts = 9, .first = 1s, .jitter = 0, .within = 500ms}), 1) << "past its own limit";
  EXPECT_EQ(attempts({.attempts = 9, .first = 0s, .retryable = [](const auto&) { return false; }}), 1);
}

TEST_P(WorkerTest, AStopEndsTheWaitOfALocalRetry) {
  send("orders", "x");
  std::atomic<int> called = 0;
  const auto handler = [&](const Delivery&, const WorkContext& context) {
    context.retry({.attempts = 9, .first = 5s, .jitter = 0}, [&] {
      ++called;
      throw std::runtime_error("down");
    });
    return Work::done();
  };
  Worker worker = this->worker({.handler = handler, .on_failed_delivery = [](const FailedDelivery&) {}});
  {
    const Running running(*this, worker);
    wait_for([&] { return called == 1; });
  }
  EXPECT_EQ(called, 1);
  EXPECT_THAT(failures(), ::testing::IsEmpty());
  WorkerCounts counts = worker.counts();
  counts.returned = 0;  // it may have been fetched again meanwhile
  EXPECT_EQ(counts, WorkerCounts{.retried = 1});
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
