// The verbs. An engine in this process (engine.h) and a server elsewhere (client.h) are used the same
// way: both are a Broker.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "holdfast/dead_letter.h"
#include "holdfast/dead_letter_changes.h"
#include "holdfast/dead_letter_query.h"
#include "holdfast/dead_letter_statistics.h"
#include "holdfast/error.h"
#include "holdfast/findings.h"
#include "holdfast/ids.h"
#include "holdfast/journal.h"
#include "holdfast/message.h"
#include "holdfast/operations.h"
#include "holdfast/peek.h"
#include "holdfast/queue.h"
#include "holdfast/redrive.h"
#include "holdfast/statistics.h"
#include "holdfast/time.h"

namespace holdfast {

struct SendOptions {
  std::optional<Durability> durability = {};  // default: the queue's
  std::string request_id = {};                // see Broker; empty: none
  // Of a client: what has not left within this time does not leave at all (kUnavailable, or kOutcomeUnknown
  // if an earlier attempt did), also where ClientOptions::call_timeout is longer. An engine waits for no
  // connection, and answers when it has an answer. A Broker that wraps another one passes it on.
  std::optional<Duration> within = {};
};

struct ReceiveOptions {
  // At most this many, 1..limits::kReceiveMax, and limits::kBatchBytes of bodies and attributes.
  std::size_t max = 1;
  std::optional<Duration> lease = {};  // default: the queue's; limits::kLeaseMin..kLeaseMax
  Duration wait{0};        // block until a message is there, at most this long; 0..limits::kWaitMax
  Consumer consumer = {};  // for the failure record, should a delivery fail
  // The deliveries are not charged until start() says so. One that is never started goes back to its
  // place uncharged and without a failure, whether it is released, its lease runs out or the engine crashes.
  bool prefetch = false;
};

struct SettleOptions {
  std::optional<Durability> durability = {};  // of an ack or reject; default: the queue's
  std::string request_id = {};                // see Broker; empty: none
  // Of an ack of a dead letter: who did it, for the audit of its record. Empty: its consumer's instance.
  std::string actor = {};
};

struct ReleaseOptions {
  // Hand out again after this long, 0..limits::kDelayMax. Default: the queue's retry policy if the delivery
  // is charged, at once if not.
  std::optional<Duration> delay = {};
  bool count = true;  // false: this delivery is not charged
  // Where it goes. Default: what the queue's retry policy says if the delivery is charged, to its place if
  // not. kTail is refused (kInvalidArgument) of a message of an ordered queue, and of a dead letter.
  std::optional<ReturnTo> to = {};
  // Why the delivery failed. It is kept until the message is settled, and is in the failure record should the
  // message die. Only with `count` (else kInvalidArgument): what is not charged did not fail. A prefetched
  // delivery begins with it, since who says why it failed has tried it.
  Failure failure = {};
};

struct ExtendOptions {
  // The consumer lets the lease run out, and says why: the delivery then fails with this. What settles it
  // before that counts instead. A prefetched delivery begins with it.
  Failure lets_run_out = {};
};

// All calls are thread-safe and block until their effect is as durable as asked; none throws.
// Without other word, an error means that the call had no effect; kOutcomeUnknown means that it may have had
// it, and so does kStorageFailed for the calls in flight when a write fails. Every call can answer kClosed,
// kStorageFailed and kCorruption; a client's also kUnavailable, kOutcomeUnknown and kOverloaded.
//
// Batch calls answer per entry, in the order of the entries: one bad entry does not spoil the
// others. The outer error is for what concerns the whole call (no such queue, too many entries).
// The good entries of a batch are not atomic together: after a crash some may have had their effect.
//
// A send, ack, reject, redrive or park with a request id (any text of 1..limits::kRequestIdBytes bytes that
// names this one call among all of all callers: random, say) may be repeated when its outcome is unknown.
// Within limits::kRequestWindow, and up to about twice that, a call that had an effect has it once: the
// repetition, with the same arguments, waits for the first if it is under way, changes nothing and gives its
// answer again, the same message ids included; after a restart or a crash too, as long as the effect itself
// survived. Time in which no engine is open does not count, nor does time for which its process stands still,
// but for the first ten seconds of each standstill. Of a batch that was
// cut short it does the rest.
// With other arguments it is kInvalidArgument. What failed as a whole may be tried again under the same id.
class Broker {
 public:
  virtual ~Broker() = default;

  // --- queues. Always fsynced. ---

  // Creates a queue. If it exists with the same options this does nothing; with others: kQueueExists.
  virtual Result<QueueDeclared> create_queue(std::string_view name, QueueOptions options = {}) = 0;
  // Changes options. A change of max_deliveries counts from the next failure on.
  virtual Result<QueueDeclared> alter_queue(std::string_view name, QueueChanges changes) = 0;
  // Stops deliveries, sends or both, beside what is stopped already. While deliveries are paused receives
  // wait or give nothing; leases, delays, settling and dead-lettering go on. While sends are paused they are
  // refused with kQueuePaused; dead letters and redriven messages still come in. kInvalidArgument if `what`
  // is nothing.
  virtual Result<void> pause_queue(std::string_view name, Pause what) = 0;
  // Starts them again.
  virtual Result<void> resume_queue(std::string_view name, Pause what) = 0;
  // Deletes a queue with all that is in it. kQueueInUse while another queue dead-letters to it.
  virtual Result<void> delete_queue(std::string_view name) = 0;
  // Deletes all messages, the leased ones too. Gives how many.
  virtual Result<std::uint64_t> purge_queue(std::string_view name) = 0;
  virtual Result<QueueInfo> describe_queue(std::string_view name) = 0;
  // All queues, by name.
  virtual Result<std::vector<QueueInfo>> list_queues() = 0;

  // --- messages ---

  virtual Result<Sent> send(std::string_view queue, Message message, SendOptions options = {}) = 0;
  virtual Result<std::vector<Result<Sent>>> send_batch(std::string_view queue, std::vector<Message> messages,
                                                       SendOptions options = {}) = 0;

  // Hands out up to `max` messages, oldest first, each leased to the caller. Each delivery is counted in
  // the log (buffered) before this returns. Nothing there, even after `wait`: an empty list. What cannot be
  // read is passed over: it stays, uncharged, and is tried again a second later. An error says that nothing
  // could be read, and nothing is leased. docs/state-machine.md says what waits for it all the same.
  virtual Result<Deliveries> receive(std::string_view queue, ReceiveOptions options = {}) = 0;

  // Looks at messages by place or by id, without receiving them or changing anything: those in the log, or
  // (PeekOptions::scheduled) those that wait outside it for the end of a delay; QueueCounts::waiting counts
  // both kinds of waiting ones. Not shown is what is not committed.
  virtual Result<PeekPage> peek(std::string_view queue, PeekOptions options = {}) = 0;

  // Done: the message is gone.
  virtual Result<void> ack(const Receipt& receipt, SettleOptions options = {}) = 0;
  virtual std::vector<Result<void>> ack_batch(std::span<const Receipt> receipts,
                                              SettleOptions options = {}) = 0;

  // The lease now ends `lease` from now. Buffered.
  virtual Result<void> extend(const Receipt& receipt, Duration lease, ExtendOptions options = {}) = 0;
  virtual std::vector<Result<void>> extend_batch(std::span<const Receipt> receipts, Duration lease,
                                                 ExtendOptions options = {}) = 0;

  // Work on a prefetched delivery (ReceiveOptions::prefetch) starts: in one write (buffered) it is charged
  // and its lease begins anew. Once is enough: again it only renews that. An ordinary delivery stays as it
  // is.
  virtual Result<void> start(const Receipt& receipt) = 0;
  virtual std::vector<Result<void>> start_batch(std::span<const Receipt> receipts) = 0;

  // Gives the message back, to be handed out again now or after a delay. A charged delivery that was the
  // last one allowed dead-letters the message instead. Buffered.
  virtual Result<void> release(const Receipt& receipt, ReleaseOptions options = {}) = 0;
  virtual std::vector<Result<void>> release_batch(std::span<const Receipt> receipts,
                                                  ReleaseOptions options = {}) = 0;

  // Dead-letters the message now, with the reason. kNoDeadLetterQueue if the queue has none and does not
  // discard. Of a batch of large messages a few MiB at a time are moved and committed.
  virtual Result<void> reject(const Receipt& receipt, Rejection rejection, SettleOptions options = {}) = 0;
  virtual std::vector<Result<void>> reject_batch(std::span<const Receipt> receipts,
                                                 const Rejection& rejection, SettleOptions options = {}) = 0;

  // --- dead letters ---

  // Looks at the dead letters of a queue without receiving them, by time of death.
  virtual Result<DeadLetterPage> list_dead_letters(std::string_view queue,
                                                   ListDeadLettersOptions options = {}) = 0;
  // Looks for dead letters in all queues, or in several: where a message is, or all that belong to a
  // customer. Queue by queue, by name. kQueueNotFound for a queue that is named and not there.
  virtual Result<FoundDeadLetters> find_dead_letters(FindDeadLettersOptions options = {}) = 0;
  // Counts them by what they have in common, the largest groups first.
  virtual Result<DeadLetterGroups> group_dead_letters(std::string_view queue,
                                                      GroupDeadLettersOptions options = {}) = 0;
  // How many there are by age, and how many came in each of the last hours and days, by cause and category.
  // Counted in the same atomic write as the death, so that restarts and crashes change nothing; asking reads
  // no records. Arrivals outlive a purge. kLimitExceeded.
  virtual Result<DeadLetterStatistics> dead_letter_statistics(std::string_view queue,
                                                              DeadLetterStatisticsOptions options = {}) = 0;
  // One with everything, by its message's id or its own. kMessageNotFound.
  Result<DeadLetter> get_dead_letter(std::string_view queue, const MessageId& id, Redaction redact = {});
  Result<DeadLetter> get_dead_letter(std::string_view queue, Seq seq, Redaction redact = {});

  // Sets status and assignee, adds a note. In bounded steps, each one atomic write; after a crash some may be
  // changed and others not. Fsynced. Leased ones and history are changed too.
  virtual Result<DeadLettersChanged> change_dead_letters(std::string_view queue,
                                                         DeadLetterSelection selection,
                                                         DeadLetterChanges changes) = 0;
  // Deletes the messages for good; their records stay, without body, as abandoned history for as long as the
  // queue's retention says. In bounded steps, each one atomic write. Fsynced.
  virtual Result<DeadLettersChanged> discard_dead_letters(std::string_view queue,
                                                          DeadLetterSelection selection) = 0;

  // Puts dead letters of an archive or an export back, with message, record and triage, under their own ids;
  // at most limits::kListPage, and limits::kBatchBytes of bodies and attributes. One atomic write. Fsynced.
  // Retention counts from now; redrive goes by the name of their source. The history of discarded ones goes.
  // kInvalidArgument for what no engine writes, as a time before 1970: see limits::kImportedTimeMax.
  virtual Result<DeadLettersImported> import_dead_letters(std::string_view queue,
                                                          std::vector<DeadLetter> letters) = 0;

  // Moves the dead letters that are in `queue` now back to the queues they came from: same id, body and
  // attributes, delivery count reset, replay count raised. What dies meanwhile stays. Blocks until it is
  // done; after a crash, reopening the engine finishes it. kInvalidArgument if the options have a rate: only
  // a started task can wait. kMessageNotFound, and no task, if the filter names dead letters and none of them
  // is there. kDiskFull, and no task, while the device is down to its reserve
  // (EngineOptions::free_space_reserve). Once there is a task, the answer never is that nothing was done:
  // kOutcomeUnknown, whose message names the task, if it could not be waited for (it goes on when there is
  // space, or when the engine is opened again) or has failed, which keeps what it has moved; redrive_status
  // tells of it. With a request id an engine that closes meanwhile answers kClosed: a repetition, once it is
  // open again, waits for the same task. Fsynced.
  virtual Result<Redriven> redrive(std::string_view queue, RedriveOptions options = {}) = 0;

  // Moves dead letters, records and all, to the queue's parking_queue or to `to`, where nothing moves them by
  // itself. Options for edits and max_replays are refused. Otherwise as redrive.
  virtual Result<Redriven> park(std::string_view queue, RedriveOptions options = {}) = 0;

  // redrive as a task in the background; returns when the task is on disk. Tasks of one queue may run side
  // by side: a message is moved by one of them. A task that runs waits while there is no space.
  virtual Result<TaskId> start_redrive(std::string_view queue, RedriveOptions options = {}) = 0;
  // kTaskNotFound. Of tasks that have ended, the last limits::kFinishedTasks are remembered.
  virtual Result<TaskStatus> redrive_status(TaskId id) = 0;
  // All that are remembered, oldest first.
  virtual Result<std::vector<TaskStatus>> list_redrives() = 0;
  // Ends a task; what it has moved stays moved. One that has ended stays as it is. `actor`: who asks, for
  // TaskStatus::cancelled_by; at most limits::kActorBytes. kTaskNotFound. Fsynced.
  virtual Result<TaskStatus> cancel_redrive(TaskId id, std::string actor = {}) = 0;
  // A dry run: counts what redrive would do now, and changes nothing. An edit is tried too. `redact`: what
  // its sample leaves out.
  virtual Result<RedrivePreview> preview_redrive(std::string_view queue, RedriveOptions options = {},
                                                 Redaction redact = {}) = 0;
  // A dry run of park: counts what it would do now, and changes nothing.
  virtual Result<RedrivePreview> preview_park(std::string_view queue, RedriveOptions options = {},
                                              Redaction redact = {}) = 0;

  // --- journals ---

  // Where a message has been, over all queues, as far as the queues that it was in keep a journal
  // (QueueOptions::journal) and still remember it; what is committed. A move between queues is remembered if
  // either of them keeps one. A message that nobody remembers has no steps; nor has one of a queue that was
  // deleted.
  virtual Result<MessageHistory> message_history(const MessageId& id) = 0;

  // --- operations ---

  // Adds a backup of everything to a directory of backups, creating it if it is missing. Goes on beside all
  // other calls and holds none of them up. The backup is a consistent prefix of what was committed:
  // everything committed when this was called, buffered or not, and of what came later all up to some moment.
  // Incremental: table files that an earlier backup in the directory has are not copied again.
  // kInvalidArgument if the directory holds something else, or is in the engine's own; kStorageFailed;
  // kDiskFull if it would leave less than EngineOptions::free_space_reserve on the device that it goes to;
  // kClosed, and no backup, if the engine is closed meanwhile. For a client `directory` is a name within the
  // directory that the server was told to keep backups in (holdfastd --backups); kPermissionDenied if there
  // is none.
  virtual Result<BackupInfo> backup(const std::filesystem::path& directory, BackupOptions options = {}) = 0;
  // Numbers about everything, and about one queue.
  virtual Result<EngineStatistics> statistics() = 0;
  virtual Result<QueueStatistics> queue_statistics(std::string_view queue) = 0;
  // Rewrites what is on disk without what was removed, now instead of when RocksDB gets to it: one queue's
  // rows, or with an empty name everything. Slows other calls down; may take long. kClosed if the engine is
  // closed meanwhile; what was rewritten by then stays so.
  virtual Result<void> compact(std::string_view queue = {}) = 0;
  // Reads everything once and reports what is not as it has to be. Changes nothing. kClosed, and no report,
  // if the engine is closed meanwhile.
  virtual Result<VerifyReport> verify() = 0;
  // The engine's time, that all its stamps are of: what an age is to be taken by. It follows the wall clock
  // of the engine's machine. A client reckons it from when it last connected, whatever the clock of its own
  // machine says.
  virtual Timestamp now() const = 0;
};

}  // namespace holdfast

// Each verb again, by name alone: how many parameters it takes, and how many of them, the last ones, have a
// default. The overrides of Engine and Client and the calls of ClientVerbs are made of this list
// (holdfast/detail/verbs.h). Without one of the verbs here Engine and Client are abstract, and do not
// compile.
#define HOLDFAST_VERBS(FORM)         \
  FORM(create_queue, 2, 1)           \
  FORM(alter_queue, 2, 0)            \
  FORM(pause_queue, 2, 0)            \
  FORM(resume_queue, 2, 0)           \
  FORM(delete_queue, 1, 0)           \
  FORM(purge_queue, 1, 0)            \
  FORM(describe_queue, 1, 0)         \
  FORM(list_queues, 0, 0)            \
  FORM(send, 3, 1)                   \
  FORM(send_batch, 3, 1)             \
  FORM(receive, 2, 1)                \
  FORM(peek, 2, 1)                   \
  FORM(ack, 2, 1)                    \
  FORM(ack_batch, 2, 1)              \
  FORM(extend, 3, 1)                 \
  FORM(extend_batch, 3, 1)           \
  FORM(start, 1, 0)                  \
  FORM(start_batch, 1, 0)            \
  FORM(release, 2, 1)                \
  FORM(release_batch, 2, 1)          \
  FORM(reject, 3, 1)                 \
  FORM(reject_batch, 3, 1)           \
  FORM(list_dead_letters, 2, 1)      \
  FORM(find_dead_letters, 1, 1)      \
  FORM(group_dead_letters, 2, 1)     \
  FORM(dead_letter_statistics, 2, 1) \
  FORM(change_dead_letters, 3, 0)    \
  FORM(discard_dead_letters, 2, 0)   \
  FORM(import_dead_letters, 2, 0)    \
  FORM(redrive, 2, 1)                \
  FORM(park, 2, 1)                   \
  FORM(start_redrive, 2, 1)          \
  FORM(redrive_status, 1, 0)         \
  FORM(list_redrives, 0, 0)          \
  FORM(cancel_redrive, 2, 1)         \
  FORM(preview_redrive, 3, 2)        \
  FORM(preview_park, 3, 2)           \
  FORM(message_history, 1, 0)        \
  FORM(backup, 2, 1)                 \
  FORM(statistics, 0, 0)             \
  FORM(queue_statistics, 1, 0)       \
  FORM(compact, 1, 1)                \
  FORM(verify, 0, 0)
