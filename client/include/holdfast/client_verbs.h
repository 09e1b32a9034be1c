// The verbs of Client, as calls to be made: each takes what the verb of the same name takes, and gives a
// ClientCall of what that gives. The arguments are copied or moved into the call.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "holdfast/broker.h"
#include "holdfast/client_call.h"
#include "holdfast/drain.h"

namespace holdfast {

namespace client {
class Caller;
}

// What Client::async_call gives to its function.
class ClientVerbs {
 public:
  explicit ClientVerbs(client::Caller& caller) : caller_(caller) {}

  ClientCall<Result<QueueDeclared>> create_queue(std::string_view name, QueueOptions options = {}) const;
  ClientCall<Result<QueueDeclared>> alter_queue(std::string_view name, QueueChanges changes) const;
  ClientCall<Result<void>> pause_queue(std::string_view name, Pause what) const;
  ClientCall<Result<void>> resume_queue(std::string_view name, Pause what) const;
  ClientCall<Result<void>> delete_queue(std::string_view name) const;
  ClientCall<Result<std::uint64_t>> purge_queue(std::string_view name) const;
  ClientCall<Result<QueueInfo>> describe_queue(std::string_view name) const;
  ClientCall<Result<std::vector<QueueInfo>>> list_queues() const;

  ClientCall<Result<Sent>> send(std::string_view queue, Message message, SendOptions options = {}) const;
  ClientCall<Result<std::vector<Result<Sent>>>> send_batch(std::string_view queue,
                                                           std::vector<Message> messages,
                                                           SendOptions options = {}) const;
  ClientCall<Result<Deliveries>> receive(std::string_view queue, ReceiveOptions options = {}) const;
  ClientCall<Result<PeekPage>> peek(std::string_view queue, PeekOptions options = {}) const;
  ClientCall<Result<MessageHistory>> message_history(const MessageId& id) const;

  using Settled = ClientCall<std::vector<Result<void>>>;
  ClientCall<Result<void>> ack(const Receipt& receipt, SettleOptions options = {}) const;
  Settled ack_batch(std::span<const Receipt> receipts, SettleOptions options = {}) const;
  ClientCall<Result<void>> extend(const Receipt& receipt, Duration lease, ExtendOptions options = {}) const;
  Settled extend_batch(std::span<const Receipt> receipts, Duration lease, ExtendOptions options = {}) const;
  ClientCall<Result<void>> start(const Receipt& receipt) const;
  Settled start_batch(std::span<const Receipt> receipts) const;
  ClientCall<Result<void>> release(const Receipt& receipt, ReleaseOptions options = {}) const;
  Settled release_batch(std::span<const Receipt> receipts, ReleaseOptions options = {}) const;
  ClientCall<Result<void>> reject(const Receipt& receipt, Rejection rejection,
                                  SettleOptions options = {}) const;
  Settled reject_batch(std::span<const Receipt> receipts, Rejection rejection,
                       SettleOptions options = {}) const;

  ClientCall<Result<DeadLetterPage>> list_dead_letters(std::string_view queue,
                                                       ListDeadLettersOptions options = {}) const;
  ClientCall<Result<FoundDeadLetters>> find_dead_letters(FindDeadLettersOptions options = {}) const;
  ClientCall<Result<DeadLetterGroups>> group_dead_letters(std::string_view queue,
                                                          GroupDeadLettersOptions options = {}) const;
  ClientCall<Result<DeadLetterStatistics>> dead_letter_statistics(
      std::string_view queue, DeadLetterStatisticsOptions options = {}) const;
  ClientCall<Result<DeadLettersChanged>> change_dead_letters(std::string_view queue,
                                                             DeadLetterSelection selection,
                                                             DeadLetterChanges changes) const;
  ClientCall<Result<DeadLettersChanged>> discard_dead_letters(std::string_view queue,
                                                              DeadLetterSelection selection) const;
  ClientCall<Result<DeadLettersImported>> import_dead_letters(std::string_view queue,
                                                              std::vector<DeadLetter> letters) const;
  ClientCall<Result<Redriven>> redrive(std::string_view queue, RedriveOptions options = {}) const;
  ClientCall<Result<Redriven>> park(std::string_view queue, RedriveOptions options = {}) const;
  ClientCall<Result<TaskId>> start_redrive(std::string_view queue, RedriveOptions options = {}) const;
  ClientCall<Result<TaskStatus>> redrive_status(TaskId id) const;
  ClientCall<Result<std::vector<TaskStatus>>> list_redrives() const;
  ClientCall<Result<TaskStatus>> cancel_redrive(TaskId id, std::string actor = {}) const;
  ClientCall<Result<RedrivePreview>> preview_redrive(std::string_view queue, RedriveOptions options = {},
                                                     Redaction redact = {}) const;
  ClientCall<Result<RedrivePreview>> preview_park(std::string_view queue, RedriveOptions options = {},
                                                  Redaction redact = {}) const;

  ClientCall<Result<BackupInfo>> backup(const std::filesystem::path& directory,
                                        BackupOptions options = {}) const;
  ClientCall<Result<EngineStatistics>> statistics() const;
  ClientCall<Result<QueueStatistics>> queue_statistics(std::string_view queue) const;
  ClientCall<Result<void>> compact(std::string_view queue = {}) const;
  ClientCall<Result<VerifyReport>> verify() const;

  ClientCall<Result<DrainStatus>> drain(DrainOptions options = {}) const;
  ClientCall<Result<DrainStatus>> drain_status(Duration wait = {}) const;
  ClientCall<Result<DrainStatus>> resume() const;

 private:
  client::Caller& caller_;
};

}  // namespace holdfast
