// A row of `redrive_tasks`: a redrive task, as tagged fields (tagged.h; tags: redrive_task.cc). Committed
// with the messages that it moved, so that it goes on after a crash where it was.
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
  std::vector<Seq> canaries = {};  // the first few, by their place in the queue
  // Those of them that were brought to a queue that was purged or deleted since: if there is no outcome yet,
  // none will come.
  std::vector<Seq> canaries_lost = {};
  bool canary_passed = false;
  // Of those, as last looked at.
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
