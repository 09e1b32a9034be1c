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

}  // namespace holdfast
