// This header writes the page of the verb status, for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "holdfast/dead_letter_statistics.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"
#include "holdfast/statistics.h"
#include "tools/cli/terminal/terminal.h"

namespace holdfast::command {

// A value that is absent if the token may not see it, or if its queue was deleted meanwhile.
template <class T>
using IfShown = std::optional<T>;

struct QueueSeen {
  QueueInfo info;
  IfShown<QueueStatistics> statistics;
};

struct DeadLettersSeen {
  QueueInfo info;
  IfShown<DeadLetterStatistics> statistics;
  IfShown<std::uint64_t> fresh;  // of status new
};

struct StatusSeen {
  Timestamp at{};
  IfShown<EngineStatistics> engine;
  std::vector<QueueSeen> queues = {};
  std::vector<DeadLettersSeen> dead_letter_queues = {};
  std::vector<TaskStatus> running = {};
  // `noted` has the queues to look at, of all queues, such as "orders (paused: sends)".
  std::vector<std::string> noted = {};
  std::size_t queue_count = 0;
  std::size_t queues_left_out = 0;
  std::size_t dead_letter_queues_left_out = 0;
};

// Returns the page, however long it is.
std::vector<std::string> status_page(const StatusSeen& seen, const std::string& place, const Screen& screen);

// Returns the page in at most `lines` lines. What needs somebody's attention comes first, and the tables
// share the rest.
std::vector<std::string> status_page_within(const StatusSeen& seen, const std::string& place,
                                            const Screen& screen, std::size_t lines);

}  // namespace holdfast::command
