// ReplayFixture has a queue with a dead letter queue, messages that die, and the records of their deaths.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/conformance/conformance.h"

namespace holdfast::testing {

class ReplayFixture : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
  }
  void TearDown() override { EXPECT_THAT(must(broker().verify()).findings, ::testing::IsEmpty()); }

  MessageId die(const std::string& body, const std::string& category = {}) {
    const MessageId id = send("orders", body, {{"k", "v"}});
    reject_one("orders", {.category = category, .reason = "why"});
    return id;
  }
  std::vector<DeadLetter> records(std::string_view queue = "dlq") {
    return must(broker().list_dead_letters(queue, {.filter = {.history = true}, .max = 1000, .bodies = true}))
        .items;
  }
  DeadLetter record() {
    std::vector<DeadLetter> items = records();
    if (items.size() != 1) throw std::runtime_error("expected one record");
    return std::move(items.front());
  }
};

}  // namespace holdfast::testing
