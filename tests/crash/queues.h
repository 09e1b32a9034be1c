// The queues of the kill test, and its messages: all that is in one follows from its key.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/broker.h"

namespace holdfast::testing {

// orders is ordered. work and orders dead-letter to dead, which dead-letters to parked. Only dead is ever
// redriven.
struct CrashQueue {
  std::string name;
  QueueOptions options;
};

// Dead letter queues first, so that each exists when it is named.
const std::vector<CrashQueue>& crash_queues();
const CrashQueue& crash_queue(std::string_view name);

// Keys are ROUND-THREAD-NUMBER. Those of one thread are a group, and are sent in the order of their numbers.
Message crash_message(std::string_view key);
std::string group_of(std::string_view key);
std::uint64_t number_of(std::string_view key);
// The key of a message's body; empty if it is not what crash_message made.
std::string key_of(std::string_view body, const Attributes& attributes);

}  // namespace holdfast::testing
