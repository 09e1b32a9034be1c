// A Queue is a queue as the engine runs it: its state, what it has yet to commit, and who waits for its
// messages. Whatever owns something by itself is a part, a class of its own. The queue's mutex guards the
// parts as it guards the state.
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
#include "engine/core/queue_state.h"
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
  Queue(QueueId queue_id, QueueDefinition definition, QueueState queue_state, ChunkCache& cache,
        const CommitPipeline& pipeline, const Catalog& catalog);

  const QueueId id;
  const std::string name;
  const Timestamp created_at;

  // `deduplication` says which sends the queue remembers. Anybody may read it without the lock, as a hint.
  sync::Atomic<Deduplication> deduplication = Deduplication::kNone;
  // `deduplication_changes` counts the changes of `deduplication`. A send reads it before `deduplication`,
  // and so finds out under the lock if it was decided by an older value.
  sync::Atomic<std::uint64_t> deduplication_changes = 0;
  DedupWindow dedup;
  // `drops_heads` says whether a send to the queue can make other messages leave. Anybody may read it without
  // the lock, as a hint.
  sync::Atomic<bool> drops_heads = false;
  // `served` counts the queues that dead-letter to this one or park in it, each once for every way that leads
  // here. It changes under this queue's lock, which DeadLetterTargets::count_served() checks.
  sync::Atomic<std::int64_t> served = 0;

  // The mutex is taken inside a Pass. The mutexes of several queues are taken in the order of their ids.
  sync::Mutex mutex;

  QueueState state HOLDFAST_GUARDED_BY(mutex);
  Pause paused HOLDFAST_GUARDED_BY(mutex);

 private:
  QueueOptions options_ HOLDFAST_GUARDED_BY(mutex);  // declared before the parts that refer to it

 public:
  // --- the parts ---

  WaitingReceives waiters HOLDFAST_GUARDED_BY(mutex);
  QueueJournal journal HOLDFAST_GUARDED_BY(mutex);
  QueueBounds bounds HOLDFAST_GUARDED_BY(mutex);
  SendRules sends HOLDFAST_GUARDED_BY(mutex);
  SendMemory send_memory HOLDFAST_GUARDED_BY(mutex);
  // The members from `chunks` to `arrivals` hold what goes with the open commit group. Only a record that
  // stays as history needs a call when its dead letter leaves; the others are removed as the group closes.
  OpenChunks chunks HOLDFAST_GUARDED_BY(mutex);
  ScheduleWrites schedule_writes HOLDFAST_GUARDED_BY(mutex);
  FailureWrites failures HOLDFAST_GUARDED_BY(mutex);
  ExpiryIndex expiries HOLDFAST_GUARDED_BY(mutex);
  ReplayOutcomes outcomes HOLDFAST_GUARDED_BY(mutex);
  DeadLetterTable dead_letters HOLDFAST_GUARDED_BY(mutex);
  ArrivalLog arrivals HOLDFAST_GUARDED_BY(mutex);  // dead letters that arrive, counted by the hour

  RateMeter meter HOLDFAST_GUARDED_BY(mutex);
  // The recorder has the times from send to hand-out, in microseconds. The first hand-out makes the recorder.
  std::unique_ptr<LatencyRecorder> latency HOLDFAST_GUARDED_BY(mutex);
  // The recorder is thread-safe and is made once. A caller that was handed a message by this queue uses it
  // without the lock.
  LatencyRecorder& latency_recorder() HOLDFAST_NOT_ANALYSED { return *latency; }

  AlertWatch alerts HOLDFAST_GUARDED_BY(mutex);
  Brake brake HOLDFAST_GUARDED_BY(mutex);
  Timestamp auto_redrive_at HOLDFAST_GUARDED_BY(mutex) = Timestamp::max();
  // Returns when PolicyRunner must look at this queue.
  Timestamp next_policy() const HOLDFAST_REQUIRES(mutex);

  // --- what it is ---

  const QueueOptions& options() const HOLDFAST_REQUIRES(mutex) { return options_; }
  const DeadLetterTargets& targets() const HOLDFAST_REQUIRES(mutex) { return targets_; }
  // These two serve a caller that holds EngineContext::catalog_mutex and not the queue's lock. A change needs
  // both, so either is enough to read. The mutex is passed so that the analysis sees that it is held.
  const QueueOptions& options_in_catalog(const sync::Mutex& catalog) const HOLDFAST_REQUIRES(catalog);
  const DeadLetterTargets& targets_in_catalog(const sync::Mutex& catalog) const HOLDFAST_REQUIRES(catalog);
  // Returns where a dead letter of this category goes, or null if nowhere.
  const std::shared_ptr<Queue>& dead_letter_target(std::string_view category) const HOLDFAST_REQUIRES(mutex) {
    return targets_.of(category, options_);
  }
  // Takes new options. `targets` are the queues that the options name as dead_letter_queue,
  // dead_letter_routes and parking_queue. The caller has locked these and the present ones too.
  void configure(QueueOptions options, DeadLetterTargets targets, const sync::Mutex& catalog)
      HOLDFAST_REQUIRES(mutex, catalog);
  QueueInfo info() const HOLDFAST_REQUIRES(mutex);
  // Return whether the queue was deleted, and the group that commits the deletion. A call that finds the
  // queue deleted answers so only once that group is committed: until then a power loss may bring the queue
  // back.
  bool deleted() const HOLDFAST_REQUIRES(mutex) { return deletion_ != GroupNumber{}; }
  GroupNumber deletion() const HOLDFAST_REQUIRES(mutex) { return deletion_; }
  static Error deleted_error() { return {ErrorCode::kQueueNotFound, "the queue was deleted"}; }

  // Returns the last group that the queue joined.
  GroupNumber joined_group() const HOLDFAST_REQUIRES(mutex) { return last_joined(); }

  // --- messages that come, with the open group ---

  // Sends a message. It goes to the log, or to `scheduled` if it must wait.
  void send(const MessageId& message_id, Timestamp time, const Message& message) HOLDFAST_REQUIRES(mutex);
  // Appends a copy of a message that comes from another place. From `time` on the copy has the queue's time
  // to live.
  Seq append_copy(MessageView message, const Lineage& lineage, Timestamp time) HOLDFAST_REQUIRES(mutex);
  // Appends a copy, as append_copy() does, with the body and the attributes of `edited`.
  Seq append_edited(const MessageView& message, const Message& edited, const Lineage& lineage, Timestamp time)
      HOLDFAST_REQUIRES(mutex);
  // Appends a dead letter with its failure record. If the message was redriven from this queue, the dead
  // letter takes over what its earlier record says (DeadLetterTable::adopt_history()). DeadLetterTable::add()
  // says what `original` is.
  Seq append_dead_letter(MessageView message, const Lineage& lineage, DeadLetterRow&& row,
                         std::string original = {}) HOLDFAST_REQUIRES(mutex);

  // --- what happens to them: transitions of LaneState, for a valid receipt, with journal steps ---

  // Acknowledges a message. Returns true if it is a dead letter: its record then stays as history, and names
  // `actor`, or the consumer if that is empty.
  bool ack(Seq seq, Timestamp time, const std::string& actor) HOLDFAST_REQUIRES(mutex);
  void start(Seq seq, Timestamp time) HOLDFAST_REQUIRES(mutex);
  void extend(Seq seq, Timestamp until, Timestamp time) HOLDFAST_REQUIRES(mutex);
  [[nodiscard]] bool release(Seq seq, const LaneState::Return& how, Timestamp time) HOLDFAST_REQUIRES(mutex);
  // Starts the delivery, and has the open group write what the consumer says of a failure, for the case that
  // the delivery fails.
  void describe(Seq seq, std::shared_ptr<const std::string> failure, Timestamp time) HOLDFAST_REQUIRES(mutex);

  // --- what happens to them by themselves ---

  // Moves a message of the window that waits for long, or that waits to go to the tail, to `scheduled`.
  void spill(const MessageRef& waiting, MessageView message) HOLDFAST_REQUIRES(mutex);
  // Appends a message on its way to the tail, which is due, at the tail.
  void move_to_tail(const MessageRef& waiting, const MessageView& message) HOLDFAST_REQUIRES(mutex);
  // Appends the messages of a row of `scheduled` that is due to the log. Does nothing if the row was purged
  // meanwhile.
  void enter(const SchedulePlace& place, const Chunk& row) HOLDFAST_REQUIRES(mutex);
  // Makes the messages of a chunk that expired by `time`, in stored time, exhausted. The index named the
  // chunk, which is null if it is gone.
  void expire_chunk(const keys::ExpiryPlace& place, const Chunk* chunk, Timestamp time)
      HOLDFAST_REQUIRES(mutex);
  // Returns when this queue has something to do by itself next.
  Timestamp next_due() const HOLDFAST_REQUIRES(mutex);
  // Returns when the next lease or delay ends, or the next time of day comes that a message waits for.
  Timestamp next_visible() const HOLDFAST_REQUIRES(mutex);

  // Removes all messages with the open group. Returns how many there were.
  std::uint64_t purge() HOLDFAST_REQUIRES(mutex);
  // Removes the queue itself with the open group, whose number is `open_group`. The caller has locked the
  // queue's targets too.
  void erase(GroupNumber open_group, const sync::Mutex& catalog) HOLDFAST_REQUIRES(mutex, catalog);

  // --- the group closes ---

  Result<void> contribute(GroupWrites& writes) override;
  Result<void> contribute_early(GroupWrites& writes) override;

  // --- upkeep ---

  sync::Mutex schedule_mutex;  // held for one step of upkeep/schedule_mover.cc, so that steps do not overlap
  sync::Mutex expiry_mutex;    // held for one step of upkeep/expirer.cc, so that steps do not overlap
  // Redrive steps and triage hold it from reading records to the commit of what follows from them, so that
  // nobody builds on a record that is about to change. It is taken before any Pass.
  sync::Mutex records_mutex;
  // The next round of the queue's redrive policy begins at this seq.
  Seq auto_redrive_from HOLDFAST_GUARDED_BY(records_mutex){};

  // At this time the queue's next dead letter is to be removed by retention.
  Timestamp retention_due HOLDFAST_GUARDED_BY(mutex) = Timestamp::max();
  // `given_up` has dead letters that rounds of the redrive policy gave up, and that retention has not
  // archived yet. One that is missing is found again when the rounds have gone through the whole queue.
  std::vector<Seq> given_up HOLDFAST_GUARDED_BY(mutex);
  // `unresolved_from` says, for each status of unresolved dead letters, where the next step of retention goes
  // on if the last one broke off.
  std::map<DeadLetterStatus, DeadLetterCursor> unresolved_from HOLDFAST_GUARDED_BY(mutex);
  // A queue may have this many sparse chunks before they count as stragglers. Each of them has 256 KiB at
  // most, and may be garbage except for one message. Together they are half of the constant that disk use
  // stays within, in addition to twice what is alive. The other half is the garbage that lies around before a
  // compaction is worthwhile (upkeep/chunk_compactor.cc).
  static constexpr std::size_t kSpareChunks = 128;
  bool has_stragglers() const HOLDFAST_REQUIRES(mutex) { return state.sparse_count() > kSpareChunks; }
  std::uint64_t compacted_bytes HOLDFAST_GUARDED_BY(mutex) = 0;  // since the last compaction
  // `removed_chunks` counts the chunks removed from the store since its last reset: what may be reclaimed.
  std::uint64_t removed_chunks HOLDFAST_GUARDED_BY(mutex) = 0;

  // The scheduler looks at this queue at `next_look_at`. Only the scheduler uses it.
  Timestamp next_look_at = Timestamp::max();

 private:
  // Sends a message to a queue that makes it a dead letter at once.
  void send_dead(const MessageId& message_id, Timestamp time, const Message& message)
      HOLDFAST_REQUIRES(mutex);
  ChunkBuilder& builder_for_moved(const MessageView& message, const Lineage& lineage, std::uint32_t bytes)
      HOLDFAST_REQUIRES(mutex);
  Seq append_as_is(const MessageView& message, const Lineage& lineage) HOLDFAST_REQUIRES(mutex);
  // Closes every lane for the group, which fills in changes_, and removes what was purged.
  void close_lanes(Batch& rows) HOLDFAST_REQUIRES(mutex);
  void remove_finished(const FinishedChunk& finished, Batch& rows) HOLDFAST_REQUIRES(mutex);
  Result<void> contribute_dead_letters(GroupWrites& writes) HOLDFAST_REQUIRES(mutex);
  // Returns the id of a message, for the journal (Journal::FindId).
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
