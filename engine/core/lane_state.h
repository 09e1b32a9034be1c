// A LaneState is the state of one lane of a queue: what a message of it may do. It is pure: it does no I/O,
// reads no clock and takes no lock. Bodies are not part of it; they lie in chunks, which the state knows by
// their first seq. MessageStates knows where the messages are and what state each is in. LaneState has the
// transitions, each of which leaves MessageStates consistent.
//
// The transitions are in three files: lane_state.cc says how messages enter and are taken out of turn,
// lane_state_deliver.cc how they are handed out, and lane_state_settle.cc how a delivery ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/attempts.h"
#include "engine/core/chunk_span.h"
#include "engine/core/chunk_state.h"
#include "engine/core/delivery.h"
#include "engine/core/failure_policy.h"
#include "engine/core/message_states.h"
#include "engine/core/pending_changes.h"
#include "holdfast/queue.h"

namespace holdfast {

class LaneState {
 public:
  // One receive makes this many more messages known to the groups of a fair queue.
  static constexpr std::size_t kFairStep = 4096;
  // A message that waits longer than this leaves the window for `scheduled`. The horizon is a minute: the
  // usual retry comes after seconds, which is not worth writing the message twice more, and what fails within
  // a minute fits in memory.
  static constexpr Duration kHorizon = std::chrono::seconds(60);

  // Constructs the state of a new lane. For recovery, the caller passes the numbers of the checkpoint, and
  // restore_chunk() follows for each row of `deliveries`, in ascending order.
  explicit LaneState(Seq next_seq = Seq{1}, Seq cursor = Seq{1}, std::uint64_t fresh = 0,
                     std::uint64_t dead = 0, std::uint64_t bytes = 0)
      : states_(next_seq, cursor, Tally(fresh, dead, bytes)) {}
  void restore_chunk(Seq first, ChunkState chunk) { states_.restore(first, std::move(chunk)); }

  // Return where the messages are, what state each is in, and the counts.
  const MessageStates& states() const { return states_; }
  const ChunkLog& log() const { return states_.log(); }
  const Window& window() const { return states_.log().window(); }
  // Returns whether a message of the window is a dead letter. It costs no search of the window while the lane
  // has none.
  bool is_dead_letter(Seq seq) const { return states_.tally().dead() > 0 && window().is_dead_letter(seq); }

  // --- messages enter ---

  // Appends one message and returns its seq. The message goes to the newest open chunk, which must be of its
  // kind, or to a new chunk. `group` counts only on a queue with grouping.
  Seq append(bool new_chunk, bool dead_letter, Timestamp sent_at = {}, GroupKey group = {},
             bool replayed = false, std::uint32_t bytes = 0) {
    return states_.append(new_chunk, dead_letter, sent_at, group, replayed, bytes);
  }
  // Gives a message that was appended just now the history that it had at another place. At the head it goes
  // on as a ready message, at the tail as a fresh one.
  void reenter(Seq seq, const FailureHistory& history, ReturnTo at);

  // --- messages are handed out ---

  // Hands out up to `max` messages. The first are those that came back, the lowest seq first; then come those
  // from the cursor on. There are fewer when the budget is spent, when there are no more messages, or when
  // the store must be asked for the next chunks first (load_from()). With grouping, the function hands out
  // what GroupIndex::next() gives; the cursor then passes messages of groups that are not free, at most
  // limits::kGroupLookahead of them.
  std::vector<Grant> receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  // Returns when the message that receive() hands out next was sent; more exactly, when the first message of
  // its chunk was. Returns nothing if no message is ready, or if the store must be asked first (load_from()).
  // The cursor passes messages that are no longer there to be handed out, as in receive().
  std::optional<Timestamp> head_sent_at() { return states_.head_sent_at(); }

  // Returns the seq to read the store from, if receive() stopped because it lacks chunks. The chunks of
  // DeliveryOrder::unread() are read before that.
  std::optional<Seq> load_from() const { return states_.order().load_from(states_.log()); }
  // Adds the store's chunks from load_from() on. They are complete up to `end`, and were read while the lane
  // remembers what finishes. If load_from() says another seq than `from` by now, somebody else was faster,
  // and nothing changes.
  void add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end);
  // Tells when the first message of an unread chunk was sent, and the groups of its messages. A chunk that is
  // no longer unread is left as it is.
  void set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups);
  // Turns on or off that the lane remembers what finishes: see ChunkLog::remember_finished() and
  // QueueState::begin_reading().
  void remember_finished(bool on) { states_.log().remember_finished(on); }

  // --- deliveries: Window::check() must have found the receipt of each valid ---

  void extend(Seq seq, Timestamp until);
  // Notes that the delivery, which must be started, has a description for the case that it fails. Returns the
  // place where the open group must put the description. An uncharged release takes it away.
  FailurePlace describe(Seq seq);
  // Charges a prefetched delivery. Returns false if it was charged before. Whether it was or not, the lease
  // of a prefetched delivery then ends a full length after `now`, unless it ends later anyway.
  bool start(Seq seq, Timestamp now);
  // Gives the message back. It is ready from `visible_at` on. If that is not set, a charged message is ready
  // when the retry policy says, and an uncharged one at once. `to` says where the message goes. If that is
  // not set, a charged message goes where the retry policy says, and an uncharged one to its place. Returns
  // true if the caller must move the message: this was its last delivery, so it is exhausted instead; or it
  // goes to the tail.
  struct Return {
    bool charge = true;
    std::optional<Timestamp> visible_at = {};
    std::optional<ReturnTo> to = {};
  };
  [[nodiscard]] bool release(Seq seq, const Return& how, Timestamp now);
  void ack(Seq seq, Timestamp now);
  // Notes a failure that ends the message's life in this queue. The caller moves the message after that.
  void note_failure(Seq seq, Timestamp at, AttemptEnd end);
  // Returns whether the message may go to the tail. A dead letter and a message of an ordered queue may not.
  bool may_go_to_tail(Seq seq) const;

  // --- time and bounds ---

  // Ends leases and delays that ran out by `now`, in at most `max_chunks` chunks. Messages that failed their
  // last delivery become exhausted. Returns false if nothing had run out. The leases are added to `ended`,
  // unless it is null.
  bool expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended = nullptr);
  // Says that the message's time to live ran out. The message becomes exhausted at once, or when its lease
  // ends. `span` is the chunk that the message is in.
  void expire_message(Seq seq, const ChunkSpan& span);
  // Makes messages exhausted, in the order in which receive() hands them out, until at least `messages` are,
  // with at least `bytes` bytes in all. On an ordered queue the oldest ones go first, even if their group is
  // held. There are fewer if no more are known.
  struct Dropped {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  Dropped drop_heads(std::uint64_t messages, std::uint64_t bytes);

  // --- messages that are to leave: DueIndex lists them ---

  // Makes an exhausted message ready again, because it has nowhere to go. An exhausted message that is not
  // revived stays so until remove().
  void revive(Seq seq);
  // Returns messages that wait beyond the horizon, the lowest seq first. The caller removes them to
  // `scheduled`.
  std::vector<MessageRef> far_waiting(Timestamp now, std::size_t max);
  bool waits_far(Seq seq, Timestamp now) const;
  // Keeps a message in the window that waits beyond the horizon, because moving it failed.
  void keep_far_waiting(Seq seq) { states_.due().far().erase(seq); }
  // Lets a message on its way to the tail return to its own place, because moving it failed.
  void keep_place(Seq seq);
  // Says that the message moves to another place, where reenter() takes over the descriptions of its
  // failures. A remove() of the message then leaves them on disk.
  void take_descriptions_along(Seq seq);

  // --- messages are taken out of turn: exhausted ones, and those that ChunkLog::check_free() finds free ---

  // Removes a message that leaves by redrive, dead-lettering or discard. `span` is the chunk that the message
  // is in. It is needed to detach the chunk if the message lies past the cursor.
  void remove(Seq seq, const ChunkSpan& span);
  // Removes a chunk of dead letters as a whole. Returns false, and changes nothing, if somebody has touched
  // the chunk or the queue has groups. `span` must be committed, and must not have been removed before.
  bool remove_untouched(const ChunkSpan& span) { return states_.remove_untouched(span); }
  // Removes everything. Returns how many messages there were.
  std::uint64_t purge();

  // --- the commit group ---

  // Returns what changed since the last call, and closes the open chunks: they reach the store together with
  // these changes.
  GroupChanges close_group() { return states_.close_group(); }
  // Returns a chunk that close_group() gave as dirty, and counts its row as put.
  const ChunkState& chunk_for_row(Seq first) { return states_.chunk_for_row(first); }
  // Packs a chunk past the cursor, which then takes less memory. The caller calls it after chunk_for_row(),
  // once the row is encoded.
  void pack(Seq first) { states_.pack(first); }
  // Returns the redriven messages, in chunks of replayed ones, that were acknowledged since the last call.
  std::vector<AckedReplay> take_acked_replays() { return states_.changes().take_acked_replays(); }
  // Notes that a chunk of MessageStates::sparse() is stored again without its messages that are done by now.
  void compact_chunk(Seq first) { states_.compact_chunk(first); }

  // --- options ---

  // Sets how messages are ordered. `timed` says whether head_sent_at() is asked.
  void set_order(Grouping grouping, bool timed);
  FailurePolicy& policy() { return policy_; }

 private:
  MessageStates states_;
  FailurePolicy policy_;
};

}  // namespace holdfast
