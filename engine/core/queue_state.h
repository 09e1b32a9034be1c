// A QueueState has a LaneState for each lane of its queue, and what the lanes share. Callers ask about a
// single message at its lane, `of(seq)`. Which lane is handed out next depends on the order of the queue:
//  - Strict: the highest lane that has a ready message.
//  - Aging: the lane whose oldest ready message was sent first, where a message of each level counts as sent
//    one period of aging earlier than a message of the level below. So no message is overtaken by one that
//    was sent later than (levels - 1) periods after it, and of two messages that have waited equally long the
//    one of the higher level goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/helpers/check.h"
#include "engine/core/lane_state.h"
#include "engine/core/schedule.h"
#include "engine/core/seq_math.h"

namespace holdfast {

class QueueState {
 public:
  // Constructs the state of a new queue. For recovery, the caller passes one state for each lane, and the
  // rest of the checkpoint.
  explicit QueueState(std::vector<LaneState> lanes = std::vector<LaneState>(1), QueueTotals totals = {},
                      Schedule scheduled = {})
      : lanes_(std::move(lanes)), totals_(totals), scheduled_(scheduled) {
    HOLDFAST_CHECK(!lanes_.empty(), "a queue has a first lane");
  }

  std::vector<LaneState>& all() { return lanes_; }
  const std::vector<LaneState>& all() const { return lanes_; }
  // Returns the lane that the message is in. A seq that names no lane gives the first lane, which knows no
  // such message.
  LaneState& of(Seq seq) { return lanes_[lane_index(seq)]; }
  const LaneState& of(Seq seq) const { return lanes_[lane_index(seq)]; }

  // --- options ---

  // Sets how messages are ordered. Lanes are added and never taken away, since the messages in them stay.
  // `aging` is 0 without aging. The caller sets the order before the failure policy and the brake, which it
  // sets in each lane that there is.
  void set_order(std::size_t levels, Duration aging, Grouping grouping);
  void set_failure_policy(const FailurePolicy& policy);
  // Sets FailurePolicy::brake in every lane.
  void set_brake(std::optional<Duration> delay);
  Grouping grouping() const { return lanes_.front().states().order().grouping(); }

  // --- messages ---

  std::vector<Grant> receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  void ack(Seq seq, Timestamp now);
  // Makes messages of the lowest lanes exhausted: see LaneState::drop_heads(). If the result has a
  // `load_from`, more messages may follow once the store was read from there.
  struct Dropped {
    std::uint64_t messages = 0;
    std::optional<Seq> load_from;
  };
  Dropped drop_heads(std::uint64_t messages, std::uint64_t bytes);
  bool expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended = nullptr);
  // Returns when a message of any lane is to be expired or moved.
  Timestamp next_due() const;
  std::uint64_t purge();

  // --- messages that are to leave, lowest seq first ---

  // Returns exhausted messages, from the seq `from` on. They stay exhausted until they are removed or
  // revived.
  std::vector<MessageRef> exhausted(Seq from, std::size_t max) const;
  // Returns messages on their way to the tail. The caller appends those that are due at the tail, and removes
  // the others to `scheduled`.
  std::vector<MessageRef> tailing(std::size_t max) const;
  // Returns messages that wait beyond the horizon: see LaneState::far_waiting().
  std::vector<MessageRef> far_waiting(Timestamp now, std::size_t max);

  // --- counts ---

  QueueCounts counts() const;
  // Returns how many messages are unsettled in all lanes but the first.
  std::uint64_t unsettled_above() const;
  // Returns how many messages are exhausted, and the bytes of their bodies and attributes.
  std::size_t leaving() const;
  std::uint64_t leaving_bytes() const;
  // Returns bytes of bodies and attributes: of all messages, including those in `scheduled`, and of those
  // that may be handed out.
  std::uint64_t bytes() const;
  std::uint64_t ready_bytes() const;
  // Returns the totals of the queue. QueueState counts deliveries and acks, and its callers count the rest
  // here.
  QueueTotals& totals() { return totals_; }
  const QueueTotals& totals() const { return totals_; }
  // Returns the next seq of the first lane, which is the one that has dead letters.
  Seq next_seq() const { return lanes_.front().log().next_seq(); }
  // All lanes share one schedule. A message enters the lane of its priority when it leaves the schedule.
  Schedule& scheduled() { return scheduled_; }
  const Schedule& scheduled() const { return scheduled_; }

  // --- chunks ---

  // Returns how many chunks are sparse: at least half of the messages that the stored chunk holds are done.
  // The number is as of the last close_group().
  std::size_t sparse_count() const;
  // Returns the first sparse chunks of each lane, `max` in all.
  std::vector<Seq> sparse_chunks(std::size_t max) const;
  // load_from() returns the seq from which the store must be read on, and unread() the chunks of the window
  // that must be read before that.
  std::optional<Seq> load_from() const;
  std::vector<Seq> unread(std::size_t max) const;

  // Begins and ends a reading of the store without the lock. In between, every lane remembers what finishes,
  // so that it can be told from what was read (ChunkLog::remember_finished()). Readings may overlap; when the
  // last one ends, the lanes forget what they remembered.
  void begin_reading();
  void end_reading();

 private:
  std::size_t lane_index(Seq seq) const { return lane_of(seq) < lanes_.size() ? lane_of(seq) : 0; }

  std::vector<LaneState> lanes_;
  QueueTotals totals_;
  Schedule scheduled_;
  Duration aging_{};
  std::size_t readings_ = 0;
};

}  // namespace holdfast
