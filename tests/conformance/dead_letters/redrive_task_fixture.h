// RedriveTasks has a queue whose messages die, and redrives of them, as tasks and as dry runs.
#pragma once

#include <cstddef>
#include <utility>

#include "tests/conformance/conformance.h"

namespace holdfast::testing {

class RedriveTasks : public BrokerFixture {
 protected:
  void SetUp() override {
    BrokerFixture::SetUp();
    create("orders", {.dead_letters = {.queue = "dlq"}});
  }

  // Makes n dead letters of `orders`, "0" to "n-1", and of all other messages that are ready there.
  void die(std::size_t n, const Rejection& rejection = {}) {
    send_numbered("orders", n);
    const Deliveries out = receive_all("orders");
    EXPECT_THAT(must(broker().reject_batch(receipts(out), rejection)), ::testing::Each(Succeeds()));
  }

  TaskId start(RedriveOptions options = {}) {
    options.wait = false;
    return must(broker().redrive("dlq", std::move(options))).task;
  }
  Redriven dry_run(RedriveOptions options = {}) {
    options.dry_run = true;
    return must(broker().redrive("dlq", std::move(options)));
  }
  TaskStatus status(TaskId id) { return must(broker().redrive_status(id)); }
};

}  // namespace holdfast::testing
