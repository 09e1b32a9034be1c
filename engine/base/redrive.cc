#include "holdfast/redrive.h"

namespace holdfast {

std::string_view to_string(TaskState state) {
  switch (state) {
    case TaskState::kRunning:
      return "running";
    case TaskState::kDone:
      return "done";
    case TaskState::kCancelled:
      return "cancelled";
    case TaskState::kFailed:
      return "failed";
    case TaskState::kInterrupted:
      return "interrupted";
    case TaskState::kCanaryFailed:
      return "canary_failed";
  }
  return "unknown";
}

std::string to_string(const LeftInPlace& left) {
  std::string text;
  const auto add = [&](std::uint64_t count, const char* why) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + why;
  };
  add(left.abandoned, "abandoned");
  add(left.replay_limit, "over the replay limit");
  add(left.version, "failed on the consumer version that is refused");
  add(left.edit, "that the edit does not fit");
  add(left.no_queue, "without a queue to go to");
  add(left.leased, "leased");
  return text;
}

}  // namespace holdfast
