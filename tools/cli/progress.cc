#include "tools/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "tools/cli/terminal/interrupt.h"

namespace holdfast::command {

using namespace std::chrono_literals;

std::string progress_bar(const TaskStatus& status) {
  constexpr std::uint64_t kWidth = 20;
  const std::uint64_t seen = status.moved + status.left.total() + status.parked;
  const std::uint64_t total = std::max<std::uint64_t>(status.total, 1);
  const std::uint64_t filled = std::min(kWidth, seen * kWidth / total);
  return fmt::format("[{}{}] {:3}% {}/{}", std::string(filled, '#'), std::string(kWidth - filled, '-'),
                     std::min<std::uint64_t>(100, seen * 100 / total), seen, status.total);
}

namespace {

void leave(CommandSession& session, TaskId task) {
  const auto number = static_cast<std::uint64_t>(task);
  if (session.on_terminal()) session.overwrite("");
  session.note(fmt::format(
      "task {} goes on {}: 'holdfast dlq tasks' shows it, 'holdfast dlq cancel {}' ends it", number,
      session.options.data.empty() ? "in the server" : "when the directory is opened again", number));
  session.set_exit_status(128 + SIGINT);
}

// The task was started, so no error about it may mean that nothing was done.
tl::unexpected<Error> not_followed(CommandSession& session, TaskId task, const Error& error) {
  if (session.on_terminal()) session.overwrite("");
  return fail(ErrorCode::kOutcomeUnknown,
              fmt::format("task {} was started, and how far it is cannot be asked: {}",
                          static_cast<std::uint64_t>(task), to_string(error)));
}

}  // namespace

Result<TaskStatus> follow_task(CommandSession& session, Broker& broker, TaskId task) {
  using Steady = std::chrono::steady_clock;
  constexpr auto kBetweenLines = 5s;
  auto pause = 5ms;
  auto last_line = Steady::now();
  const NotedInterrupt noted;
  for (;;) {
    auto status = broker.redrive_status(task);
    if (!status) return not_followed(session, task, status.error());
    const bool ended = status->state != TaskState::kRunning;
    if (session.on_terminal()) {
      session.overwrite(ended ? "" : progress_bar(*status));
    } else if (!ended && Steady::now() - last_line >= kBetweenLines) {
      session.note(progress_bar(*status));
      last_line = Steady::now();
    }
    if (ended) return status;
    if (NotedInterrupt::came()) {
      leave(session, task);
      return status;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min<std::chrono::milliseconds>(pause * 2, 200ms);
  }
}

std::string state_text(const TaskStatus& status) {
  std::string text(to_string(status.state));
  if (!status.cancelled_by.empty()) text += " by " + status.cancelled_by;
  return text;
}

std::string destination_text(const TaskStatus& status) {
  if (!status.to.empty()) return status.to;
  return status.action == RedriveAction::kPark ? "parking queue" : "origin";
}

}  // namespace holdfast::command
