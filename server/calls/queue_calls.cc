#include "schema/convert/queues/queue.h"

#include "schema/convert/messages/message_history.h"
#include "schema/convert/messages/peek.h"
#include "server/calls/answer.h"
#include "server/calls/broker_service.h"

namespace holdfast::server {

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
  return answer_blocking<R>(
      *peer_, context,
      [&engine = state_.engine, name = std::string(call->name), changes = std::move(call->changes)] {
        return engine.alter_queue(name, changes);
      });
}

kj::Promise<void> BrokerService::deleteQueue(DeleteQueueContext context) {
  auto work = [&engine = state_.engine, name = std::string(convert::read(context.getParams()))] {
    return engine.delete_queue(name);
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
