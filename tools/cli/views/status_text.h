// The page on everything, as people read it.
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

// What a token may not see is empty, and so is what is of a queue that was deleted meanwhile.
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
  std::vector<std::string> noted = {};  // "orders (paused: sends)": of all queues, those to look at
  std::size_t queue_count = 0;
  std::size_t queues_left_out = 0;
  std::size_t dead_letter_queues_left_out = 0;
};

// However long that is.
std::vector<std::string> status_page(const StatusSeen& seen, const std::string& place, const Screen& screen);

// In so many lines. What needs somebody comes first, and the tables share what is left.
std::vector<std::string> status_page_within(const StatusSeen& seen, const std::string& place,
                                            const Screen& screen, std::size_t lines);

}  // namespace holdfast::command
