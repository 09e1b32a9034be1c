#include "tests/crash/queues.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

#include "tests/support/random.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

const std::vector<CrashQueue>& crash_queues() {
  static const std::vector<CrashQueue> queues{
      {"parked", {.lease = 300ms, .durability = Durability::kBuffered}},
      {"dead",
       {.lease = 300ms,
        .durability = Durability::kBuffered,
        .retry = {.max_deliveries = 4},
        .dead_letters = {.queue = "parked"}}},
      {"orders",
       {.lease = 300ms,
        .retry = {.max_deliveries = 2},
        .dead_letters = {.queue = "dead"},
        .grouping = {.mode = Grouping::kOrdered}}},
      {"work",
       {.lease = 300ms,
        .durability = Durability::kBuffered,
        .retry = {.max_deliveries = 3},
        .dead_letters = {.queue = "dead"}}}};
  return queues;
}

const CrashQueue& crash_queue(std::string_view name) {
  const auto found = std::ranges::find(crash_queues(), name, &CrashQueue::name);
  if (found == crash_queues().end()) throw std::runtime_error("no such queue: " + std::string(name));
  return *found;
}

Message crash_message(std::string_view key) {
  Random random(std::hash<std::string_view>{}(key));
  return {.body = std::string(key) + ":" + random.bytes(random.one_in(50) ? 40'000 : random.below(1000)),
          .attributes = {{"correlation-id", std::string(key)}, {"noise", random.bytes(random.below(50))}},
          .group = group_of(key)};
}

std::string group_of(std::string_view key) { return std::string(key.substr(0, key.rfind('-'))); }

std::uint64_t number_of(std::string_view key) {
  return std::stoull(std::string(key.substr(key.rfind('-') + 1)));
}

std::string key_of(std::string_view body, const Attributes& attributes) {
  const std::string key(body.substr(0, body.find(':')));
  const Message expected = crash_message(key);
  return body == expected.body && attributes == expected.attributes ? key : std::string();
}

}  // namespace holdfast::testing
