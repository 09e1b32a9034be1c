// Rules say what becomes of a message by its exception: the first rule that fits counts, and without one it
// is retried.
#include "holdfast/exception_rules.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace holdfast {
namespace {

using namespace std::chrono_literals;
using Action = Work::Action;

TEST(ExceptionRulesTest, TheFirstThatFitsCounts) {
  const auto rules = ExceptionRules()
                         .on<std::invalid_argument>([](const std::invalid_argument& e) {
                           return Work::reject({.category = "schema", .reason = e.what()});
                         })
                         .on<std::logic_error>(Work::unavailable())
                         .on<std::exception>(Work::retry_with_backoff(1s, 1min))
                         .on<int>(Work::release(2s));
  const auto schema = rules(std::make_exception_ptr(std::invalid_argument("no order")));
  EXPECT_EQ(schema.action, Action::kReject);
  EXPECT_EQ(schema.failure.reason, "no order");
  EXPECT_EQ(rules(std::make_exception_ptr(std::out_of_range("x"))).action, Action::kUnavailable);
  const auto other = rules(std::make_exception_ptr(std::runtime_error("x")));
  EXPECT_EQ(other.action, Action::kRetry);
  EXPECT_EQ(other.delay, 1s);
  EXPECT_EQ(other.delay_max, 1min);
  EXPECT_EQ(rules(std::make_exception_ptr(7)).delay, 2s);
}

TEST(ExceptionRulesTest, WhatNoneFitsIsARetryAsTheQueueSays) {
  const auto work = ExceptionRules().on<int>(Work::done())(std::make_exception_ptr("text"));
  EXPECT_EQ(work.action, Action::kRetry);
  EXPECT_EQ(work.delay, std::nullopt);
}

}  // namespace
}  // namespace holdfast
