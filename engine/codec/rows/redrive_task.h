// A row of `redrive_tasks` is a redrive task, as tagged fields (tagged.h; the tags are in redrive_task.cc).
// It is committed together with the messages that the task moved, so after a crash the task goes on where it
// was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/encoding/keys.h"
#include "holdfast/error.h"
#include "holdfast/redrive.h"

namespace holdfast {

struct RedriveTask {
  QueueId queue{};
  std::string queue_name = {};
  QueueId target{};             // 0: each message to the queue it came from
  Seq cursor{};                 // everything before it is done
  Seq end{};                    // messages that died later are not swept along
  RedriveOptions options = {};  // without those that say how the call answers
  bool transforms = false;      // with a function, which a restart has lost
  TaskState state = TaskState::kRunning;
  std::uint64_t moved = 0;
  std::uint64_t parked = 0;
  LeftInPlace left = {};
  std::uint64_t total = 0;
  std::vector<Seq> canaries = {};  // the first few messages, by their places in the queue
  // `canaries_lost` has the canaries that were brought to a queue that was purged or deleted since. Those of
  // them without an outcome will never have one.
  std::vector<Seq> canaries_lost = {};
  bool canary_passed = false;
  // These count the canaries that were acked and those that had failed when the task last looked.
  std::uint64_t canary_acked = 0;
  std::uint64_t canary_failed = 0;
  Timestamp started_at{};
  Timestamp finished_at{};
  std::string cancelled_by = {};
  std::string error = {};
};

std::string encode_redrive_task(const RedriveTask& task);
// kCorruption if it does not decode.
Result<RedriveTask> decode_redrive_task(std::string_view row);

}  // namespace holdfast
