// The protocol's calls as the operations of SQS make them, with the public types.
#pragma once

#include <string>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/wire/holdfast.capnp.h"
#include "server/sqs/operations/promised.h"

namespace holdfast::server::sqs {

struct VersionedQueue {
  QueueInfo info;
  std::string version;
};

// Over one client's broker, so that its rights, limits and meters apply. Dropping a promise drops the call.
class BrokerCalls {
 public:
  explicit BrokerCalls(wire::Broker::Client broker) : broker_(kj::mv(broker)) {}

  Promised<QueueInfo> describe(const std::string& queue);
  Promised<VersionedQueue> describe_version(const std::string& queue);
  Promised<std::vector<QueueInfo>> list();
  Promised<Done> create(const std::string& queue, const QueueOptions& options);
  Promised<Done> alter(const std::string& queue, const QueueChanges& changes);
  // Only from that version: false if the queue has another one by now.
  Promised<bool> alter_if(const std::string& queue, const QueueChanges& changes, const std::string& version);
  Promised<Done> remove(const std::string& queue);
  Promised<Done> purge(const std::string& queue);

  Promised<std::vector<Result<Sent>>> send(const std::string& queue, const std::vector<Message>& messages);
  Promised<Deliveries> receive(const std::string& queue, const ReceiveOptions& options);

  using Settled = kj::Promise<std::vector<Result<void>>>;
  Settled ack(const std::vector<Receipt>& receipts);
  Settled extend(const Receipt& receipt, Duration lease);
  Settled release(const std::vector<Receipt>& receipts);

  // Those of these messages that are dead letters, without their bodies.
  Promised<std::vector<DeadLetter>> dead_letters(const std::string& queue, std::vector<MessageId> ids);

  Promised<TaskId> start_redrive(const std::string& queue, const RedriveOptions& options);
  Promised<std::vector<TaskStatus>> redrives();
  Promised<TaskStatus> cancel_redrive(TaskId task);

 private:
  wire::Broker::Client broker_;
};

}  // namespace holdfast::server::sqs
