// The protocol's calls with the library's public types, as the operations of SQS make them.
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

// BrokerCalls makes calls under one caller's rights, limits and metrics. Dropping a promise drops the call.
class BrokerCalls {
 public:
  explicit BrokerCalls(std::shared_ptr<const Caller> caller) : caller_(std::move(caller)) {}

  // Checks whether the caller may receive from the queue. kAccessDenied, kQueueDoesNotExist. A call with
  // receipts answers who may not as if the messages were gone.
  Outcome<void> check_consume(const std::string& queue) const;

  Promised<QueueInfo> describe(const std::string& queue);
  Promised<VersionedQueue> describe_version(const std::string& queue);
  Promised<std::vector<QueueInfo>> list();
  Promised<Done> create(const std::string& queue, const QueueOptions& options);
  Promised<Done> alter(const std::string& queue, const QueueChanges& changes);
  // Alters the queue only if it has that version. Returns false if it has another one.
  Promised<bool> alter_if(const std::string& queue, const QueueChanges& changes, const std::string& version);
  Promised<Done> remove(const std::string& queue);
  Promised<Done> purge(const std::string& queue);

  Promised<std::vector<Result<Sent>>> send(const std::string& queue, const std::vector<Message>& messages);
  Promised<Deliveries> receive(const std::string& queue, const ReceiveOptions& options);

  // Returns the promises of the loop that serves the client.
  LoopPromises& promises() const { return caller_->state().promises; }

  using Settled = kj::Promise<std::vector<Result<void>>>;
  Settled ack(const std::vector<Receipt>& receipts);
  Settled extend(const std::vector<Receipt>& receipts, Duration lease);
  // Changes nothing about a delivery that was not prefetched, and so tells which deliveries are not over.
  Settled start(const std::vector<Receipt>& receipts);
  Settled release(const std::vector<Receipt>& receipts);

  Promised<Redriven> redrive(const std::string& queue, const RedriveOptions& options);
  Promised<std::vector<TaskStatus>> redrives();
  Promised<TaskStatus> cancel_redrive(TaskId task);

 private:
  std::shared_ptr<const Caller> caller_;
};

}  // namespace holdfast::server::sqs
