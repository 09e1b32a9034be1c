// The state of each message of one lane, with all counts and indices of these states. Every change of an
// entry's state is made here, so that the counts, the groups, the timers and what the open commit group is to
// write always agree with the entries. LaneState decides which transition a message makes, and why. The
// parts are:
//   ChunkLog        where messages lie, and how far the cursor has come
//   Tally           how many messages are in each state
//   DueIndex        what is to be expired or moved
//   DeliveryOrder   groups, and what must be read before messages are handed out
//   PendingChanges  what the open commit group is to write
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
  // Constructs the states for recovery, with the numbers of a checkpoint. restore() follows for each row of
  // `deliveries`, in ascending order.
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

  // Appends one message: see LaneState::append().
  Seq append(bool new_chunk, bool dead_letter, Timestamp sent_at, GroupKey group, bool replayed,
             std::uint32_t bytes);
  // Returns the chunk of a message that exists. If the message is in no chunk of the window, it lies past the
  // cursor, and `span` is its chunk, which enters the window.
  Window::iterator find_or_detach(Seq seq, const ChunkSpan& span);
  // Returns whether messages of the chunk may move to `scheduled` or to the tail. A dead letter may not,
  // because its failure record names its place in the log. A message of an ordered group may not either,
  // because it would lose its turn.
  bool may_move(Window::const_iterator chunk) const {
    return !chunk->second.dead_letters && order_.grouping() != Grouping::kOrdered;
  }
  // Changes an entry's state. Every change of a state goes through this function.
  void set_state(Window::iterator chunk, Entry& entry, EntryState state);
  // Says that the chunk's row must be written because something other than a state changed in its entries.
  void touch(Window::iterator chunk) { changes_.touch(chunk->first, chunk->second); }
  // Says that a message of the chunk is due at `due`.
  void schedule(Window::iterator chunk, Timestamp due) { due_.schedule(*chunk, due); }
  // Makes a message done. Its chunk leaves too if that was its last message.
  void finish(Window::iterator chunk, Seq seq);
  // Removes a chunk of dead letters as a whole: see LaneState::remove_untouched().
  bool remove_untouched(const ChunkSpan& span);
  // Removes everything.
  void purge();

  // --- what is remembered of failures: attempts.h ---

  // Notes that the delivery in progress failed at `at`.
  void note_failure(Seq seq, Entry& entry, Timestamp at, AttemptEnd end);
  // Notes that the delivery in progress has a description, and returns the place of the description.
  FailurePlace describe(Window::iterator chunk, Entry& entry);
  // Notes that the delivery in progress has no description, or has none any more.
  void undescribe_next(Seq seq, Entry& entry);

  // --- the first messages ---

  // Returns the ready message of the window with the lowest seq, whether or not its group is free. Returns
  // the cursor if the window has none.
  Seq first_ready() const;
  std::optional<Seq> first_leased() const;
  // Returns the chunk with the first message that came back, or end() if none did.
  Window::iterator first_returned();
  // Returns when the message that is handed out next was sent: see LaneState::head_sent_at().
  std::optional<Timestamp> head_sent_at();

  // --- the commit group ---

  GroupChanges close_group();
  const ChunkState& chunk_for_row(Seq first);
  void pack(Seq first);
  // Returns the chunks at least half of which is garbage: see LaneState::compact_chunk().
  const std::set<Seq>& sparse() const { return sparse_; }
  void compact_chunk(Seq first);

  // Returns whether the counts and the indices are what the entries of the window say. That holds between any
  // two calls. The function looks at each entry of the window.
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
  std::set<Seq> sparse_;    // chunks at least half of which is garbage
};

}  // namespace holdfast
