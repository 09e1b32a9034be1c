// The protocol's calls, over the engine's.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "holdfast/wire/holdfast.capnp.h"
#include "server/clients/peer.h"

namespace holdfast::server {

// What one client is given. Calls of all clients meet in the engine's group commits.
class BrokerService final : public wire::Broker::Server {
 public:
  // `rights`: null if there is no access control for this client. `place`: null for its first one.
  BrokerService(std::shared_ptr<Peer> peer, std::shared_ptr<const Rights> rights,
                std::unique_ptr<Peer::CountedPlace> place = nullptr)
      : peer_(std::move(peer)),
        place_(std::move(place)),
        state_(peer_->state()),
        rights_(std::move(rights)) {}

  // Measures every call, and makes it if it may be made.
  DispatchCallResult dispatchCall(std::uint64_t interface_id, std::uint16_t method,
                                  capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer> context) override;

  kj::Promise<void> hello(HelloContext context) override;

  kj::Promise<void> authenticate(AuthenticateContext context) override;

  kj::Promise<void> createQueue(CreateQueueContext context) override;
  kj::Promise<void> alterQueue(AlterQueueContext context) override;
  kj::Promise<void> deleteQueue(DeleteQueueContext context) override;
  kj::Promise<void> purgeQueue(PurgeQueueContext context) override;
  kj::Promise<void> describeQueue(DescribeQueueContext context) override;
  kj::Promise<void> listQueues(ListQueuesContext context) override;

  kj::Promise<void> sendBatch(SendBatchContext context) override;
  kj::Promise<void> receive(ReceiveContext context) override;
  kj::Promise<void> ackBatch(AckBatchContext context) override;
  kj::Promise<void> extendBatch(ExtendBatchContext context) override;
  kj::Promise<void> releaseBatch(ReleaseBatchContext context) override;
  kj::Promise<void> rejectBatch(RejectBatchContext context) override;

  kj::Promise<void> listDeadLetters(ListDeadLettersContext context) override;
  kj::Promise<void> findDeadLetters(FindDeadLettersContext context) override;
  kj::Promise<void> groupDeadLetters(GroupDeadLettersContext context) override;
  kj::Promise<void> deadLetterStatistics(DeadLetterStatisticsContext context) override;
  kj::Promise<void> changeDeadLetters(ChangeDeadLettersContext context) override;
  kj::Promise<void> discardDeadLetters(DiscardDeadLettersContext context) override;
  kj::Promise<void> importDeadLetters(ImportDeadLettersContext context) override;

  kj::Promise<void> pauseQueue(PauseQueueContext context) override;
  kj::Promise<void> resumeQueue(ResumeQueueContext context) override;
  kj::Promise<void> peek(PeekContext context) override;
  kj::Promise<void> messageHistory(MessageHistoryContext context) override;
  kj::Promise<void> startBatch(StartBatchContext context) override;
  kj::Promise<void> redrive(RedriveContext context) override;
  kj::Promise<void> park(ParkContext context) override;
  kj::Promise<void> startRedrive(StartRedriveContext context) override;
  kj::Promise<void> redriveStatus(RedriveStatusContext context) override;
  kj::Promise<void> listRedrives(ListRedrivesContext context) override;
  kj::Promise<void> cancelRedrive(CancelRedriveContext context) override;
  kj::Promise<void> previewRedrive(PreviewRedriveContext context) override;
  kj::Promise<void> previewPark(PreviewParkContext context) override;

  kj::Promise<void> subscribe(SubscribeContext context) override;

  kj::Promise<void> backup(BackupContext context) override;
  kj::Promise<void> verify(VerifyContext context) override;
  kj::Promise<void> statistics(StatisticsContext context) override;
  kj::Promise<void> queueStatistics(QueueStatisticsContext context) override;
  kj::Promise<void> compact(CompactContext context) override;

  kj::Promise<void> drain(DrainContext context) override;
  kj::Promise<void> drainStatus(DrainStatusContext context) override;
  kj::Promise<void> resume(ResumeContext context) override;

 private:
  // Why the call is not begun, and how it is known.
  struct Refusal {
    Error error;
    bool is_of_rights = false;  // of somebody who was granted others
  };
  std::optional<Refusal> refusal_of(std::uint16_t method, capnp::AnyPointer::Reader params);
  kj::Promise<void> refuse(std::uint16_t method,
                           capnp::CallContext<capnp::AnyPointer, capnp::AnyPointer> context, Refusal refusal);
  // Who calls, for the audit: the name of the token, with what the client says of itself in brackets. Where
  // nobody has to show a token, what the client says.
  std::string actor(std::string said) const;
  // What an answer leaves out: what was asked for, and what the caller may not see.
  Redaction redaction(Redaction asked) const;
  // Whether the caller may have messages edited so. kPermissionDenied.
  Result<void> check_edit(const RedriveEdit& edit) const;
  // Whether the caller may bring these back there. kPermissionDenied, kQueueNotFound.
  Result<void> check_import(std::string_view queue, std::span<const DeadLetter> letters) const;
  // Of a queue that the caller may operate. kTaskNotFound for others too.
  Result<TaskStatus> task_of(TaskId id) const;
  bool may_operate(const TaskStatus& task) const;
  // Answers a call that redrives, would redrive or parks with `verb(engine, queue, call)`, on a thread that
  // may block. Defined and used in redrive_calls.cc.
  template <class R, class Context, class Verb>
  kj::Promise<void> answer_redrive(Context context, Verb verb);

  const std::shared_ptr<Peer> peer_;
  const std::unique_ptr<Peer::CountedPlace> place_;
  State& state_;
  const std::shared_ptr<const Rights> rights_;
};

}  // namespace holdfast::server
