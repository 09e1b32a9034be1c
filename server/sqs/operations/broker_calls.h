// The protocol's calls as the operations of SQS make them, with the public types.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "holdfast/broker.h"
#include "server/calls/caller.h"
#include "server/sqs/operations/promised.h"

namespace holdfast::server::sqs {

struct VersionedQueue {
  QueueInfo info;
  std::string version;
};

// Of one client, so that its rights, limits and meters apply. Dropping a promise drops the call.
class BrokerCalls {
 public:
  explicit BrokerCalls(std::shared_ptr<const Caller> caller) : caller_(std::move(caller)) {}

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
  Settled extend(const std::vector<Receipt>& receipts, Duration lease);
  // Changes nothing of a delivery that was not received ahead, and so says which ones are not over.
  Settled start(const std::vector<Receipt>& receipts);
  Settled release(const std::vector<Receipt>& receipts);

  // Those of these messages that are dead letters, without their bodies.

  Promised<Redriven> redrive(const std::string& queue, const RedriveOptions& options);
  Promised<std::vector<TaskStatus>> redrives();
  Promised<TaskStatus> cancel_redrive(TaskId task);

 private:
  std::shared_ptr<const Caller> caller_;
};

}  // namespace holdfast::server::sqs
