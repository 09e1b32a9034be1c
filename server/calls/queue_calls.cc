#include "schema/convert/queues/queue.h"

#include <capnp/message.h>

#include <algorithm>

#include "engine/sync/mutex.h"
#include "schema/convert/messages/message_history.h"
#include "schema/convert/messages/peek.h"
#include "schema/convert/values/bytes.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {
namespace {

using Versions = std::vector<std::string>;

Versions versions_in(capnp::List<capnp::Text>::Reader list) {
  Versions versions;
  for (const auto version : list) versions.push_back(convert::string(version));
  return versions;
}

// The engine's own threads create queues, but change and delete none: what this finds stays so under the
// lock.
Result<void> check_version(State& state, const std::string& name, const Versions& versions)
    HOLDFAST_REQUIRES(state.all.queue_changes) {
  if (versions.empty()) return {};
  const auto queue = state.engine.describe_queue(name);
  if (!queue) return tl::unexpected(queue.error());
  capnp::MallocMessageBuilder message;
  auto described = message.initRoot<wire::QueueInfo>();
  convert::write(*queue, described);
  const std::string version = convert::string(described.getVersion());
  if (std::ranges::find(versions, version) != versions.end()) return {};
  return fail(ErrorCode::kPreconditionFailed,
              "queue '" + name + "' was changed: its version is " + version + " now");
}

}  // namespace

kj::Promise<void> BrokerService::createQueue(CreateQueueContext context) {
  using R = Result<QueueDeclared>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  return answer_blocking<R>(
      *peer_, context,
      [&engine = state_.engine, name = std::string(call->name), options = std::move(call->options)] {
        return engine.create_queue(name, options);
      });
}

kj::Promise<void> BrokerService::alterQueue(AlterQueueContext context) {
  using R = Result<QueueDeclared>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  auto work = [&state = state_, name = std::string(call->name), changes = std::move(call->changes),
               versions = versions_in(context.getParams().getIfVersion())] {
    const sync::Lock lock(state.all.queue_changes);
    if (auto ok = check_version(state, name, versions); !ok) return R(tl::unexpected(ok.error()));
    return state.engine.alter_queue(name, changes);
  };
  return answer_blocking<R>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::deleteQueue(DeleteQueueContext context) {
  const auto request = context.getParams();
  auto work = [&state = state_, name = convert::string(request.getName()),
               versions = versions_in(request.getIfVersion())] {
    const sync::Lock lock(state.all.queue_changes);
    if (auto ok = check_version(state, name, versions); !ok) return ok;
    return state.engine.delete_queue(name);
  };
  return answer_blocking<Result<void>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::purgeQueue(PurgeQueueContext context) {
  auto work = [&engine = state_.engine, name = std::string(convert::read(context.getParams()))] {
    return engine.purge_queue(name);
  };
  return answer_blocking<Result<std::uint64_t>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::pauseQueue(PauseQueueContext context) {
  const auto call = convert::read(context.getParams());
  auto work = [&engine = state_.engine, name = std::string(call.name), what = call.what] {
    return engine.pause_queue(name, what);
  };
  return answer_blocking<Result<void>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::resumeQueue(ResumeQueueContext context) {
  const auto call = convert::read(context.getParams());
  auto work = [&engine = state_.engine, name = std::string(call.name), what = call.what] {
    return engine.resume_queue(name, what);
  };
  return answer_blocking<Result<void>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::peek(PeekContext context) {
  using R = Result<PeekPage>;
  auto call = convert::read(context.getParams());
  if (!call) return answer_now<R>(*peer_, context, tl::unexpected(call.error()));
  call->options.redact = redaction(std::move(call->options.redact));
  return answer_blocking<R>(*peer_, context,
                            [&engine = state_.engine, queue = std::string(call->queue),
                             options = std::move(call->options)] { return engine.peek(queue, options); });
}

kj::Promise<void> BrokerService::messageHistory(MessageHistoryContext context) {
  auto work = [&engine = state_.engine, id = convert::read(context.getParams()), rights = rights_] {
    auto history = engine.message_history(id);
    if (history && rights) {
      std::erase_if(history->steps,
                    [&](const HistoryStep& step) { return !rights->allow(Right::kOperate, step.queue); });
    }
    return history;
  };
  return answer_blocking<Result<MessageHistory>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::describeQueue(DescribeQueueContext context) {
  auto work = [&engine = state_.engine, name = std::string(convert::read(context.getParams()))] {
    return engine.describe_queue(name);
  };
  return answer_blocking<Result<QueueInfo>>(*peer_, context, std::move(work));
}

kj::Promise<void> BrokerService::listQueues(ListQueuesContext context) {
  auto work = [&engine = state_.engine, rights = rights_] {
    auto queues = engine.list_queues();
    if (queues && rights) {
      std::erase_if(*queues, [&](const QueueInfo& queue) { return !rights->know(queue.name); });
    }
    return queues;
  };
  return answer_blocking<Result<std::vector<QueueInfo>>>(*peer_, context, std::move(work));
}

}  // namespace holdfast::server
