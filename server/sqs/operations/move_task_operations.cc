// Message move tasks of SQS are redrive tasks. A handle has the task's number in it, so the server keeps
// nothing for it.
#include <algorithm>
#include <charconv>

#include "engine/base/helpers/base64.h"
#include "engine/codec/encoding/json.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_names.h"
#include "server/sqs/format/sqs_values.h"
#include "server/sqs/operations/operation_table.h"

namespace holdfast::server::sqs {
namespace {

constexpr std::string_view kTask = "taskId";

tl::unexpected<Fault> no_such_queue(std::string_view parameter) {
  return refuse(FaultCode::kResourceNotFound, "The resource that you specified for the " +
                                                  std::string(parameter) + " parameter doesn't exist.");
}

// --- handles ---

std::string handle_of(const TaskStatus& task, const SqsOptions& options) {
  return base64_encode(Json({{kTask, std::to_string(static_cast<std::uint64_t>(task.id))},
                             {"sourceArn", arn_of(task.queue, options)}})
                           .dump());
}

Outcome<TaskId> task_in(const std::string& handle) {
  const auto invalid = [&] { return invalid_value(handle, "TaskHandle", "This server did not issue it."); };
  const Json said = parse_json(base64_decode(handle).value_or(""));
  if (!said.is_object() || !said.contains(kTask) || !said[std::string(kTask)].is_string()) return invalid();
  const auto text = said[std::string(kTask)].get<std::string>();
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return invalid();
  return TaskId{number};
}

// --- starting ---

struct MovePlan {
  std::string source;
  RedriveOptions options = {};
};

Outcome<MovePlan> read_move(const SqsCall& call, const Json& input) {
  const auto rate = number_in(input, "MaxNumberOfMessagesPerSecond", limits::kTaskRate);
  if (!rate) return tl::unexpected(rate.error());
  MovePlan plan{.source = queue_in_arn(text_in(input, "SourceArn"), call.options()),
                .options = {.wait = false}};
  if (plan.source.empty()) return no_such_queue("SourceArn");
  plan.options.rate = static_cast<std::uint32_t>(rate->value_or(0));
  if (!has(input, "DestinationArn")) return plan;
  plan.options.to = queue_in_arn(text_in(input, "DestinationArn"), call.options());
  if (plan.options.to.empty()) return no_such_queue("DestinationArn");
  if (plan.options.to == plan.source)
    return invalid_value(text_in(input, "DestinationArn"), "DestinationArn",
                         "The destination queue cannot be the source queue itself.");
  return plan;
}

Outcome<Done> check_queues(const MovePlan& plan, const std::vector<QueueInfo>& queues) {
  const auto is_there = [&](const std::string& name) {
    return std::ranges::find(queues, name, &QueueInfo::name) != queues.end();
  };
  if (!is_there(plan.source)) return no_such_queue("SourceArn");
  if (!plan.options.to.empty() && !is_there(plan.options.to)) return no_such_queue("DestinationArn");
  const bool is_for_dead_letters = std::ranges::any_of(queues, [&](const QueueInfo& queue) {
    return queue.options.dead_letters.queue == plan.source ||
           (queue.name == plan.source && queue.counts.dead > 0);
  });
  if (is_for_dead_letters) return Done{};
  return refuse(FaultCode::kInvalidParameterValue, "Source queue must be configured as a Dead Letter Queue.");
}

Outcome<Done> check_tasks(const MovePlan& plan, const std::vector<TaskStatus>& tasks) {
  const bool is_running = std::ranges::any_of(tasks, [&](const TaskStatus& task) {
    return task.queue == plan.source && task.state == TaskState::kRunning;
  });
  if (!is_running) return Done{};
  return refuse(
      FaultCode::kUnsupportedOperation,
      "There is already a task running. Only one active task is allowed for a source queue arn at a "
      "given time.");
}

// --- listing ---

// A client that waits for the end of a task learns from FAILED that messages stayed where they were.
std::string_view status_of(const TaskStatus& task) {
  switch (task.state) {
    case TaskState::kRunning:
      return "RUNNING";
    case TaskState::kDone:
      return task.left.no_queue == 0 ? "COMPLETED" : "FAILED";
    case TaskState::kCancelled:
      return "CANCELLED";
    default:
      return "FAILED";
  }
}

// Returns why the task failed, empty if it did not.
std::string failure_of(const TaskStatus& task) {
  if (!task.error.empty() || task.left.no_queue == 0) return task.error;
  return "Messages that stayed: " + std::to_string(task.left.no_queue) +
         ". The queue that they came from was deleted, or they were sent here directly. A DestinationArn "
         "moves "
         "them.";
}

// Describes a task. A handle is of use only while there is something to cancel.
Json entry_of(const TaskStatus& task, const SqsOptions& options) {
  const auto started =
      std::chrono::duration_cast<std::chrono::milliseconds>(task.started_at.time_since_epoch());
  Json entry = Json::object();
  if (task.state == TaskState::kRunning) entry["TaskHandle"] = handle_of(task, options);
  entry["Status"] = status_of(task);
  entry["SourceArn"] = arn_of(task.queue, options);
  if (!task.to.empty()) entry["DestinationArn"] = arn_of(task.to, options);
  if (task.rate > 0) entry["MaxNumberOfMessagesPerSecond"] = task.rate;
  entry["ApproximateNumberOfMessagesMoved"] = task.moved;
  entry["ApproximateNumberOfMessagesToMove"] = task.total;
  if (const std::string reason = failure_of(task); !reason.empty()) entry["FailureReason"] = reason;
  entry["StartedTimestamp"] = started.count();
  return entry;
}

Json answer_of(const std::string& source, std::vector<TaskStatus> tasks, std::size_t most,
               const SqsOptions& options) {
  std::erase_if(tasks, [&](const TaskStatus& task) { return task.queue != source; });
  std::ranges::reverse(tasks);  // the newest first
  tasks.resize(std::min(tasks.size(), most));
  Json answer = Json::object();
  for (const TaskStatus& task : tasks) answer["Results"].push_back(entry_of(task, options));
  return answer;
}

}  // namespace

Promised<Json> start_message_move_task(SqsCall& call, const Json& input) {
  auto plan = read_move(call, input);
  if (!plan) return fail_with<Json>(plan.error());
  auto queues_checked = then_if_good(
      call.broker.list(),
      [plan = *plan](const std::vector<QueueInfo>& queues) { return check_queues(plan, queues); });
  auto tasks = then_if_good(kj::mv(queues_checked), [&call](Done) { return call.broker.redrives(); });
  auto checked = then_if_good(kj::mv(tasks), [plan = *plan](const std::vector<TaskStatus>& running) {
    return check_tasks(plan, running);
  });
  auto started = then_if_good(kj::mv(checked), [&call, plan = *plan](Done) {
    return call.broker.redrive(plan.source, plan.options);
  });
  return then_if_good(kj::mv(started), [&call, source = plan->source](const Redriven& redriven) {
    TaskStatus task;
    task.id = redriven.task;
    task.queue = source;
    return Outcome<Json>(Json({{"TaskHandle", handle_of(task, call.options())}}));
  });
}

Promised<Json> list_message_move_tasks(SqsCall& call, const Json& input) {
  const auto most = number_in(input, "MaxResults", limits::kTaskPage);
  if (!most) return fail_with<Json>(most.error());
  const std::string source = queue_in_arn(text_in(input, "SourceArn"), call.options());
  if (source.empty()) return fail_with<Json>(no_such_queue("SourceArn").value());
  auto described = call.broker.describe(source).then([](const Outcome<QueueInfo>& found) -> Outcome<Done> {
    if (found) return Done{};
    const bool is_missing = found.error().code == FaultCode::kQueueDoesNotExist;
    if (is_missing) return no_such_queue("SourceArn");
    return tl::unexpected(found.error());
  });
  auto tasks =
      then_if_good(Promised<Done>(kj::mv(described)), [&call](Done) { return call.broker.redrives(); });
  const auto count = static_cast<std::size_t>(most->value_or(limits::kTaskPageDefault));
  return then_if_good(kj::mv(tasks), [&call, source, count](std::vector<TaskStatus> all) {
    return Outcome<Json>(answer_of(source, std::move(all), count, call.options()));
  });
}

Promised<Json> cancel_message_move_task(SqsCall& call, const Json& input) {
  const auto task = task_in(text_in(input, "TaskHandle"));
  if (!task) return fail_with<Json>(task.error());
  auto is_running = then_if_good(
      call.broker.redrives(), [id = *task](const std::vector<TaskStatus>& tasks) -> Outcome<Done> {
        const auto found = std::ranges::find(tasks, id, &TaskStatus::id);
        if (found == tasks.end()) return refuse(FaultCode::kResourceNotFound, "Task does not exist.");
        if (found->state == TaskState::kRunning) return Done{};
        return refuse(FaultCode::kUnsupportedOperation, "Only active tasks can be cancelled.");
      });
  auto cancelled =
      then_if_good(kj::mv(is_running), [&call, id = *task](Done) { return call.broker.cancel_redrive(id); });
  return then_if_good(kj::mv(cancelled), [](const TaskStatus& status) {
    return Outcome<Json>(Json({{"ApproximateNumberOfMessagesMoved", status.moved}}));
  });
}

}  // namespace holdfast::server::sqs
