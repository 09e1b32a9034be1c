#include "server/sqs/operations/broker_calls.h"

#include <memory>
#include <utility>

#include "engine/base/helpers/batch_result.h"
#include "schema/convert/dead_letters/redrive_conversion.h"
#include "schema/convert/messages/receive_conversion.h"
#include "schema/convert/messages/send_conversion.h"
#include "schema/convert/messages/settle_conversion.h"
#include "schema/convert/queues/queue_conversion.h"
#include "schema/convert/values/bytes.h"
#include "server/calls/direct_call.h"

namespace holdfast::server::sqs {
namespace {

// Makes a call whose reply contains a T.
template <class T, class Request>
Promised<T> sent(Request&& request) {
  return request.send().then([](auto reply) { return outcome_of<T>(convert::read(reply)); });
}

template <class Request>
Promised<Done> declared(Request&& request) {
  return request.send().then([](auto reply) -> Outcome<Done> {
    const auto read = convert::read(reply);
    if (!read) return tl::unexpected(fault_of(read.error()));
    return Done{};
  });
}

// Makes a call about several entries. SQS answers for each entry, even if the whole call was refused.
template <class Request>
BrokerCalls::Settled settled(Request&& request, std::size_t entries) {
  return request.send().then(
      [entries](auto reply) { return by_entry(convert::read(reply, entries), entries); });
}

}  // namespace

Outcome<void> BrokerCalls::check_consume(const std::string& queue) const {
  if (auto ok = caller_->check_consume(queue); !ok) return tl::unexpected(fault_of(ok.error()));
  return {};
}

Promised<QueueInfo> BrokerCalls::describe(const std::string& queue) {
  DirectRequest<wire::QueueRequest, wire::DescribeReply> request(caller_, "describeQueue");
  convert::write(queue, wire::QueueRequest::Builder(request));
  return sent<QueueInfo>(kj::mv(request));
}

Promised<VersionedQueue> BrokerCalls::describe_version(const std::string& queue) {
  DirectRequest<wire::QueueRequest, wire::DescribeReply> request(caller_, "describeQueue");
  convert::write(queue, wire::QueueRequest::Builder(request));
  return request.send().then([](auto reply) -> Outcome<VersionedQueue> {
    auto info = convert::read(reply);
    if (!info) return tl::unexpected(fault_of(info.error()));
    return VersionedQueue{*std::move(info), convert::string(reply.getQueue().getVersion())};
  });
}

Promised<std::vector<QueueInfo>> BrokerCalls::list() {
  return sent<std::vector<QueueInfo>>(
      DirectRequest<wire::ListQueuesRequest, wire::ListQueuesReply>(caller_, "listQueues"));
}

Promised<Done> BrokerCalls::create(const std::string& queue, const QueueOptions& options) {
  DirectRequest<wire::CreateQueueRequest, wire::DeclareReply> request(caller_, "createQueue");
  convert::write(queue, options, MissingQueues::kRefuse, wire::CreateQueueRequest::Builder(request));
  return declared(kj::mv(request));
}

Promised<Done> BrokerCalls::alter(const std::string& queue, const QueueChanges& changes) {
  DirectRequest<wire::AlterQueueRequest, wire::DeclareReply> request(caller_, "alterQueue");
  convert::write(queue, changes, MissingQueues::kRefuse, wire::AlterQueueRequest::Builder(request));
  return declared(kj::mv(request));
}

Promised<bool> BrokerCalls::alter_if(const std::string& queue, const QueueChanges& changes,
                                     const std::string& version) {
  DirectRequest<wire::AlterQueueRequest, wire::DeclareReply> request(caller_, "alterQueue");
  convert::write(queue, changes, MissingQueues::kRefuse, wire::AlterQueueRequest::Builder(request));
  request.initIfVersion(1).set(0, version.c_str());
  return request.send().then([](auto reply) -> Outcome<bool> {
    const auto read = convert::read(reply);
    if (read) return true;
    if (read.error().code == ErrorCode::kPreconditionFailed) return false;
    return tl::unexpected(fault_of(read.error()));
  });
}

Promised<Done> BrokerCalls::remove(const std::string& queue) {
  DirectRequest<wire::DeleteQueueRequest, wire::EmptyReply> request(caller_, "deleteQueue");
  convert::write(queue, wire::DeleteQueueRequest::Builder(request));
  return declared(kj::mv(request));
}

Promised<Done> BrokerCalls::purge(const std::string& queue) {
  DirectRequest<wire::QueueRequest, wire::PurgeReply> request(caller_, "purgeQueue");
  convert::write(queue, wire::QueueRequest::Builder(request));
  return declared(kj::mv(request));
}

Promised<std::vector<Result<Sent>>> BrokerCalls::send(const std::string& queue,
                                                      const std::vector<Message>& messages) {
  DirectRequest<wire::SendRequest, wire::SendReply> request(caller_, "sendBatch");
  convert::write(queue, messages, {}, wire::SendRequest::Builder(request));
  return request.send().then([entries = messages.size()](auto reply) {
    return outcome_of<std::vector<Result<Sent>>>(convert::read(reply, entries));
  });
}

Promised<Deliveries> BrokerCalls::receive(const std::string& queue, const ReceiveOptions& options) {
  DirectRequest<wire::ReceiveRequest, wire::ReceiveReply> request(caller_, "receive");
  convert::write(queue, options, wire::ReceiveRequest::Builder(request));
  return request.send().then([](DirectReply<wire::ReceiveReply> reply) {
    // The bodies lie in the reply, so the deliveries keep it alive.
    auto kept = std::make_shared<DirectReply<wire::ReceiveReply>>(kj::mv(reply));
    return outcome_of<Deliveries>(convert::read(wire::ReceiveReply::Reader(*kept), kept));
  });
}

BrokerCalls::Settled BrokerCalls::ack(const std::vector<Receipt>& receipts) {
  DirectRequest<wire::AckRequest, wire::SettleReply> request(caller_, "ackBatch");
  convert::write(receipts, SettleOptions{}, wire::AckRequest::Builder(request));
  return settled(kj::mv(request), receipts.size());
}

BrokerCalls::Settled BrokerCalls::extend(const std::vector<Receipt>& receipts, Duration lease) {
  DirectRequest<wire::ExtendRequest, wire::SettleReply> request(caller_, "extendBatch");
  convert::write(receipts, lease, {}, wire::ExtendRequest::Builder(request));
  return settled(kj::mv(request), receipts.size());
}

BrokerCalls::Settled BrokerCalls::start(const std::vector<Receipt>& receipts) {
  DirectRequest<wire::StartRequest, wire::SettleReply> request(caller_, "startBatch");
  convert::write(receipts, wire::StartRequest::Builder(request));
  return settled(kj::mv(request), receipts.size());
}

BrokerCalls::Settled BrokerCalls::release(const std::vector<Receipt>& receipts) {
  DirectRequest<wire::ReleaseRequest, wire::SettleReply> request(caller_, "releaseBatch");
  convert::write(receipts, ReleaseOptions{.delay = Duration{0}}, wire::ReleaseRequest::Builder(request));
  return settled(kj::mv(request), receipts.size());
}

Promised<Redriven> BrokerCalls::redrive(const std::string& queue, const RedriveOptions& options) {
  DirectRequest<wire::RedriveRequest, wire::RedriveReply> request(caller_, "redrive");
  convert::write(queue, options, wire::RedriveRequest::Builder(request));
  return sent<Redriven>(kj::mv(request));
}

Promised<std::vector<TaskStatus>> BrokerCalls::redrives() {
  return sent<std::vector<TaskStatus>>(
      DirectRequest<wire::ListRedrivesRequest, wire::ListRedrivesReply>(caller_, "listRedrives"));
}

Promised<TaskStatus> BrokerCalls::cancel_redrive(TaskId task) {
  DirectRequest<wire::CancelRedriveRequest, wire::TaskReply> request(caller_, "cancelRedrive");
  convert::write(task, std::string(), wire::CancelRedriveRequest::Builder(request));
  return sent<TaskStatus>(kj::mv(request));
}

}  // namespace holdfast::server::sqs
