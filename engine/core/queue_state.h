// The state of one lane of a queue: what a message of it may do. Pure: no I/O, no clock, no lock of its own.
// Bodies are not here; they lie in chunks, which the state knows by their first seq. MessageStates has where
// the messages are and what state each is in; here are the transitions, each of which leaves it consistent.
//
// Where to read on: queue_state.cc has how messages enter and are taken out of turn, queue_state_deliver.cc
// how they are handed out, queue_state_settle.cc how a delivery ends.
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

class QueueState {
 public:
  // How many more messages one receive makes known to the groups of a fair queue.
  static constexpr std::size_t kFairStep = 4096;
  // A wait of the window longer than this is spent in `scheduled`. A minute: retries after seconds, the
  // usual ones, are not worth writing the message twice more, and what fails within a minute fits in memory.
  static constexpr Duration kHorizon = std::chrono::seconds(60);

  // Of a new lane; or, for recovery, the checkpoint's numbers, then restore_chunk for each row of
  // `deliveries`, ascending.
  explicit QueueState(Seq next_seq = Seq{1}, Seq cursor = Seq{1}, std::uint64_t fresh = 0,
                      std::uint64_t dead = 0, std::uint64_t bytes = 0)
      : states_(next_seq, cursor, Tally(fresh, dead, bytes)) {}
  void restore_chunk(Seq first, ChunkState chunk) { states_.restore(first, std::move(chunk)); }

  // Where the messages are, what state each is in, and the counts.
  const MessageStates& states() const { return states_; }
  const ChunkLog& log() const { return states_.log(); }
  const Window& window() const { return states_.log().window(); }

  // --- messages enter ---

  // Appends one message, to the newest open chunk or to a new one of that kind. `group` counts on a queue
  // with grouping only.
  Seq append(bool new_chunk, bool dead_letter, Timestamp sent_at = {}, GroupKey group = {},
             bool replayed = false, std::uint32_t bytes = 0) {
    return states_.append(new_chunk, dead_letter, sent_at, group, replayed, bytes);
  }
  // A message that was appended just now had been delivered before, at another place: it goes on with that
  // history, at the head as one that is ready, at the tail as a fresh one.
  void reenter(Seq seq, const FailureHistory& history, ReturnTo at);

  // --- messages are handed out ---

  // Hands out up to `max` messages: what came back first, lowest seq first, then from the cursor. Fewer when
  // the budget is spent, when there are no more, or when the store must be asked for the next chunks first:
  // see load_from(). With grouping: what GroupIndex::next() gives; the cursor then passes messages of groups
  // that are not free, at most limits::kGroupLookahead of them.
  std::vector<Grant> receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  // When what receive() gives next was sent: the first message of its chunk, to be exact. Nothing if nothing
  // is ready, or if the store must be asked first: see load_from(). The cursor passes what is no longer there
  // to be given, as in receive().
  std::optional<Timestamp> head_sent_at() { return states_.head_sent_at(); }

  // Set when receive stopped for want of them: the seq to read from, once DeliveryOrder::unread() is empty.
  std::optional<Seq> load_from() const { return states_.order().load_from(states_.log()); }
  // The store's chunks from load_from() on, complete up to `end`, read while what is finished is remembered.
  // Ignored when `from` is not what load_from() says now, since somebody else was faster.
  void add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end);
  // Of a chunk that is unread; ignored if it isn't any more.
  void set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups);
  // See ChunkLog::remember_finished(), and Lanes::begin_reading().
  void remember_finished(bool on) { states_.log().remember_finished(on); }

  // --- deliveries: each call is about one whose receipt Window::check() found valid ---

  void extend(Seq seq, Timestamp until);
  // The delivery has a description of its failure, should it fail; `seq` is started. Gives where it is to be
  // put, with this group. An uncharged release takes it away.
  FailurePlace describe(Seq seq);
  // A prefetched delivery is charged now. False if it was charged before. Either way its lease ends a full
  // length after `now`, unless it ends later anyway.
  bool start(Seq seq, Timestamp now);
  // Gives the message back, ready from `visible_at` on, or, if that is not set, when the retry policy says;
  // without charge at once. `to`: if it is not set, where the retry policy says, without charge to its place.
  // True if the caller is to move it: this was its last delivery, so it is exhausted instead; or it goes to
  // the tail.
  struct Return {
    bool charge = true;
    std::optional<Timestamp> visible_at = {};
    std::optional<ReturnTo> to = {};
  };
  [[nodiscard]] bool release(Seq seq, const Return& how, Timestamp now);
  void ack(Seq seq, Timestamp now);
  // A failure that ends the message's life here: for its history, before it is moved.
  void note_failure(Seq seq, Timestamp at, AttemptEnd end);
  // Whether it may go to the tail: not from an ordered queue, and not a dead letter.
  bool may_go_to_tail(Seq seq) const;

  // --- time and bounds ---

  // Leases and delays that ran out by `now`, in at most `max_chunks` chunks. Messages that failed their last
  // delivery become exhausted. False if nothing had run out. `ended`, if it is not null, gets the leases.
  bool expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended = nullptr);
  // The message's time to live ran out: it becomes exhausted, at once or when its lease ends. `span` is as
  // for remove().
  void expire_message(Seq seq, const ChunkSpan& span);
  // Messages become exhausted, those that receive() would give, until at least so many are and they have at
  // least so many bytes; fewer as there.
  struct Dropped {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
  };
  Dropped drop_heads(std::uint64_t messages, std::uint64_t bytes);

  // --- messages that are to leave: DueIndex has them ---

  // An exhausted message that has nowhere to go is ready again. Others stay exhausted until remove().
  void revive(Seq seq);
  // Messages that wait beyond the horizon, lowest seq first. They are to be removed to `scheduled`.
  std::vector<MessageRef> far_waiting(Timestamp now, std::size_t max);
  bool waits_far(Seq seq, Timestamp now) const;
  // It stays in the window after all: moving it failed.
  void keep_far_waiting(Seq seq) { states_.due().far().erase(seq); }
  // A message on its way to the tail goes to its place after all: moving it failed.
  void keep_place(Seq seq);
  // The message goes to another place, and the descriptions of its failures stay, for reenter(): they do not
  // go with remove().
  void take_descriptions_along(Seq seq);

  // --- messages are taken out of turn: those that ChunkLog::check_free() finds free, and exhausted ones ---

  // The message leaves the queue, by redrive, dead-lettering or discard. For a message past the cursor
  // `span`, the chunk that it is in, is needed to detach that.
  void remove(Seq seq, const ChunkSpan& span);
  // A chunk of dead letters leaves as a whole, if nobody has touched it and the queue has no groups; else
  // false, and nothing changed. `span` is one that is committed, and was not removed before.
  bool remove_untouched(const ChunkSpan& span) { return states_.remove_untouched(span); }
  // Everything is gone. Gives how many messages that were.
  std::uint64_t purge();

  // --- the commit group ---

  // What changed since the last call. Closes the open chunks: they reach the store with these changes.
  GroupChanges close_group() { return states_.close_group(); }
  // A chunk that close_group() gave as dirty; its row is taken as put.
  const ChunkState& chunk_for_row(Seq first) { return states_.chunk_for_row(first); }
  // To be called after that, once the row is encoded: a chunk past the cursor takes less memory from here on.
  void pack(Seq first) { states_.pack(first); }
  // Messages of chunks of replayed ones that were acknowledged since the last call.
  std::vector<AckedReplay> take_acked_replays() { return states_.changes().take_acked_replays(); }
  // A chunk of MessageStates::sparse() is stored anew, without those of its messages that are done by now.
  void compact_chunk(Seq first) { states_.compact_chunk(first); }

  // --- options ---

  // `timed`: whether head_sent_at() is asked.
  void set_order(Grouping grouping, bool timed);
  FailurePolicy& policy() { return policy_; }

 private:
  MessageStates states_;
  FailurePolicy policy_;
};

}  // namespace holdfast
