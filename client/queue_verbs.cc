#include "client/impl.h"
#include "convert/queue.h"

namespace holdfast {

using client::Answer;
using client::Effect;
using Rpc = wire::Broker::Client;

Result<QueueDeclared> Client::create_queue(std::string_view name, QueueOptions options) {
  return impl_->call(
      {Effect::kOnce}, &Rpc::createQueueRequest,
      [&](wire::CreateQueueRequest::Builder to) { convert::write(name, options, to); },
      [](wire::DeclareReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<QueueDeclared> Client::alter_queue(std::string_view name, QueueChanges changes) {
  return impl_->call(
      {Effect::kOnce}, &Rpc::alterQueueRequest,
      [&](wire::AlterQueueRequest::Builder to) { convert::write(name, changes, to); },
      [](wire::DeclareReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<void> Client::delete_queue(std::string_view name) {
  return impl_->call(
      {Effect::kOnce}, &Rpc::deleteQueueRequest,
      [&](wire::QueueRequest::Builder to) { convert::write(name, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<std::uint64_t> Client::purge_queue(std::string_view name) {
  return impl_->call(
      {Effect::kOnce}, &Rpc::purgeQueueRequest,
      [&](wire::QueueRequest::Builder to) { convert::write(name, to); },
      [](wire::PurgeReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<void> Client::pause_queue(std::string_view name, Pause what) {
  return impl_->call(
      {Effect::kOnce}, &Rpc::pauseQueueRequest,
      [&](wire::PauseRequest::Builder to) { convert::write(name, what, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<void> Client::resume_queue(std::string_view name, Pause what) {
  return impl_->call(
      {Effect::kOnce}, &Rpc::resumeQueueRequest,
      [&](wire::PauseRequest::Builder to) { convert::write(name, what, to); },
      [](wire::EmptyReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<QueueInfo> Client::describe_queue(std::string_view name) {
  return impl_->call(
      {Effect::kNone}, &Rpc::describeQueueRequest,
      [&](wire::QueueRequest::Builder to) { convert::write(name, to); },
      [](wire::DescribeReply::Reader from, const Answer&) { return convert::read(from); });
}

Result<std::vector<QueueInfo>> Client::list_queues() {
  return impl_->call(
      {Effect::kNone}, &Rpc::listQueuesRequest, [](wire::ListQueuesRequest::Builder) {},
      [](wire::ListQueuesReply::Reader from, const Answer&) { return convert::read(from); });
}

}  // namespace holdfast
