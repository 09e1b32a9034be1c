// BrokerFixture has what a test of any Broker needs beside the verbs, and shorthand for what most tests do.
#pragma once

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "holdfast/broker.h"
#include "tests/support/manual_clock.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

// BrokerUnderTest is a broker whose time stands still until the test moves it.
class BrokerUnderTest {
 public:
  virtual ~BrokerUnderTest() = default;
  virtual Broker& broker() = 0;
  // Does all that is due by now.
  virtual void run_due() = 0;
  // Closes everything and opens it again on the same data.
  virtual void reopen() = 0;

  ManualClock& clock() { return clock_; }

 private:
  ManualClock clock_;
};

struct BrokerKind {
  std::string name;
  std::function<std::unique_ptr<BrokerUnderTest>()> make;
};

// NOLINTNEXTLINE(readability-identifier-naming): the name that GoogleTest looks for.
inline void PrintTo(const BrokerKind& kind, std::ostream* out) { *out << kind.name; }

class BrokerFixture : public ::testing::TestWithParam<BrokerKind> {
 protected:
  void SetUp() override { under_test_ = GetParam().make(); }

  Broker& broker() { return under_test_->broker(); }
  Timestamp now() { return under_test_->clock().now(); }
  ManualClock& clock() { return under_test_->clock(); }
  void run_due() { under_test_->run_due(); }
  void reopen() { under_test_->reopen(); }
  void advance(Duration step) {
    under_test_->clock().advance(step);
    run_due();
  }

  void create(std::string_view queue, QueueOptions options = {}) {
    must(broker().create_queue(queue, std::move(options), MissingQueues::kCreate));
  }

  MessageId send(std::string_view queue, std::string body, Attributes attributes = {}) {
    return must(broker().send(queue, {.body = std::move(body), .attributes = std::move(attributes)})).id;
  }

  // Sends n messages, "0" to "n-1".
  std::vector<MessageId> send_numbered(std::string_view queue, std::size_t n) {
    std::vector<Message> messages;
    for (std::size_t i = 0; i < n; ++i) messages.push_back({.body = std::to_string(i)});
    std::vector<MessageId> ids;
    for (auto& sent : must(broker().send_batch(queue, std::move(messages)))) {
      ids.push_back(must(std::move(sent)).id);
    }
    return ids;
  }

  Deliveries receive(std::string_view queue, std::size_t max) {
    return must(broker().receive(queue, {.max = max}));
  }

  // Receives all ready messages. One call need not return all of them, but returns some as long as there are
  // any.
  Deliveries receive_all(std::string_view queue) {
    Deliveries all;
    for (;;) {
      Deliveries some = receive(queue, 1000);
      if (some.empty()) return all;
      std::ranges::move(some, std::back_inserter(all));
    }
  }

  // Receives the next message. There must be one.
  Delivery receive_one(std::string_view queue, ReceiveOptions options = {}) {
    Deliveries deliveries = must(broker().receive(queue, std::move(options)));
    if (deliveries.size() != 1) throw std::runtime_error("expected a message in " + std::string(queue));
    return std::move(deliveries.front());
  }

  // Receives the next message and rejects it.
  MessageId reject_one(std::string_view queue, Rejection rejection = {}) {
    const Delivery delivery = receive_one(queue);
    must(broker().reject(delivery.receipt, std::move(rejection)));
    return delivery.id;
  }

  std::vector<DeadLetter> dead_letters(std::string_view queue) {
    return must(broker().list_dead_letters(queue, {.max = 1000, .bodies = true})).items;
  }

  DeadLetter only_dead_letter(std::string_view queue) {
    std::vector<DeadLetter> items = dead_letters(queue);
    if (items.size() != 1) throw std::runtime_error("expected one dead letter in " + std::string(queue));
    return std::move(items.front());
  }

  QueueInfo info(std::string_view queue) { return must(broker().describe_queue(queue)); }
  QueueCounts counts(std::string_view queue) { return info(queue).counts; }
  QueueTotals totals(std::string_view queue) { return info(queue).totals; }

 private:
  std::unique_ptr<BrokerUnderTest> under_test_;
};

inline std::vector<std::string> bodies(const Deliveries& deliveries) {
  std::vector<std::string> result;
  for (const Delivery& delivery : deliveries) result.emplace_back(delivery.body);
  return result;
}

inline std::vector<MessageId> ids(const Deliveries& deliveries) {
  std::vector<MessageId> result;
  for (const Delivery& delivery : deliveries) result.push_back(delivery.id);
  return result;
}

inline std::vector<Receipt> receipts(const Deliveries& deliveries) {
  std::vector<Receipt> result;
  for (const Delivery& delivery : deliveries) result.push_back(delivery.receipt);
  return result;
}

}  // namespace holdfast::testing
