// The state of one queue: a QueueState for each of its lanes, and what is one for all of them. What concerns
// a single message is asked of its lane: `of(seq)`. Which lane is next:
//   strict   the highest one with a ready message;
//   aging    the one whose oldest ready message was sent first, if a message of each level counts as sent one
//            period of aging earlier than one of the level below. So no message is overtaken by any sent
//            later than (levels - 1) periods after it, and of messages that waited equally long the higher
//            goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/queue_state.h"
#include "engine/core/schedule.h"
#include "engine/core/seq_math.h"

namespace holdfast {

class Lanes {
 public:
  // Of a new queue; or, for recovery, one state for each lane, and the rest of the checkpoint.
  explicit Lanes(std::vector<QueueState> lanes = std::vector<QueueState>(1), QueueTotals totals = {},
                 Schedule scheduled = {})
      : lanes_(std::move(lanes)), totals_(totals), scheduled_(scheduled) {}

  std::vector<QueueState>& all() { return lanes_; }
  const std::vector<QueueState>& all() const { return lanes_; }
  // The lane that the message is in. A seq that names no lane is in the first one, which does not know it.
  QueueState& of(Seq seq) { return lanes_[lane_index(seq)]; }
  const QueueState& of(Seq seq) const { return lanes_[lane_index(seq)]; }

  // --- options ---

  // Lanes are added, never taken away: messages in them stay. No aging: 0. To be called before the others,
  // which are about each lane that there is.
  void set_order(std::size_t levels, Duration aging, Grouping grouping);
  void set_failure_policy(const FailurePolicy& policy);
  // See FailurePolicy::brake.
  void set_brake(std::optional<Duration> delay);
  Grouping grouping() const { return lanes_.front().states().order().grouping(); }

  // --- messages ---

  std::vector<Grant> receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  void ack(Seq seq, Timestamp now);
  // Messages of the lowest lanes become exhausted: see QueueState. `load_from`: more can be after
  // the store was read from there.
  struct Dropped {
    std::uint64_t messages = 0;
    std::optional<Seq> load_from;
  };
  Dropped drop_heads(std::uint64_t messages, std::uint64_t bytes);
  bool expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended = nullptr);
  // When there is something to expire or to move in any lane.
  Timestamp next_due() const;
  std::uint64_t purge();

  // --- messages that are to leave, lowest seq first ---

  // Exhausted messages from `from` on. They stay so until they are removed or revived.
  std::vector<MessageRef> exhausted(Seq from, std::size_t max) const;
  // Messages on their way to the tail: those that are due are to be appended there, the others to be removed
  // to `scheduled`.
  std::vector<MessageRef> tailing(std::size_t max) const;
  // See QueueState::far_waiting().
  std::vector<MessageRef> far_waiting(Timestamp now, std::size_t max);

  // --- counts ---

  QueueCounts counts() const;
  // Of all lanes but the first.
  std::uint64_t unsettled_above() const;
  // How many are exhausted.
  std::size_t leaving() const;
  std::uint64_t leaving_bytes() const;
  // Bodies and attributes: of all messages, those in `scheduled` too, and of those that may be handed out.
  std::uint64_t bytes() const;
  std::uint64_t ready_bytes() const;
  // Those that are not counted here are to be added to.
  QueueTotals& totals() { return totals_; }
  const QueueTotals& totals() const { return totals_; }
  // Of the first lane, where dead letters are.
  Seq next_seq() const { return lanes_.front().log().next_seq(); }
  // One for all lanes; a message's lane follows from its priority when it enters.
  Schedule& scheduled() { return scheduled_; }
  const Schedule& scheduled() const { return scheduled_; }

  // --- chunks ---

  // Chunks that stay for a few stragglers: those that are at least half garbage, since most of the messages
  // that they store are done. As of the last close_group().
  std::size_t sparse_count() const;
  // The oldest of them.
  std::vector<Seq> sparse_chunks(std::size_t max) const;
  // Where the store must be read on, and which chunks of the window must be read before that.
  std::optional<Seq> load_from() const;
  std::vector<Seq> unread(std::size_t max) const;

  // What is read from the store between the two, without the lock, is told from what was finished since: see
  // ChunkLog::remember_finished(). Readings may overlap; what they remember is forgotten once there is none.
  void begin_reading();
  void end_reading();

 private:
  std::size_t lane_index(Seq seq) const { return lane_of(seq) < lanes_.size() ? lane_of(seq) : 0; }

  std::vector<QueueState> lanes_;
  QueueTotals totals_;
  Schedule scheduled_;
  Duration aging_{};
  std::size_t readings_ = 0;
};

}  // namespace holdfast
