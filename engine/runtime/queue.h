// A queue as the engine runs it: its state, what it has yet to commit, and who waits for its messages.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "codec/catalog_rows.h"
#include "codec/chunk.h"
#include "commit/commit_pipeline.h"
#include "core/queue_state.h"
#include "runtime/chunk_cache.h"

namespace holdfast {

// Messages handed out by one receive; theirs once `group` is committed.
struct Handout {
  std::vector<Grant> grants;
  LeaseTerms terms;
  GroupNumber group{};
};

// A receive that waits for messages.
struct Waiter {
  std::uint64_t token = 0;
  std::size_t max = 1;
  Duration lease{};
  std::shared_ptr<const Consumer> consumer;
  Timestamp deadline{};
  // Called once, under the queue's lock and a Pass, with messages, with none (the wait is over), or with an
  // error (the queue was deleted).
  std::function<void(Result<Handout>)> resolve;
};

class Queue final : public Contributor {
 public:
  Queue(QueueId queue_id, QueueDefinition definition, QueueState queue_state, ChunkCache& cache);

  const QueueId id;
  const std::string name;
  const Timestamp created_at;

  // Guards all below. Taken inside a Pass; two queues' in the order of their ids.
  std::mutex mutex;

  QueueState state;
  std::list<Waiter> waiters;
  bool deleted = false;

  const QueueOptions& options() const { return options_; }
  const std::shared_ptr<Queue>& dead_letter_queue() const { return dead_letter_queue_; }
  void configure(QueueOptions options, std::shared_ptr<Queue> dead_letter_queue);
  QueueInfo info() const;

  // Appends a message to the open group.
  Seq append(const MessageId& message_id, Timestamp sent_at, const Message& message);
  Seq append_copy(const MessageView& message, const Lineage& lineage);
  // Appends a dead letter with its failure record.
  Seq append_dead_letter(const MessageView& message, const Lineage& lineage, const FailureRecord& record);

  // All messages go with the open group. Gives how many there were.
  std::uint64_t purge();
  // The queue itself goes with the open group.
  void erase();

  void contribute(GroupWrites& writes) override;

  // Up to where the store has all of the queue's chunks, given what is committed.
  Seq committed_end(const CommitPipeline& pipeline) const;
  // The last group that chunks of this queue went or will go to.
  GroupNumber last_chunk_group(const CommitPipeline& pipeline) const;

  // One redrive step at a time: see redrive.cc.
  std::mutex redrive_mutex;

  // When the scheduler will look at this queue; the scheduler's.
  Timestamp scheduled_at = Timestamp::max();

 private:
  ChunkBuilder& builder_for(ChunkKind kind, std::size_t bytes);
  void remove_purged(Seq before, Batch& rows);
  void remove_finished(const QueueState::FinishedChunk& finished, Batch& rows);
  void put_chunks(GroupWrites& writes);
  void put_rows(const QueueState::Changes& changes, Batch& rows);

  QueueOptions options_;
  std::shared_ptr<Queue> dead_letter_queue_;
  ChunkCache& cache_;

  // Of the open group.
  std::vector<ChunkBuilder> builders_;
  struct DeadLetterPut {
    Seq seq;
    std::string row;
  };
  std::vector<DeadLetterPut> dead_letter_puts_;

  // The last group that this queue contributed to, with the end of the log then, and the end before that.
  GroupNumber closed_group_{};
  Seq closed_end_{};
  Seq previous_end_{};
  std::string scratch_;
};

}  // namespace holdfast
