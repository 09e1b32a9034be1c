// States and actions of redrive tasks have stable names. The messages that a task left in place are told by
// why they stayed, and reasons that apply to none are left out.
#include "holdfast/redrive.h"

#include "engine/base/names.h"

namespace holdfast {

namespace {

constexpr Names<TaskState, 6> kTaskStates{{{TaskState::kRunning, "running"},
                                           {TaskState::kDone, "done"},
                                           {TaskState::kCancelled, "cancelled"},
                                           {TaskState::kFailed, "failed"},
                                           {TaskState::kInterrupted, "interrupted"},
                                           {TaskState::kCanaryFailed, "canary_failed"}}};

constexpr Names<RedriveAction, 2> kRedriveActions{
    {{RedriveAction::kRedrive, "redrive"}, {RedriveAction::kPark, "park"}}};

constexpr Names<RedriveValue, 3> kRedriveValues{{{RedriveValue::kFromDlq, "from_dlq"},
                                                 {RedriveValue::kTime, "time"},
                                                 {RedriveValue::kReplays, "replays"}}};

}  // namespace

std::string_view to_string(RedriveAction action) { return name_of(kRedriveActions, action); }

std::optional<RedriveAction> parse_redrive_action(std::string_view text) {
  return value_of(kRedriveActions, text);
}

std::string_view to_string(RedriveValue value) { return name_of(kRedriveValues, value); }

std::optional<RedriveValue> parse_redrive_value(std::string_view text) {
  return value_of(kRedriveValues, text);
}

std::string_view to_string(TaskState state) { return name_of(kTaskStates, state); }

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
