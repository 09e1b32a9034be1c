// The verbs that block: each makes its call and waits for the answer.
#include "client/calls/caller.h"

namespace holdfast {

Result<QueueDeclared> Client::create_queue(std::string_view name, QueueOptions options) {
  return impl_->wait(verbs().create_queue(name, std::move(options)));
}

Result<QueueDeclared> Client::alter_queue(std::string_view name, QueueChanges changes) {
  return impl_->wait(verbs().alter_queue(name, std::move(changes)));
}

Result<void> Client::pause_queue(std::string_view name, Pause what) {
  return impl_->wait(verbs().pause_queue(name, what));
}

Result<void> Client::resume_queue(std::string_view name, Pause what) {
  return impl_->wait(verbs().resume_queue(name, what));
}

Result<void> Client::delete_queue(std::string_view name) { return impl_->wait(verbs().delete_queue(name)); }

Result<std::uint64_t> Client::purge_queue(std::string_view name) {
  return impl_->wait(verbs().purge_queue(name));
}

Result<QueueInfo> Client::describe_queue(std::string_view name) {
  return impl_->wait(verbs().describe_queue(name));
}

Result<std::vector<QueueInfo>> Client::list_queues() { return impl_->wait(verbs().list_queues()); }

Result<Sent> Client::send(std::string_view queue, Message message, SendOptions options) {
  return impl_->wait(verbs().send(queue, std::move(message), std::move(options)));
}

Result<std::vector<Result<Sent>>> Client::send_batch(std::string_view queue, std::vector<Message> messages,
                                                     SendOptions options) {
  return impl_->wait(verbs().send_batch(queue, std::move(messages), std::move(options)));
}

Result<Deliveries> Client::receive(std::string_view queue, ReceiveOptions options) {
  return impl_->wait(verbs().receive(queue, std::move(options)));
}

Result<PeekPage> Client::peek(std::string_view queue, PeekOptions options) {
  return impl_->wait(verbs().peek(queue, std::move(options)));
}

Result<MessageHistory> Client::message_history(const MessageId& id) {
  return impl_->wait(verbs().message_history(id));
}

Result<void> Client::ack(const Receipt& receipt, SettleOptions options) {
  return impl_->wait(verbs().ack(receipt, std::move(options)));
}

std::vector<Result<void>> Client::ack_batch(std::span<const Receipt> receipts, SettleOptions options) {
  return impl_->wait(verbs().ack_batch(receipts, std::move(options)));
}

Result<void> Client::extend(const Receipt& receipt, Duration lease, ExtendOptions options) {
  return impl_->wait(verbs().extend(receipt, lease, std::move(options)));
}

std::vector<Result<void>> Client::extend_batch(std::span<const Receipt> receipts, Duration lease,
                                               ExtendOptions options) {
  return impl_->wait(verbs().extend_batch(receipts, lease, std::move(options)));
}

Result<void> Client::start(const Receipt& receipt) { return impl_->wait(verbs().start(receipt)); }

std::vector<Result<void>> Client::start_batch(std::span<const Receipt> receipts) {
  return impl_->wait(verbs().start_batch(receipts));
}

Result<void> Client::release(const Receipt& receipt, ReleaseOptions options) {
  return impl_->wait(verbs().release(receipt, std::move(options)));
}

std::vector<Result<void>> Client::release_batch(std::span<const Receipt> receipts, ReleaseOptions options) {
  return impl_->wait(verbs().release_batch(receipts, std::move(options)));
}

Result<void> Client::reject(const Receipt& receipt, Rejection rejection, SettleOptions options) {
  return impl_->wait(verbs().reject(receipt, std::move(rejection), std::move(options)));
}

std::vector<Result<void>> Client::reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                               SettleOptions options) {
  return impl_->wait(verbs().reject_batch(receipts, rejection, std::move(options)));
}

Result<DeadLetterPage> Client::list_dead_letters(std::string_view queue, ListDeadLettersOptions options) {
  return impl_->wait(verbs().list_dead_letters(queue, std::move(options)));
}

Result<FoundDeadLetters> Client::find_dead_letters(FindDeadLettersOptions options) {
  return impl_->wait(verbs().find_dead_letters(std::move(options)));
}

Result<DeadLetterGroups> Client::group_dead_letters(std::string_view queue, GroupDeadLettersOptions options) {
  return impl_->wait(verbs().group_dead_letters(queue, std::move(options)));
}

Result<DeadLetterStatistics> Client::dead_letter_statistics(std::string_view queue,
                                                            DeadLetterStatisticsOptions options) {
  return impl_->wait(verbs().dead_letter_statistics(queue, std::move(options)));
}

Result<DeadLettersChanged> Client::change_dead_letters(std::string_view queue, DeadLetterSelection selection,
                                                       DeadLetterChanges changes) {
  return impl_->wait(verbs().change_dead_letters(queue, std::move(selection), std::move(changes)));
}

Result<DeadLettersChanged> Client::discard_dead_letters(std::string_view queue,
                                                        DeadLetterSelection selection) {
  return impl_->wait(verbs().discard_dead_letters(queue, std::move(selection)));
}

Result<DeadLettersImported> Client::import_dead_letters(std::string_view queue,
                                                        std::vector<DeadLetter> letters) {
  return impl_->wait(verbs().import_dead_letters(queue, std::move(letters)));
}

Result<Redriven> Client::redrive(std::string_view queue, RedriveOptions options) {
  return impl_->wait(verbs().redrive(queue, std::move(options)));
}

Result<Redriven> Client::park(std::string_view queue, RedriveOptions options) {
  return impl_->wait(verbs().park(queue, std::move(options)));
}

Result<TaskId> Client::start_redrive(std::string_view queue, RedriveOptions options) {
  return impl_->wait(verbs().start_redrive(queue, std::move(options)));
}

Result<TaskStatus> Client::redrive_status(TaskId id) { return impl_->wait(verbs().redrive_status(id)); }

Result<std::vector<TaskStatus>> Client::list_redrives() { return impl_->wait(verbs().list_redrives()); }

Result<TaskStatus> Client::cancel_redrive(TaskId id, std::string actor) {
  return impl_->wait(verbs().cancel_redrive(id, std::move(actor)));
}

Result<RedrivePreview> Client::preview_redrive(std::string_view queue, RedriveOptions options,
                                               Redaction redact) {
  return impl_->wait(verbs().preview_redrive(queue, std::move(options), std::move(redact)));
}

Result<RedrivePreview> Client::preview_park(std::string_view queue, RedriveOptions options,
                                            Redaction redact) {
  return impl_->wait(verbs().preview_park(queue, std::move(options), std::move(redact)));
}

Result<BackupInfo> Client::backup(const std::filesystem::path& directory, BackupOptions options) {
  return impl_->wait(verbs().backup(directory, std::move(options)));
}

Result<EngineStatistics> Client::statistics() { return impl_->wait(verbs().statistics()); }

Result<QueueStatistics> Client::queue_statistics(std::string_view queue) {
  return impl_->wait(verbs().queue_statistics(queue));
}

Result<void> Client::compact(std::string_view queue) { return impl_->wait(verbs().compact(queue)); }

Result<VerifyReport> Client::verify() { return impl_->wait(verbs().verify()); }

Result<DrainStatus> Client::drain(DrainOptions options) {
  return impl_->wait(verbs().drain(std::move(options)));
}

Result<DrainStatus> Client::drain_status(Duration wait) { return impl_->wait(verbs().drain_status(wait)); }

Result<DrainStatus> Client::resume() { return impl_->wait(verbs().resume()); }

}  // namespace holdfast
