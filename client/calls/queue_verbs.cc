// ClientQueueVerbs declares, changes, describes and removes queues. A change whose answer was lost is not
// made again: meanwhile somebody else may have changed the queue, or created another one of its name.
#include "client/calls/call_sender.h"
#include "schema/convert/queues/queue_conversion.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

ClientCall<Result<QueueDeclared>> ClientQueueVerbs::create_queue(std::string_view name, QueueOptions options,
                                                                 MissingQueues missing) const {
  return sender_.call(
      {Effect::kOnce}, &Rpc::createQueueRequest,
      [name = std::string(name), options = std::move(options),
       missing](wire::CreateQueueRequest::Builder to) { convert::write(name, options, missing, to); },
      [](wire::DeclareReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<QueueDeclared>> ClientQueueVerbs::alter_queue(std::string_view name, QueueChanges changes,
                                                                MissingQueues missing) const {
  return sender_.call(
      {Effect::kOnce}, &Rpc::alterQueueRequest,
      [name = std::string(name), changes = std::move(changes), missing](wire::AlterQueueRequest::Builder to) {
        convert::write(name, changes, missing, to);
      },
      [](wire::DeclareReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<void>> ClientQueueVerbs::delete_queue(std::string_view name) const {
  return sender_.call(
      {Effect::kOnce}, &Rpc::deleteQueueRequest,
      [name = std::string(name)](wire::DeleteQueueRequest::Builder to) { convert::write(name, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<std::uint64_t>> ClientQueueVerbs::purge_queue(std::string_view name) const {
  return sender_.call(
      {Effect::kOnce}, &Rpc::purgeQueueRequest,
      [name = std::string(name)](wire::QueueRequest::Builder to) { convert::write(name, to); },
      [](wire::PurgeReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<void>> ClientQueueVerbs::pause_queue(std::string_view name, Pause what) const {
  return sender_.call(
      {Effect::kOnce}, &Rpc::pauseQueueRequest,
      [name = std::string(name), what](wire::PauseRequest::Builder to) { convert::write(name, what, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<void>> ClientQueueVerbs::resume_queue(std::string_view name, Pause what) const {
  return sender_.call(
      {Effect::kOnce}, &Rpc::resumeQueueRequest,
      [name = std::string(name), what](wire::PauseRequest::Builder to) { convert::write(name, what, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<QueueInfo>> ClientQueueVerbs::describe_queue(std::string_view name) const {
  return sender_.call(
      {Effect::kNone}, &Rpc::describeQueueRequest,
      [name = std::string(name)](wire::QueueRequest::Builder to) { convert::write(name, to); },
      [](wire::DescribeReply::Reader from, const Answer&) { return convert::read(from); });
}

ClientCall<Result<std::vector<QueueInfo>>> ClientQueueVerbs::list_queues() const {
  return sender_.call(
      {Effect::kNone}, &Rpc::listQueuesRequest, [](wire::ListQueuesRequest::Builder) {},
      [](wire::ListQueuesReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
