// A queue as the engine runs it: its state, what it has yet to commit, and who waits for its messages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/catalog_rows.h"
#include "engine/codec/rows/chunk.h"
#include "engine/commit/commit_pipeline.h"
#include "engine/core/lanes.h"
#include "engine/core/schedule.h"
#include "engine/dead_letters/index/dead_letter_table.h"
#include "engine/journal/journal.h"
#include "engine/policies/alert_watch.h"
#include "engine/policies/arrival_log.h"
#include "engine/policies/brake.h"
#include "engine/queue/dedup_window.h"
#include "engine/services/chunk_cache.h"
#include "engine/services/latency_recorder.h"
#include "engine/services/rate_meter.h"
#include "engine/sync/atomic.h"
#include "engine/sync/mutex.h"
#include "holdfast/dead_letter_query.h"
#include "holdfast/limits.h"

namespace holdfast {

// Messages handed out by one receive; theirs once `group` is committed.
struct LeasedBatch {
  std::vector<Grant> grants;
  LeaseTerms terms;
  ByteBudget budget{limits::kBatchBytes};
  GroupNumber group{};
};

// A receive that waits for messages.
struct Waiter {
  std::uint64_t token = 0;
  std::size_t max = 1;
  Duration lease{};
  std::shared_ptr<const Consumer> consumer;
  bool prefetch = false;
  Timestamp deadline{};
  // Called once, under the queue's lock and a Pass, with messages, with none (the wait is over), or with an
  // error (the queue was deleted).
  std::function<void(Result<LeasedBatch>)> resolve;
};

class Catalog;
class Queue;

// The queues that a queue's dead letters go to.
struct DeadLetterTargets {
  std::shared_ptr<Queue> fallback = {};             // dead_letter_queue; null: none
  std::vector<std::shared_ptr<Queue>> routes = {};  // as dead_letter_routes
  std::shared_ptr<Queue> parking = {};              // where they are put aside; null: nowhere

  // Whether messages die to it.
  bool contains(const Queue& queue) const;
};

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
  std::list<Waiter> waiters HOLDFAST_GUARDED_BY(mutex);
  Timestamp load_after
      HOLDFAST_GUARDED_BY(mutex){};  // what they wait for is not read before this, since a read failed
  // Tokens of receives with a callback that read from the store before they go on; cancelling takes one out.
  std::set<std::uint64_t> loading HOLDFAST_GUARDED_BY(mutex);
  RateMeter meter HOLDFAST_GUARDED_BY(mutex);
  // Thread-safe itself, and made once: who was handed a message out by this queue needs no lock.
  LatencyRecorder& latency_recorder() HOLDFAST_NOT_ANALYSED { return *latency; }
  std::unique_ptr<LatencyRecorder> latency
      HOLDFAST_GUARDED_BY(mutex);  // from send to hand-out, in us; made by the first hand-out

  Journal journal HOLDFAST_GUARDED_BY(mutex);
  // A step of a message; of one that is named by its seq, before it leaves its place. Nothing without a
  // journal.
  void record(const MessageId& message, HistoryStep step) HOLDFAST_REQUIRES(mutex);
  void record(Seq seq, HistoryStep step) HOLDFAST_REQUIRES(mutex);
  void record(const std::vector<LeaseEnd>& ended) HOLDFAST_REQUIRES(mutex);
  // Messages that were handed out just now.
  void record(std::span<const Grant> grants, const LeaseTerms& terms, Timestamp time)
      HOLDFAST_REQUIRES(mutex);
  // A step from here to another queue; in that one's journal if there is none here.
  void record_move(const MessageId& message, Queue& to, HistoryStep step) HOLDFAST_REQUIRES(mutex, to.mutex);

  // The transitions of a receipt that is valid, as QueueState's, and in the journal.
  // True if it is a dead letter: its record stays as history, with who acknowledged it, the consumer if
  // `actor` is empty.
  bool ack(Seq seq, Timestamp time, std::string actor) HOLDFAST_REQUIRES(mutex);
  void start(Seq seq, Timestamp time) HOLDFAST_REQUIRES(mutex);
  void extend(Seq seq, Timestamp until, Timestamp time) HOLDFAST_REQUIRES(mutex);
  [[nodiscard]] bool release(Seq seq, const QueueState::Return& how, Timestamp time) HOLDFAST_REQUIRES(mutex);
  // What the consumer says of the delivery's failure, should it fail, goes to disk with the open group. The
  // delivery begins.
  void describe(Seq seq, std::shared_ptr<const std::string> failure, Timestamp time) HOLDFAST_REQUIRES(mutex);

  AlertWatch alerts HOLDFAST_GUARDED_BY(mutex);
  Brake brake HOLDFAST_GUARDED_BY(mutex);
  Timestamp auto_redrive_at HOLDFAST_GUARDED_BY(mutex) = Timestamp::max();
  // When run_policies() wants to look at this queue.
  Timestamp next_policy() const HOLDFAST_REQUIRES(mutex);

  const QueueOptions& options() const HOLDFAST_REQUIRES(mutex) { return options_; }
  // Without the lock, holding EngineContext::catalog_mutex, which configure() is called with too.
  const QueueOptions& options_in_catalog() const HOLDFAST_NOT_ANALYSED { return options_; }
  const DeadLetterTargets& targets_in_catalog() const HOLDFAST_NOT_ANALYSED { return targets_; }
  const std::shared_ptr<Queue>& dead_letter_queue() const HOLDFAST_REQUIRES(mutex) {
    return targets_.fallback;
  }
  // Where a dead letter of this category goes; null: nowhere.
  const std::shared_ptr<Queue>& dead_letter_target(std::string_view category) const HOLDFAST_REQUIRES(mutex);
  const std::shared_ptr<Queue>& parking_queue() const HOLDFAST_REQUIRES(mutex) { return targets_.parking; }
  const DeadLetterTargets& dead_letter_targets() const HOLDFAST_REQUIRES(mutex) { return targets_; }
  // Whether the queue was deleted, and the group that commits that. Who meets a deletion answers by it once
  // that group is committed: until then a power loss may bring the queue back.
  bool deleted() const HOLDFAST_REQUIRES(mutex) { return deletion_ != GroupNumber{}; }
  GroupNumber deletion() const HOLDFAST_REQUIRES(mutex) { return deletion_; }
  static Error deleted_error() { return {ErrorCode::kQueueNotFound, "the queue was deleted"}; }
  const Pause& paused() const HOLDFAST_REQUIRES(mutex) { return paused_; }
  void set_paused(Pause paused) HOLDFAST_REQUIRES(mutex) { paused_ = paused; }
  // `targets`: of the options' dead_letter_queue, dead_letter_routes and parking_queue.
  void configure(QueueOptions options, DeadLetterTargets targets) HOLDFAST_REQUIRES(mutex);
  QueueInfo info() const HOLDFAST_REQUIRES(mutex);

  // Whether sends are not paused. kQueuePaused.
  Result<void> check_open() const HOLDFAST_REQUIRES(mutex);
  // Whether the queue takes the message: what depends on the queue or on the time of day.
  Result<void> admit(const Message& message) const HOLDFAST_REQUIRES(mutex);
  // What entries of a transaction before this one add to the queue, or take away.
  struct Load {
    std::int64_t messages = 0;
    std::int64_t bytes = 0;
    std::int64_t ready_messages = 0;  // of these, those that could be dropped
    std::int64_t ready_bytes = 0;
  };
  // Whether it has room for a message of so many bytes more, or can drop others for it. kQueueFull.
  Result<void> check_room(std::size_t bytes, const Load& load) const HOLDFAST_REQUIRES(mutex);
  // Whether it has bounds that check_room() looks at.
  bool is_bounded() const HOLDFAST_REQUIRES(mutex) {
    return options_.max_length > 0 || options_.max_bytes > 0;
  }
  // How many messages more may be leased.
  std::uint64_t leases_left() const HOLDFAST_REQUIRES(mutex);
  // What there is too much, of a queue that makes room by itself.
  struct Excess {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    bool any() const { return messages > 0 || bytes > 0; }
  };
  Excess excess() const HOLDFAST_REQUIRES(mutex);
  // What one commit drops at most, should a limit have been lowered far below what is there.
  static constexpr std::uint64_t kDropMessages = limits::kBatchEntries;
  static constexpr std::uint64_t kDropBytes = 16U << 20U;
  // The heads that are too many begin to leave: a bounded number, of those that are known without reading.
  Lanes::Dropped drop_heads(const Excess& excess) HOLDFAST_REQUIRES(mutex);
  // After a send. Before after_change(), so that no receive that waits is given what there is no room for.
  // True if Impl::make_room() has to see to the rest.
  bool drop_excess() HOLDFAST_REQUIRES(mutex);
  // Whether a send of this message now would wait in `scheduled`.
  bool waits(const Message& message, Timestamp time) const HOLDFAST_REQUIRES(mutex) {
    return wait_of(message, time).has_value();
  }
  // Sends a message with the open group: to the log, or to `scheduled` if it is to wait.
  void send(const MessageId& message_id, Timestamp time, const Message& message) HOLDFAST_REQUIRES(mutex);
  // Appends a message that comes from elsewhere to the open group.
  // It gets the queue's time to live from `time` on.
  Seq append_copy(MessageView message, const Lineage& lineage, Timestamp time) HOLDFAST_REQUIRES(mutex);
  // append_copy() with the body and the attributes of `edited`.
  Seq append_edited(const MessageView& message, const Message& edited, const Lineage& lineage, Timestamp time)
      HOLDFAST_REQUIRES(mutex);
  // Appends a dead letter with its failure record. One that was redriven from this queue takes over what its
  // record of then says: see DeadLetterTable::adopt_history().
  // `original`: see DeadLetterTable::add().
  Seq append_dead_letter(MessageView message, const Lineage& lineage, DeadLetterRow row,
                         std::string original = {}) HOLDFAST_REQUIRES(mutex);

  // A message that was redriven died again, in a queue other than the one that has its record.
  void record_redeath(const Lineage& lineage, Timestamp time) HOLDFAST_REQUIRES(mutex);
  // A message is gone without an ack and without a death; says so of one that was redriven.
  void record_drop(const Lineage& lineage, Timestamp time) HOLDFAST_REQUIRES(mutex);

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
  Expiries expiries HOLDFAST_GUARDED_BY(mutex);  // in stored time

  // The message that was sent lately with this key, and is not sent again.
  std::optional<MessageId> sent_before(const DedupKey& key, const std::optional<DedupRow>& stored,
                                       Timestamp now) const HOLDFAST_REQUIRES(mutex);
  // Remembers a message of the open group.
  void remember(const DedupKey& key, DedupRow row, const CommitPipeline& pipeline) HOLDFAST_REQUIRES(mutex);
  // Forgets what is over, with the open group. False if nothing is.
  bool forget_sends(Timestamp now) HOLDFAST_REQUIRES(mutex);
  // When this queue next has something to do by itself.
  Timestamp next_due() const HOLDFAST_REQUIRES(mutex);
  // When the next lease, delay or time of day comes.
  Timestamp next_visible() const HOLDFAST_REQUIRES(mutex);

  // A chunk of the window goes into the open group again, without the messages that are done: `stored` is
  // what the store has. Gives the bytes that this saves; 0 if there is nothing to save.
  std::size_t compact_chunk(Seq first, const Chunk& stored) HOLDFAST_REQUIRES(mutex);

  // All messages go with the open group. Gives how many there were.
  std::uint64_t purge() HOLDFAST_REQUIRES(mutex);
  // The queue itself goes with the open group, which is this one.
  void erase(GroupNumber open_group) HOLDFAST_REQUIRES(mutex);

  Result<void> contribute(GroupWrites& writes) override;
  Result<void> contribute_early(GroupWrites& writes) override;

  // Changes of records go with the open group. A dead letter that leaves the queue loses its record by
  // itself.
  DeadLetterTable& dead_letters() HOLDFAST_REQUIRES(mutex) { return dead_letters_; }

  // Dead letters that come, counted by the hour.
  ArrivalLog& arrivals() HOLDFAST_REQUIRES(mutex) { return arrivals_; }

  // Up to where the store has all chunks of the lane that `from` is in, given what is committed.
  Seq committed_end(const CommitPipeline& pipeline, Seq from) const HOLDFAST_REQUIRES(mutex);
  // The last group that removed or will remove chunks past the cursor.
  GroupNumber last_removal_past_cursor(const CommitPipeline& pipeline) const HOLDFAST_REQUIRES(mutex);
  // The last group that chunks of this queue went or will go to.
  GroupNumber last_chunk_group(const CommitPipeline& pipeline) const HOLDFAST_REQUIRES(mutex);

  // The last group that rows of `scheduled` went or will go to.
  GroupNumber last_schedule_group(const CommitPipeline& pipeline) const HOLDFAST_REQUIRES(mutex);

  // What is to be written there with the open group, of what consumers said of failures; null if nothing is.
  std::shared_ptr<const std::string> said_in_open_group(const FailurePlace& place) const
      HOLDFAST_REQUIRES(mutex);
  // The last group that closed with such.
  GroupNumber last_failures_group() const HOLDFAST_REQUIRES(mutex) { return failures_group_; }

  // One step at a time: see upkeep/schedule.cc and upkeep/expiry.cc.
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
  // compaction. See upkeep/compact_chunks.cc.
  static constexpr std::size_t kSpareChunks = 128;
  bool has_stragglers() const HOLDFAST_REQUIRES(mutex) { return state.sparse_count() > kSpareChunks; }
  std::uint64_t compacted_bytes HOLDFAST_GUARDED_BY(mutex) = 0;  // since the last compaction

  // How many chunks were removed from the store since this was reset: what there may be to reclaim.
  std::uint64_t removed_chunks HOLDFAST_GUARDED_BY(mutex) = 0;

  // When the scheduler will look at this queue; the scheduler's.
  Timestamp scheduled_at = Timestamp::max();

 private:
  struct ChunkPlacement {
    ChunkKind kind;
    std::uint32_t bytes;  // of body and attributes
    Timestamp sent_at;
    std::string_view group;
    std::size_t lane;
  };
  // Whether a send is a dead letter at once.
  bool sends_die() const HOLDFAST_REQUIRES(mutex) { return served > 0 && options_.direct_sends; }
  Result<void> check_direct(const Message& message) const HOLDFAST_REQUIRES(mutex);
  void send_dead(const MessageId& message_id, Timestamp time, const Message& message)
      HOLDFAST_REQUIRES(mutex);
  void count_served(std::int64_t by) const HOLDFAST_REQUIRES(mutex);
  Result<void> check_priority(const Message& message) const HOLDFAST_REQUIRES(mutex);
  Result<void> check_size(const Message& message) const HOLDFAST_REQUIRES(mutex);
  ChunkBuilder& builder_for(const ChunkPlacement& place) HOLDFAST_REQUIRES(mutex);
  ChunkBuilder& builder_for_moved(const MessageView& message, const Lineage& lineage, std::uint32_t bytes)
      HOLDFAST_REQUIRES(mutex);
  // What a message sent now waits for; nothing if it may be handed out.
  struct Wait {
    Timestamp until{};  // in the engine's time, or a time of day
    WaitsFor what = WaitsFor::kDelay;
  };
  std::optional<Wait> wait_of(const Message& message, Timestamp time) const HOLDFAST_REQUIRES(mutex);
  ChunkBuilder& scheduled_builder_for(Timestamp visible_at, WaitsFor what, std::uint32_t bytes)
      HOLDFAST_REQUIRES(mutex);
  Seq append_as_is(const MessageView& message, const Lineage& lineage) HOLDFAST_REQUIRES(mutex);
  void note_step(const Journal::Subject& message, HistoryStep step) HOLDFAST_REQUIRES(mutex);
  void put_scheduled(GroupWrites& writes) HOLDFAST_REQUIRES(mutex);
  void put_failures(Batch& rows) HOLDFAST_REQUIRES(mutex);
  void remove_purged(std::size_t lane, Seq before, Batch& rows) HOLDFAST_REQUIRES(mutex);
  void put_expiries(Batch& rows) HOLDFAST_REQUIRES(mutex);
  // By the clock of `visible_at`.
  Timestamp expires_at(const Message& message, Timestamp visible_at) const HOLDFAST_REQUIRES(mutex);
  void remove_finished(const FinishedChunk& finished, Batch& rows) HOLDFAST_REQUIRES(mutex);
  void put_compacted(GroupWrites& writes) HOLDFAST_REQUIRES(mutex);
  void put_chunks(GroupWrites& writes) HOLDFAST_REQUIRES(mutex);
  void put_rows(QueueState& lane, const GroupChanges& changes, Batch& rows) HOLDFAST_REQUIRES(mutex);
  void put_checkpoint(Batch& rows) HOLDFAST_REQUIRES(mutex);
  // What became of redriven messages, for their records in other queues.
  void record_acks(const std::vector<AckedReplay>& acked, const Store& store) HOLDFAST_REQUIRES(mutex);
  void put_outcomes(GroupWrites& writes) HOLDFAST_REQUIRES(mutex);
  void put_dedup(Batch& rows) HOLDFAST_REQUIRES(mutex);
  void note_ends() HOLDFAST_REQUIRES(mutex);
  struct FoundChunk {
    Seq first{};
    std::shared_ptr<const Chunk> chunk;
  };
  // See Journal::FindId. `last`: the chunk that was found before, since steps of one chunk come together.
  std::optional<MessageId> find_id(const MessageRef& place, const Store& store, FoundChunk& last) const
      HOLDFAST_REQUIRES(mutex);
  // Null if it is gone, or cannot be read.
  std::shared_ptr<const Chunk> stored_chunk(Seq first, const Store& store) const HOLDFAST_REQUIRES(mutex);

  QueueOptions options_ HOLDFAST_GUARDED_BY(mutex);
  DeadLetterTargets targets_ HOLDFAST_GUARDED_BY(mutex);
  Pause paused_ HOLDFAST_GUARDED_BY(mutex);
  GroupNumber deletion_ HOLDFAST_GUARDED_BY(mutex){};
  ChunkCache& cache_;
  const Catalog& catalog_;

  // Of the open group.
  std::vector<ChunkBuilder> builders_ HOLDFAST_GUARDED_BY(mutex);
  DeadLetterTable dead_letters_ HOLDFAST_GUARDED_BY(mutex);
  ArrivalLog arrivals_ HOLDFAST_GUARDED_BY(mutex);
  struct CompactedChunk {
    Seq first;
    std::shared_ptr<const Chunk> chunk;
  };
  std::vector<CompactedChunk> compacted_ HOLDFAST_GUARDED_BY(mutex);
  struct FailurePut {
    FailurePlace place;
    std::shared_ptr<const std::string> failure;
  };
  std::vector<FailurePut> failure_puts_ HOLDFAST_GUARDED_BY(mutex);  // by place
  struct ScheduledBuilder {
    SchedulePlace place;
    ChunkBuilder builder;
  };
  struct Outcome {
    QueueId queue{};
    Seq seq{};
    Replay replay;
  };
  std::vector<Outcome> outcomes_ HOLDFAST_GUARDED_BY(mutex);
  std::vector<ScheduledBuilder> scheduled_builders_ HOLDFAST_GUARDED_BY(mutex);
  std::vector<SchedulePlace> entered_ HOLDFAST_GUARDED_BY(mutex);  // rows to be removed
  struct DedupPut {
    std::string key;
    std::string row;
  };
  std::vector<DedupPut> dedup_puts_ HOLDFAST_GUARDED_BY(mutex);
  std::optional<Timestamp> dedup_forgotten_
      HOLDFAST_GUARDED_BY(mutex);  // rows of buckets before this are to be removed
  Timestamp dedup_due_ HOLDFAST_GUARDED_BY(mutex) = Timestamp::max();  // in stored time
  std::vector<keys::ExpiryPlace> expiry_removals_ HOLDFAST_GUARDED_BY(mutex);
  std::vector<keys::ExpiryPlace> expiry_puts_ HOLDFAST_GUARDED_BY(mutex);

  // The last group that this queue contributed to, with the end of each lane then, and the end before that.
  GroupNumber closed_group_ HOLDFAST_GUARDED_BY(mutex){};
  GroupNumber removal_past_cursor_group_ HOLDFAST_GUARDED_BY(mutex){};
  struct LaneEnd {
    Seq closed;
    Seq previous;
  };
  std::vector<LaneEnd> ends_ HOLDFAST_GUARDED_BY(mutex);
  std::vector<GroupChanges> changes_ HOLDFAST_GUARDED_BY(mutex);  // of each lane, while the group closes
  GroupNumber schedule_group_ HOLDFAST_GUARDED_BY(mutex){};       // the last with rows of `scheduled`
  GroupNumber failures_group_ HOLDFAST_GUARDED_BY(mutex){};       // the last with descriptions of failures
  std::string scratch_ HOLDFAST_GUARDED_BY(mutex);
};

}  // namespace holdfast
