// The queues and messages of the kill test. Everything in a message follows from its key.
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

// Returns the queues. Dead letter queues come first, so that each exists when it is named.
const std::vector<CrashQueue>& crash_queues();
const CrashQueue& crash_queue(std::string_view name);

// Keys are ROUND-THREAD-NUMBER. The messages of one thread are a group, and are sent in the order of their
// numbers.
Message crash_message(std::string_view key);
std::string group_of(std::string_view key);
std::uint64_t number_of(std::string_view key);
// Returns the key of a message. It is empty if crash_message did not make the message.
std::string key_of(std::string_view body, const Attributes& attributes);

}  // namespace holdfast::testing
