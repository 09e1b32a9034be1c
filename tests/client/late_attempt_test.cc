// The network holds up a first attempt, which arrives after its repetition was refused. The attempt has no
// effect, since its caller was told so.
#include <gmock/gmock.h>

#include <future>

#include "holdfast/client.h"
#include "tests/client/holding_proxy.h"
#include "tests/client/served.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

using namespace std::chrono_literals;

class LateAttempt : public ::testing::TestWithParam<std::size_t> {
 protected:
  LateAttempt() {
    must(engine().create_queue("dead"));
    must(engine().create_queue("orders", {.dead_letters = {.queue = "dead"}}, MissingQueues::kCreate));
    must(client_.describe_queue("orders"));
  }

  Engine& engine() { return served_.engine(); }
  std::uint64_t ready() { return must(engine().describe_queue("orders")).counts.ready; }

  Served served_{Served::Over::kTcp, {}, GetParam()};
  HoldingProxy proxy_{served_.address()};
  Client client_ =
      must(Client::connect(proxy_.address(), {.reconnect_delay = 100us, .reconnect_delay_max = 1ms}));
};

INSTANTIATE_TEST_SUITE_P(Threads, LateAttempt, ::testing::Values(1, 3));

TEST_P(LateAttempt, ASendThatWasRefusedStaysSo) {
  must(engine().pause_queue("orders", {.sends = true}));
  proxy_.hold();
  EXPECT_THAT(client_.send("orders", {.body = "x"}), FailsWith(ErrorCode::kQueuePaused));
  must(engine().resume_queue("orders", {.sends = true}));
  proxy_.let_go();
  EXPECT_EQ(ready(), 0U);
}

TEST_P(LateAttempt, ARedriveThatFoundNothingMovesNothing) {
  const MessageId id = must(engine().send("orders", {.body = "x"})).id;
  const auto letter = [&] {
    must(engine().reject(must(engine().receive("orders")).at(0).receipt, {.reason = "bad"}));
    return must(engine().get_dead_letter("dead", id));
  }();
  must(engine().discard_dead_letters("dead", {.filter = {.ids = {id}}}));
  proxy_.hold();
  EXPECT_THAT(client_.redrive("dead", {.filter = {.ids = {id}}}), FailsWith(ErrorCode::kMessageNotFound));
  must(engine().import_dead_letters("dead", {letter}));
  proxy_.let_go();
  EXPECT_EQ(ready(), 0U);
}

TEST_P(LateAttempt, WhatWasRepeatedIsDoneOnce) {
  proxy_.hold();
  EXPECT_THAT(client_.send("orders", {.body = "x"}), Succeeds());
  proxy_.let_go();
  EXPECT_EQ(ready(), 1U);
}

// The client has left a connection for another one, because its server drained. Then the first connection
// breaks with a call unanswered.
TEST_P(LateAttempt, OneOverAConnectionThatWasLeftIsRepeatedOnceTheServerKnows) {
  Client other = served_.connect();
  must(other.drain({.exit = false}));
  proxy_.hold_answers();
  auto first = std::async(std::launch::async, [&] { return client_.send("orders", {.body = "first"}); });
  proxy_.wait_for_answer();
  must(other.resume());
  auto late = std::async(std::launch::async, [&] { return client_.send("orders", {.body = "x"}); });
  proxy_.wait_for_call();
  proxy_.answer();
  must(first.get());
  must(engine().pause_queue("orders", {.sends = true}));
  proxy_.break_off();
  EXPECT_THAT(late.get(), FailsWith(ErrorCode::kQueuePaused));
  must(engine().resume_queue("orders", {.sends = true}));
  proxy_.let_go();
  EXPECT_EQ(ready(), 1U);
}

}  // namespace
}  // namespace holdfast::testing
