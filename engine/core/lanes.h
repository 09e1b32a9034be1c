// The state of one queue: a QueueState for each of its lanes. A queue without priorities has one lane, and
// all this does is pass on. Which lane is next:
//   strict   the highest one with a ready message;
//   aging    the one whose oldest ready message was sent first, if a message of each level counts as sent one
//            period of aging earlier than one of the level below. So no message is overtaken by any sent
//            later than (levels - 1) periods after it, and of messages that waited equally long the higher
//            goes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/core/lane.h"
#include "engine/core/queue_state.h"

namespace holdfast {

class Lanes {
 public:
  Lanes();
  // Recovery: one state for each lane.
  explicit Lanes(std::vector<QueueState> lanes) : lanes_(std::move(lanes)) {}

  std::vector<QueueState>& all() { return lanes_; }
  const std::vector<QueueState>& all() const { return lanes_; }
  // The lane that the message is in. A seq that names no lane is in the first one, which does not know it.
  QueueState& of(Seq seq) { return lanes_[lane_index(seq)]; }
  const QueueState& of(Seq seq) const { return lanes_[lane_index(seq)]; }

  // --- options ---

  // Lanes are added, never taken away: messages in them stay. No aging: 0.
  void set_priorities(std::size_t levels, Duration aging);
  void set_max_deliveries(std::uint32_t max_deliveries);
  void set_grouping(Grouping grouping);
  void set_brake(std::optional<Duration> delay) {
    for (QueueState& lane : lanes_) lane.set_brake(delay);
  }
  void set_retry(const RetryPolicy& policy);
  void set_lifetime(Duration lifetime);
  Grouping grouping() const { return lanes_.front().grouping(); }

  // --- of all lanes ---

  std::vector<Grant> receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  // Messages of the lowest lanes become exhausted: see QueueState. `load_from`: more can be after
  // load_ahead().
  struct Dropped {
    std::uint64_t messages = 0;
    std::optional<Seq> load_from;
  };
  Dropped drop_heads(std::uint64_t messages, std::uint64_t bytes);
  // How many are exhausted.
  std::size_t leaving() const;
  std::uint64_t leaving_bytes() const;
  // Bodies and attributes: of all messages, those in `scheduled` too, and of those that may be handed out.
  std::uint64_t bytes() const;
  std::uint64_t ready_bytes() const;
  bool expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended = nullptr);
  Timestamp next_due() const;
  std::vector<MessageRef> exhausted(Seq from, std::size_t max) const;
  std::uint64_t purge();
  std::size_t sparse_count() const;
  std::vector<Seq> sparse_chunks(std::size_t max) const;
  std::optional<Seq> load_from() const;
  std::vector<Seq> unread(std::size_t max) const;
  QueueCounts counts() const;
  // Of all lanes but the first.
  std::uint64_t unsettled_above() const;
  QueueTotals totals() const;
  // To be added to.
  QueueTotals& totals() { return lanes_.front().totals(); }
  // Of the first lane, where dead letters are.
  Seq next_seq() const { return lanes_.front().next_seq(); }
  // One for all lanes; a message's lane follows from its priority when it enters.
  Schedule& scheduled() { return lanes_.front().scheduled(); }
  const Schedule& scheduled() const { return lanes_.front().scheduled(); }
  std::vector<MessageRef> tailing(std::size_t max) const;
  std::vector<MessageRef> far_waiting(Timestamp now, std::size_t max);

  // What is read from the store between the two, without the lock, is told from what was finished since: see
  // QueueState::remember_finished(). Readings may overlap; what they remember is forgotten once there is
  // none.
  void begin_reading();
  void end_reading();

  // --- of the message's lane ---

  void restore_chunk(Seq first, ChunkState chunk) { of(first).restore_chunk(first, std::move(chunk)); }
  ReceiptCheck check(Seq seq, LeaseId lease) const { return of(seq).check(seq, lease); }
  void extend(Seq seq, Timestamp until) { of(seq).extend(seq, until); }
  FailurePlace describe(Seq seq) { return of(seq).describe(seq); }
  bool any_described(Seq first) const { return of(first).any_described(first); }
  void take_descriptions_along(Seq seq) { of(seq).take_descriptions_along(seq); }
  [[nodiscard]] bool release(Seq seq, const QueueState::Return& how, Timestamp now) {
    return of(seq).release(seq, how, now);
  }
  bool may_go_to_tail(Seq seq) const { return of(seq).may_go_to_tail(seq); }
  bool is_dead_letter(Seq seq) const { return of(seq).is_dead_letter(seq); }
  bool is_tailing(Seq seq) const { return of(seq).is_tailing(seq); }
  void keep_place(Seq seq) { of(seq).keep_place(seq); }
  bool start(Seq seq, Timestamp now) { return of(seq).start(seq, now); }
  void expire_message(Seq seq, const ChunkSpan& span) { of(seq).expire_message(seq, span); }
  std::optional<MessageStatus> peek(Seq seq) const { return of(seq).peek(seq); }
  void ack(Seq seq, Timestamp now) { of(seq).ack(seq, now); }
  void note_failure(Seq seq, Timestamp at, AttemptEnd end) { of(seq).note_failure(seq, at, end); }
  bool is_exhausted(Seq seq) const { return of(seq).is_exhausted(seq); }
  void revive(Seq seq) { of(seq).revive(seq); }
  ReceiptCheck check_free(Seq seq) const { return of(seq).check_free(seq); }
  void remove(Seq seq, const ChunkSpan& span) { of(seq).remove(seq, span); }
  bool remove_untouched(const ChunkSpan& span) { return of(span.first).remove_untouched(span); }
  std::uint32_t bytes_of(Seq seq) const { return of(seq).bytes_of(seq); }
  FailureHistory history(Seq seq) const { return of(seq).history(seq); }
  std::optional<ChunkSpan> span_of(Seq seq) const { return of(seq).span_of(seq); }
  bool waits_far(Seq seq, Timestamp now) const { return of(seq).waits_far(seq, now); }
  Timestamp due_of(Seq seq) const { return of(seq).due_of(seq); }
  void keep_far_waiting(Seq seq) { of(seq).keep_far_waiting(seq); }
  void reenter(Seq seq, const FailureHistory& history, ReturnTo at) { of(seq).reenter(seq, history, at); }
  bool is_unread(Seq first) const { return of(first).is_unread(first); }
  void set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups) {
    of(first).set_contents(first, sent_at, std::move(groups));
  }
  const ChunkState* stored_chunk(Seq first) const { return of(first).stored_chunk(first); }
  void compact_chunk(Seq first) { of(first).compact_chunk(first); }
  void add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end) {
    of(from).add_ahead(from, chunks, end);
  }

 private:
  std::size_t lane_index(Seq seq) const { return lane_of(seq) < lanes_.size() ? lane_of(seq) : 0; }
  std::vector<Grant> receive_strict(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  std::vector<Grant> receive_aged(std::size_t max, const LeaseTerms& terms, ByteBudget& budget);
  // The lane whose turn it is; none if no message is ready, or one must be read first.
  QueueState* next_aged();

  std::vector<QueueState> lanes_;
  Duration aging_{};
  std::size_t readings_ = 0;
};

}  // namespace holdfast
