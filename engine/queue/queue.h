// A queue as the engine runs it: its state, what it has yet to commit, and who waits for its messages. What
// owns something by itself is a part of its own: the queue's mutex guards the parts as it guards the state.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/codec/rows/chunk.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/core/lanes.h"
#include "engine/dead_letters/index/dead_letter_table.h"
#include "engine/policies/alert_watch.h"
#include "engine/policies/arrival_log.h"
#include "engine/policies/brake.h"
#include "engine/queue/dead_letter_targets.h"
#include "engine/queue/dedup_window.h"
#include "engine/queue/open_group/chunk_finder.h"
#include "engine/queue/open_group/expiry_index.h"
#include "engine/queue/open_group/failure_writes.h"
#include "engine/queue/open_group/open_chunks.h"
#include "engine/queue/open_group/schedule_writes.h"
#include "engine/queue/queue_bounds.h"
#include "engine/queue/queue_journal.h"
#include "engine/queue/queue_rows.h"
#include "engine/queue/replay_outcomes.h"
#include "engine/queue/send_memory.h"
#include "engine/queue/send_rules.h"
#include "engine/queue/waiting_receives.h"
#include "engine/services/chunk_cache.h"
#include "engine/services/latency_recorder.h"
#include "engine/services/rate_meter.h"
#include "engine/sync/atomic.h"
#include "engine/sync/mutex.h"
#include "holdfast/dead_letter_query.h"

namespace holdfast {

class Catalog;

class Queue final : public Contributor {
 public:
  Queue(QueueId queue_id, QueueDefinition definition, Lanes queue_state, ChunkCache& cache,
        const CommitPipeline& pipeline, const Catalog& catalog);

  const QueueId id;
  const std::string name;
  const Timestamp created_at;

  // What it is to remember of sends. Readable without the lock, as a hint.
  sync::Atomic<Deduplication> deduplication = Deduplication::kNone;
  // Counts what deduplication was set to. Read before that, so that what is decided by an older one is found
  // out.
  sync::Atomic<std::uint64_t> deduplication_changes = 0;
  DedupWindow dedup;
  // Whether sends to it can make others leave. Readable without the lock, as a hint.
  sync::Atomic<bool> drops_heads = false;
  // How many queues dead-letter to it, or park in it; a queue counts once for each way that leads here.
  sync::Atomic<std::int64_t> served = 0;

  // Taken inside a Pass; two queues' in the order of their ids.
  sync::Mutex mutex;

  Lanes state HOLDFAST_GUARDED_BY(mutex);
  Pause paused HOLDFAST_GUARDED_BY(mutex);

 private:
  QueueOptions options_ HOLDFAST_GUARDED_BY(mutex);  // before the parts that look at them

 public:
  // --- the parts ---

  WaitingReceives waiters HOLDFAST_GUARDED_BY(mutex);
  QueueJournal journal HOLDFAST_GUARDED_BY(mutex);
  QueueBounds bounds HOLDFAST_GUARDED_BY(mutex);
  SendRules sends HOLDFAST_GUARDED_BY(mutex);
  SendMemory send_memory HOLDFAST_GUARDED_BY(mutex);
  // What goes with the open group. A dead letter that leaves the queue loses its record by itself.
  OpenChunks chunks HOLDFAST_GUARDED_BY(mutex);
  ScheduleWrites schedule_writes HOLDFAST_GUARDED_BY(mutex);
  FailureWrites failures HOLDFAST_GUARDED_BY(mutex);
  ExpiryIndex expiries HOLDFAST_GUARDED_BY(mutex);
  ReplayOutcomes outcomes HOLDFAST_GUARDED_BY(mutex);
  DeadLetterTable dead_letters HOLDFAST_GUARDED_BY(mutex);
  ArrivalLog arrivals HOLDFAST_GUARDED_BY(mutex);  // dead letters that come, counted by the hour

  RateMeter meter HOLDFAST_GUARDED_BY(mutex);
  std::unique_ptr<LatencyRecorder> latency
      HOLDFAST_GUARDED_BY(mutex);  // from send to hand-out, in us; made by the first hand-out
  // Thread-safe itself, and made once: who was handed a message out by this queue needs no lock.
  LatencyRecorder& latency_recorder() HOLDFAST_NOT_ANALYSED { return *latency; }

  AlertWatch alerts HOLDFAST_GUARDED_BY(mutex);
  Brake brake HOLDFAST_GUARDED_BY(mutex);
  Timestamp auto_redrive_at HOLDFAST_GUARDED_BY(mutex) = Timestamp::max();
  // When PolicyRunner wants to look at this queue.
  Timestamp next_policy() const HOLDFAST_REQUIRES(mutex);

  // --- what it is ---

  const QueueOptions& options() const HOLDFAST_REQUIRES(mutex) { return options_; }
  const DeadLetterTargets& targets() const HOLDFAST_REQUIRES(mutex) { return targets_; }
  // Without the lock, holding EngineContext::catalog_mutex, which configure() is called with too.
  const QueueOptions& options_in_catalog() const HOLDFAST_NOT_ANALYSED { return options_; }
  const DeadLetterTargets& targets_in_catalog() const HOLDFAST_NOT_ANALYSED { return targets_; }
  // Where a dead letter of this category goes; null: nowhere.
  const std::shared_ptr<Queue>& dead_letter_target(std::string_view category) const HOLDFAST_REQUIRES(mutex) {
    return targets_.of(category, options_);
  }
  // `targets`: of the options' dead_letter_queue, dead_letter_routes and parking_queue.
  void configure(QueueOptions options, DeadLetterTargets targets) HOLDFAST_REQUIRES(mutex);
  QueueInfo info() const HOLDFAST_REQUIRES(mutex);
  // Whether the queue was deleted, and the group that commits that. Who meets a deletion answers by it once
  // that group is committed: until then a power loss may bring the queue back.
  bool deleted() const HOLDFAST_REQUIRES(mutex) { return deletion_ != GroupNumber{}; }
  GroupNumber deletion() const HOLDFAST_REQUIRES(mutex) { return deletion_; }
  static Error deleted_error() { return {ErrorCode::kQueueNotFound, "the queue was deleted"}; }

  // --- messages that come, with the open group ---

  // Sends a message: to the log, or to `scheduled` if it is to wait.
  void send(const MessageId& message_id, Timestamp time, const Message& message) HOLDFAST_REQUIRES(mutex);
  // Appends a message that comes from elsewhere. It gets the queue's time to live from `time` on.
  Seq append_copy(MessageView message, const Lineage& lineage, Timestamp time) HOLDFAST_REQUIRES(mutex);
  // append_copy() with the body and the attributes of `edited`.
  Seq append_edited(const MessageView& message, const Message& edited, const Lineage& lineage, Timestamp time)
      HOLDFAST_REQUIRES(mutex);
  // Appends a dead letter with its failure record. One that was redriven from this queue takes over what its
  // record of then says: see DeadLetterTable::adopt_history(). `original`: see DeadLetterTable::add().
  Seq append_dead_letter(MessageView message, const Lineage& lineage, DeadLetterRow row,
                         std::string original = {}) HOLDFAST_REQUIRES(mutex);

  // --- what happens to them: transitions of a receipt that is valid, as QueueState's, and in the journal ---

  // True if it is a dead letter: its record stays as history, with who acknowledged it, the consumer if
  // `actor` is empty.
  bool ack(Seq seq, Timestamp time, std::string actor) HOLDFAST_REQUIRES(mutex);
  void start(Seq seq, Timestamp time) HOLDFAST_REQUIRES(mutex);
  void extend(Seq seq, Timestamp until, Timestamp time) HOLDFAST_REQUIRES(mutex);
  [[nodiscard]] bool release(Seq seq, const QueueState::Return& how, Timestamp time) HOLDFAST_REQUIRES(mutex);
  // What the consumer says of the delivery's failure, should it fail, goes to disk with the open group. The
  // delivery begins.
  void describe(Seq seq, std::shared_ptr<const std::string> failure, Timestamp time) HOLDFAST_REQUIRES(mutex);

  // --- what happens to them by themselves ---

  // A message of the window that waits for long leaves it for `scheduled`.
  void spill(const MessageRef& waiting, MessageView message) HOLDFAST_REQUIRES(mutex);
  // One on its way to the tail that is due gets there.
  void move_to_tail(const MessageRef& waiting, const MessageView& message) HOLDFAST_REQUIRES(mutex);
  // A row of `scheduled` that is due enters the log. Nothing if the row was purged meanwhile.
  void enter(const SchedulePlace& place, const Chunk& row) HOLDFAST_REQUIRES(mutex);
  // Messages that expired by `time`, which is stored time, leave, as exhausted ones. Of a chunk that the
  // index named; null if it is gone.
  void expire_chunk(const keys::ExpiryPlace& place, const Chunk* chunk, Timestamp time)
      HOLDFAST_REQUIRES(mutex);
  // When this queue next has something to do by itself.
  Timestamp next_due() const HOLDFAST_REQUIRES(mutex);
  // When the next lease, delay or time of day comes.
  Timestamp next_visible() const HOLDFAST_REQUIRES(mutex);

  // All messages go with the open group. Gives how many there were.
  std::uint64_t purge() HOLDFAST_REQUIRES(mutex);
  // The queue itself goes with the open group, which is this one.
  void erase(GroupNumber open_group) HOLDFAST_REQUIRES(mutex);

  // --- the group closes ---

  Result<void> contribute(GroupWrites& writes) override;
  Result<void> contribute_early(GroupWrites& writes) override;

  // --- upkeep ---

  // One step at a time: see upkeep/schedule_mover.cc and upkeep/expirer.cc.
  sync::Mutex schedule_mutex;
  sync::Mutex expiry_mutex;
  // Held from the reading of records to the commit of what follows for them, so that nobody builds on a
  // record that is about to change; by redrive steps and triage. Taken before any Pass.
  sync::Mutex records_mutex;
  // Where the next round of the queue's policy begins.
  Seq auto_redrive_from HOLDFAST_GUARDED_BY(records_mutex){};

  // When its next dead letter is kept no longer.
  Timestamp retention_due HOLDFAST_GUARDED_BY(mutex) = Timestamp::max();
  // Those that the last round of its policy gave up for the archive. Others are found by the next round, and
  // so are these again if they are not archived.
  std::vector<Seq> given_up HOLDFAST_GUARDED_BY(mutex);
  // Where the next step of retention goes on among the unresolved ones of a status, if the last one broke
  // off.
  std::map<DeadLetterStatus, DeadLetterCursor> unresolved_from HOLDFAST_GUARDED_BY(mutex);
  // Chunks that may be garbage but for one message, of at most 256 KiB each: half of the constant that disk
  // use stays within, beside twice what is alive. The other half is what lies around before it is worth a
  // compaction. See upkeep/chunk_compactor.cc.
  static constexpr std::size_t kSpareChunks = 128;
  bool has_stragglers() const HOLDFAST_REQUIRES(mutex) { return state.sparse_count() > kSpareChunks; }
  std::uint64_t compacted_bytes HOLDFAST_GUARDED_BY(mutex) = 0;  // since the last compaction
  // How many chunks were removed from the store since this was reset: what there may be to reclaim.
  std::uint64_t removed_chunks HOLDFAST_GUARDED_BY(mutex) = 0;

  // When the scheduler will look at this queue; the scheduler's.
  Timestamp scheduled_at = Timestamp::max();

 private:
  // Sends a message that is a dead letter at once.
  void send_dead(const MessageId& message_id, Timestamp time, const Message& message)
      HOLDFAST_REQUIRES(mutex);
  ChunkBuilder& builder_for_moved(const MessageView& message, const Lineage& lineage, std::uint32_t bytes)
      HOLDFAST_REQUIRES(mutex);
  Seq append_as_is(const MessageView& message, const Lineage& lineage) HOLDFAST_REQUIRES(mutex);
  // Fills in changes_, and removes what was purged.
  void close_lanes(Batch& rows) HOLDFAST_REQUIRES(mutex);
  void remove_finished(const FinishedChunk& finished, Batch& rows) HOLDFAST_REQUIRES(mutex);
  Result<void> contribute_dead_letters(GroupWrites& writes) HOLDFAST_REQUIRES(mutex);
  // See Journal::FindId.
  std::optional<MessageId> find_id(const MessageRef& place, ChunkFinder& stored) const
      HOLDFAST_REQUIRES(mutex);

  DeadLetterTargets targets_ HOLDFAST_GUARDED_BY(mutex);
  GroupNumber deletion_ HOLDFAST_GUARDED_BY(mutex){};
  ChunkCache& cache_;
  const Catalog& catalog_;
  QueueRows rows_ HOLDFAST_GUARDED_BY(mutex);
  std::vector<GroupChanges> changes_ HOLDFAST_GUARDED_BY(mutex);  // of each lane, while the group closes
};

}  // namespace holdfast
