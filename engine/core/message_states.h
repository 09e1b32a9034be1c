// The state of each message of one lane, and all that is counted and indexed of it. Whoever changes an
// entry's state does it here, so that the counts, the groups, the timers and what the open commit group is to
// write always agree with the entries. The parts:
//   ChunkLog        where messages lie, and how far the cursor has come
//   Tally           how many messages are in each state
//   DueIndex        what is to be expired or moved
//   DeliveryOrder   groups, and what must be read before messages are handed out
//   PendingChanges  what the open commit group is to write
// Which transition a message makes, and why, is for QueueState.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "engine/core/attempts.h"
#include "engine/core/chunk_log.h"
#include "engine/core/chunk_state.h"
#include "engine/core/delivery.h"
#include "engine/core/delivery_order.h"
#include "engine/core/due_index.h"
#include "engine/core/pending_changes.h"
#include "engine/core/tally.h"

namespace holdfast {

class MessageStates {
 public:
  // Recovery: the checkpoint's numbers, then restore() for each row of `deliveries`, ascending.
  MessageStates(Seq next_seq, Seq cursor, const Tally& tally) : log_(next_seq, cursor), tally_(tally) {}
  void restore(Seq first, ChunkState chunk);

  ChunkLog& log() { return log_; }
  const ChunkLog& log() const { return log_; }
  DueIndex& due() { return due_; }
  const DueIndex& due() const { return due_; }
  DeliveryOrder& order() { return order_; }
  const DeliveryOrder& order() const { return order_; }
  PendingChanges& changes() { return changes_; }
  const PendingChanges& changes() const { return changes_; }
  const Tally& tally() const { return tally_; }

  // --- messages ---

  // As QueueState::append().
  Seq append(bool new_chunk, bool dead_letter, Timestamp sent_at, GroupKey group, bool replayed,
             std::uint32_t bytes);
  // The chunk of a message that is there. One past the cursor, of which `span` tells, enters the window.
  Window::iterator find_or_detach(Seq seq, const ChunkSpan& span);
  // Whether messages of the chunk may go to `scheduled` or to the tail. A dead letter stays, since its
  // failure record names its place in the log; and so does a message of an ordered group, which would lose
  // its turn.
  bool may_move(Window::const_iterator chunk) const {
    return !chunk->second.dead_letters && order_.grouping() != Grouping::kOrdered;
  }
  // Every change of an entry's state.
  void set_state(Window::iterator chunk, Entry& entry, EntryState state);
  // Something else of the chunk's entries changed that its row has.
  void touch(Window::iterator chunk) { changes_.touch(chunk->first, chunk->second); }
  // A message of the chunk is due at that time.
  void schedule(Window::iterator chunk, Timestamp due) { due_.schedule(*chunk, due); }
  // The message leaves the queue, and so does its chunk, if that was the last one.
  void finish(Window::iterator chunk, Seq seq);
  // A chunk of dead letters leaves as a whole: see QueueState::remove_untouched().
  bool remove_untouched(const ChunkSpan& span);
  // Everything is gone.
  void purge();

  // --- what is remembered of failures: attempts.h ---

  // The delivery that goes on failed.
  void note_failure(Seq seq, Entry& entry, Timestamp at, AttemptEnd end);
  // The delivery that goes on has a description from here on.
  FailurePlace describe(Window::iterator chunk, Entry& entry);
  // It has none, or none any more.
  void undescribe_next(Seq seq, Entry& entry);

  // --- the first ones ---

  // Where the next message to be handed out is, or where to look for it from.
  Seq first_ready() const;
  std::optional<Seq> first_leased() const;
  // The chunk with the oldest message that came back; end() if there is none.
  Window::iterator first_returned();
  // When what is handed out next was sent. See QueueState::head_sent_at().
  std::optional<Timestamp> head_sent_at();

  // --- the commit group ---

  GroupChanges close_group();
  const ChunkState& chunk_for_row(Seq first);
  void pack(Seq first);
  // Chunks that are at least half garbage: see QueueState::compact_chunk().
  const std::set<Seq>& sparse() const { return sparse_; }
  void compact_chunk(Seq first);

  // Whether the counts and the indices are what the window's entries say: always, between two calls. Looks at
  // each entry of the window.
  bool is_consistent() const;

 private:
  void drop(Window::iterator chunk, bool stored);
  void undescribe(Seq seq, Entry& entry, FailureSlots slots);
  void note_sparse(Seq first, const ChunkState& chunk);

  ChunkLog log_;
  Tally tally_;
  DueIndex due_;
  DeliveryOrder order_;
  PendingChanges changes_;
  AttemptSharing attempts_;
  std::set<Seq> returned_;  // chunks with ready entries
  std::set<Seq> sparse_;    // chunks that are at least half garbage
};

}  // namespace holdfast
