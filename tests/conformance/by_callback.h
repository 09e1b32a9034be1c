// A client whose every verb goes through its operation of asio.h.
#pragma once

#include <boost/asio/use_future.hpp>

#include "holdfast/asio.h"
#include "holdfast/client.h"

namespace holdfast::testing {

class ByCallback final : public Broker {
 private:
  // Of an operation that is started by start(token).
  template <class Start>
  static auto result_of(Start start) {
    return start(boost::asio::use_future).get();
  }

 public:
  explicit ByCallback(Client& client) : broker_(client) {}

  Result<QueueDeclared> create_queue(std::string_view name, QueueOptions options) override {
    return result_of([&](auto token) {
      return async_create_queue(broker_, std::string(name), std::move(options), token);
    });
  }

  Result<QueueDeclared> alter_queue(std::string_view name, QueueChanges changes) override {
    return result_of(
        [&](auto token) { return async_alter_queue(broker_, std::string(name), std::move(changes), token); });
  }

  Result<void> pause_queue(std::string_view name, Pause what) override {
    return result_of([&](auto token) { return async_pause_queue(broker_, std::string(name), what, token); });
  }

  Result<void> resume_queue(std::string_view name, Pause what) override {
    return result_of([&](auto token) { return async_resume_queue(broker_, std::string(name), what, token); });
  }

  Result<void> delete_queue(std::string_view name) override {
    return result_of([&](auto token) { return async_delete_queue(broker_, std::string(name), token); });
  }

  Result<std::uint64_t> purge_queue(std::string_view name) override {
    return result_of([&](auto token) { return async_purge_queue(broker_, std::string(name), token); });
  }

  Result<QueueInfo> describe_queue(std::string_view name) override {
    return result_of([&](auto token) { return async_describe_queue(broker_, std::string(name), token); });
  }

  Result<std::vector<QueueInfo>> list_queues() override {
    return result_of([&](auto token) { return async_list_queues(broker_, token); });
  }

  Result<Sent> send(std::string_view queue, Message message, SendOptions options) override {
    return result_of([&](auto token) {
      return async_send(broker_, std::string(queue), std::move(message), std::move(options), token);
    });
  }

  Result<std::vector<Result<Sent>>> send_batch(std::string_view queue, std::vector<Message> messages,
                                               SendOptions options) override {
    return result_of([&](auto token) {
      return async_send_batch(broker_, std::string(queue), std::move(messages), std::move(options), token);
    });
  }

  Result<Deliveries> receive(std::string_view queue, ReceiveOptions options) override {
    return result_of(
        [&](auto token) { return async_receive(broker_, std::string(queue), std::move(options), token); });
  }

  Result<PeekPage> peek(std::string_view queue, PeekOptions options) override {
    return result_of(
        [&](auto token) { return async_peek(broker_, std::string(queue), std::move(options), token); });
  }

  Result<MessageHistory> message_history(const MessageId& id) override {
    return result_of([&](auto token) { return async_message_history(broker_, id, token); });
  }

  Result<void> ack(const Receipt& receipt, SettleOptions options) override {
    return result_of([&](auto token) { return async_ack(broker_, receipt, std::move(options), token); });
  }

  std::vector<Result<void>> ack_batch(std::span<const Receipt> receipts, SettleOptions options) override {
    return result_of([&](auto token) {
      return async_ack_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()),
                             std::move(options), token);
    });
  }

  Result<void> extend(const Receipt& receipt, Duration lease, ExtendOptions options) override {
    return result_of(
        [&](auto token) { return async_extend(broker_, receipt, lease, std::move(options), token); });
  }

  std::vector<Result<void>> extend_batch(std::span<const Receipt> receipts, Duration lease,
                                         ExtendOptions options) override {
    return result_of([&](auto token) {
      return async_extend_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()), lease,
                                std::move(options), token);
    });
  }

  Result<void> start(const Receipt& receipt) override {
    return result_of([&](auto token) { return async_start(broker_, receipt, token); });
  }

  std::vector<Result<void>> start_batch(std::span<const Receipt> receipts) override {
    return result_of([&](auto token) {
      return async_start_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()), token);
    });
  }

  Result<void> release(const Receipt& receipt, ReleaseOptions options) override {
    return result_of([&](auto token) { return async_release(broker_, receipt, std::move(options), token); });
  }

  std::vector<Result<void>> release_batch(std::span<const Receipt> receipts,
                                          ReleaseOptions options) override {
    return result_of([&](auto token) {
      return async_release_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()),
                                 std::move(options), token);
    });
  }

  Result<void> reject(const Receipt& receipt, Rejection rejection, SettleOptions options) override {
    return result_of([&](auto token) {
      return async_reject(broker_, receipt, std::move(rejection), std::move(options), token);
    });
  }

  std::vector<Result<void>> reject_batch(std::span<const Receipt> receipts, const Rejection& rejection,
                                         SettleOptions options) override {
    return result_of([&](auto token) {
      return async_reject_batch(broker_, std::vector<Receipt>(receipts.begin(), receipts.end()), rejection,
                                std::move(options), token);
    });
  }

  Result<DeadLetterPage> list_dead_letters(std::string_view queue, ListDeadLettersOptions options) override {
    return result_of([&](auto token) {
      return async_list_dead_letters(broker_, std::string(queue), std::move(options), token);
    });
  }

  Result<FoundDeadLetters> find_dead_letters(FindDeadLettersOptions options) override {
    return result_of([&](auto token) { return async_find_dead_letters(broker_, std::move(options), token); });
  }

  Result<DeadLetterGroups> group_dead_letters(std::string_view queue,
                                              GroupDeadLettersOptions options) override {
    return result_of([&](auto token) {
      return async_group_dead_letters(broker_, std::string(queue), std::move(options), token);
    });
  }

  Result<DeadLetterStatistics> dead_letter_statistics(std::string_view queue,
                                                      DeadLetterStatisticsOptions options) override {
    return result_of([&](auto token) {
      return async_dead_letter_statistics(broker_, std::string(queue), std::move(options), token);
    });
  }

  Result<DeadLettersChanged> change_dead_letters(std::string_view queue, DeadLetterSelection selection,
                                                 DeadLetterChanges changes) override {
    return result_of([&](auto token) {
      return async_change_dead_letters(broker_, std::string(queue), std::move(selection), std::move(changes),
                                       token);
    });
  }

  Result<DeadLettersChanged> discard_dead_letters(std::string_view queue,
                                                  DeadLetterSelection selection) override {
    return result_of([&](auto token) {
      return async_discard_dead_letters(broker_, std::string(queue), std::move(selection), token);
    });
  }

  Result<DeadLettersImported> import_dead_letters(std::string_view queue,
                                                  std::vector<DeadLetter> letters) override {
    return result_of([&](auto token) {
      return async_import_dead_letters(broker_, std::string(queue), std::move(letters), token);
    });
  }

  Result<Redriven> redrive(std::string_view queue, RedriveOptions options) override {
    return result_of(
        [&](auto token) { return async_redrive(broker_, std::string(queue), std::move(options), token); });
  }

  Result<Redriven> park(std::string_view queue, RedriveOptions options) override {
    return result_of(
        [&](auto token) { return async_park(broker_, std::string(queue), std::move(options), token); });
  }

  Result<TaskId> start_redrive(std::string_view queue, RedriveOptions options) override {
    return result_of([&](auto token) {
      return async_start_redrive(broker_, std::string(queue), std::move(options), token);
    });
  }

  Result<TaskStatus> redrive_status(TaskId id) override {
    return result_of([&](auto token) { return async_redrive_status(broker_, id, token); });
  }

  Result<std::vector<TaskStatus>> list_redrives() override {
    return result_of([&](auto token) { return async_list_redrives(broker_, token); });
  }

  Result<TaskStatus> cancel_redrive(TaskId id, std::string actor) override {
    return result_of([&](auto token) { return async_cancel_redrive(broker_, id, std::move(actor), token); });
  }

  Result<RedrivePreview> preview_redrive(std::string_view queue, RedriveOptions options,
                                         Redaction redact) override {
    return result_of([&](auto token) {
      return async_preview_redrive(broker_, std::string(queue), std::move(options), std::move(redact), token);
    });
  }

  Result<RedrivePreview> preview_park(std::string_view queue, RedriveOptions options,
                                      Redaction redact) override {
    return result_of([&](auto token) {
      return async_preview_park(broker_, std::string(queue), std::move(options), std::move(redact), token);
    });
  }

  Result<BackupInfo> backup(const std::filesystem::path& directory, BackupOptions options) override {
    return result_of([&](auto token) { return async_backup(broker_, directory, std::move(options), token); });
  }

  Result<EngineStatistics> statistics() override {
    return result_of([&](auto token) { return async_statistics(broker_, token); });
  }

  Result<QueueStatistics> queue_statistics(std::string_view queue) override {
    return result_of([&](auto token) { return async_queue_statistics(broker_, std::string(queue), token); });
  }

  Result<void> compact(std::string_view queue) override {
    return result_of([&](auto token) { return async_compact(broker_, std::string(queue), token); });
  }

  Timestamp now() const override { return broker_.now(); }
  Result<VerifyReport> verify() override {
    return result_of([&](auto token) { return async_verify(broker_, token); });
  }

 private:
  Client& broker_;
};

}  // namespace holdfast::testing
