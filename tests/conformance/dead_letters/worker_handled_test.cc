// The worker with a log of what was handled, so that it handles nothing twice.
#include "tests/conformance/dead_letters/worker_fixture.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

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

// A log that is kept elsewhere and cannot be reached.
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

}  // namespace
}  // namespace holdfast::testing
