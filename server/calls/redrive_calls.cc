#include <array>

#include "schema/convert/dead_letters/redrive.h"
#include "server/calls/answer.h"
#include "server/calls/methods.h"
#include "server/calls/refused_repetition.h"

namespace holdfast::server {
namespace {

// Answers a call that redrives, would redrive or parks with `verb(engine, queue, asked)`, on a thread that
// may block.
template <class R, class Params, class Reply, class Verb>
kj::Promise<void> answer_redrive(Call<Params, Reply> call, Verb verb) {
  auto asked = convert::read(call.params());
  if (!asked) return answer_now<R>(call, tl::unexpected(asked.error()));
  if (auto ok = call->caller().check_edit(asked->options.edit); !ok) {
    return answer_blocking<R>(
        call, [&engine = call->engine(), id = asked->options.request_id, refusal = ok.error()]() -> R {
          return tl::unexpected(of_repetition(engine, id, refusal).value_or(refusal));
        });
  }
  asked->options.actor = call->caller().actor(std::move(asked->options.actor));
  // Its queue's name points into the parameters.
  std::string queue(asked->queue);
  return answer_blocking<R>(call, [verb, &engine = call->engine(), queue = std::move(queue),
                                   asked = std::move(*asked)] { return verb(engine, queue, asked); });
}

bool may_operate(const Caller& caller, const TaskStatus& task) {
  return !caller.rights() || caller.rights()->allow(Right::kOperate, task.queue);
}

// Of a queue that the caller may operate. kTaskNotFound for others too.
Result<TaskStatus> task_of(const Caller& caller, TaskId id) {
  auto status = caller.state().engine.redrive_status(id);
  if (!status || may_operate(caller, *status)) return status;
  return fail(ErrorCode::kTaskNotFound, "there is no task " + std::to_string(static_cast<std::uint64_t>(id)) +
                                            ", or it ended long ago");
}

kj::Promise<void> redrive(Call<wire::RedriveRequest, wire::RedriveReply> call) {
  return answer_redrive<Result<Redriven>>(call, [](Engine& engine, const auto& queue, const auto& asked) {
    return engine.redrive(queue, asked.options);
  });
}

kj::Promise<void> park(Call<wire::RedriveRequest, wire::RedriveReply> call) {
  return answer_redrive<Result<Redriven>>(call, [](Engine& engine, const auto& queue, const auto& asked) {
    return engine.park(queue, asked.options);
  });
}

kj::Promise<void> start_redrive(Call<wire::RedriveRequest, wire::StartRedriveReply> call) {
  return answer_redrive<Result<TaskId>>(call, [](Engine& engine, const auto& queue, const auto& asked) {
    return engine.start_redrive(queue, asked.options);
  });
}

kj::Promise<void> preview_redrive(Call<wire::PreviewRedriveRequest, wire::PreviewRedriveReply> call) {
  return answer_redrive<Result<RedrivePreview>>(
      call, [hidden = call->caller().redaction({})](Engine& engine, const auto& queue, const auto& asked) {
        return engine.preview_redrive(queue, asked.options, both(asked.redact, hidden));
      });
}

kj::Promise<void> preview_park(Call<wire::PreviewRedriveRequest, wire::PreviewRedriveReply> call) {
  return answer_redrive<Result<RedrivePreview>>(
      call, [hidden = call->caller().redaction({})](Engine& engine, const auto& queue, const auto& asked) {
        return engine.preview_park(queue, asked.options, both(asked.redact, hidden));
      });
}

kj::Promise<void> redrive_status(Call<wire::TaskRequest, wire::TaskReply> call) {
  return answer_now<Result<TaskStatus>>(call, task_of(call->caller(), convert::read(call.params())));
}

kj::Promise<void> list_redrives(Call<wire::ListRedrivesRequest, wire::ListRedrivesReply> call) {
  auto tasks = call->engine().list_redrives();
  if (tasks)
    std::erase_if(*tasks, [&](const TaskStatus& task) { return !may_operate(call->caller(), task); });
  return answer_now<Result<std::vector<TaskStatus>>>(call, tasks);
}

kj::Promise<void> cancel_redrive(Call<wire::CancelRedriveRequest, wire::TaskReply> call) {
  auto asked = convert::read(call.params());
  if (auto task = task_of(call->caller(), asked.task); !task)
    return answer_now<Result<TaskStatus>>(call, task);
  asked.actor = call->caller().actor(std::move(asked.actor));
  return answer_blocking<Result<TaskStatus>>(call, [&engine = call->engine(), asked = std::move(asked)] {
    return engine.cancel_redrive(asked.task, asked.actor);
  });
}

}  // namespace

std::span<const Method> redrive_methods() {
  static const std::array kMethods = {
      method<redrive>("redrive"),
      method<park>("park"),
      method<start_redrive>("startRedrive"),
      method<preview_redrive>("previewRedrive", {.shows_what_is_stored = true}),
      method<preview_park>("previewPark", {.shows_what_is_stored = true}),
      method<redrive_status>("redriveStatus"),
      method<list_redrives>("listRedrives", {.shows_what_is_stored = true}),
      method<cancel_redrive>("cancelRedrive"),
  };
  return kMethods;
}

}  // namespace holdfast::server
