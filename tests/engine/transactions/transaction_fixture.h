// The tests of transactions begin with a TransactionTest.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "holdfast/engine.h"
#include "tests/support/crashable_engine.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

class TransactionTest : public ::testing::Test, public CrashableEngine {
 protected:
  TransactionTest() : CrashableEngine(11) {
    must(engine_->create_queue(
        "orders",
        {.lease = std::chrono::seconds(10), .retry = {.max_deliveries = 2}, .dead_letters = {.queue = "dlq"}},
        MissingQueues::kCreate));
    must(engine_->create_queue("plain"));
    family_ = must(engine_->open_family("state"));
  }

  Delivery deliver(std::string_view queue, const std::string& body = "x") {
    must(engine_->send(queue, {.body = body}));
    return must(engine_->receive(queue)).at(0);
  }
  QueueCounts counts(std::string_view queue) { return must(engine_->describe_queue(queue)).counts; }
  std::optional<std::string> value(std::string_view key) { return must(engine_->get(family_, key)); }

  ApplicationFamily family_;
};

}  // namespace holdfast::testing
