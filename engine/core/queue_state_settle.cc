// How a delivery ends: with an ack; with a failure, after which the message is ready, waits, goes to the tail
// or is exhausted; or because somebody takes the message out of turn.
#include "engine/core/queue_state.h"

#include <algorithm>
#include <numeric>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"

namespace holdfast {

ReceiptCheck QueueState::check(Seq seq, LeaseId lease) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) return ReceiptCheck::kGone;
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  if (entry.state == EntryState::kDone) return ReceiptCheck::kGone;
  const bool valid = entry.state == EntryState::kLeased && entry.lease == lease;
  return valid ? ReceiptCheck::kValid : ReceiptCheck::kStale;
}

QueueState::Leased QueueState::leased(Seq seq) {
  const auto chunk = chunk_of(seq);
  HOLDFAST_CHECK(chunk != window_.end(), "a delivery that goes on is of a message of the window");
  Entry& entry = chunk->second.entries[seq - chunk->first];
  HOLDFAST_CHECK(entry.state == EntryState::kLeased,
                 "only a leased message is settled, extended or described");
  return {chunk, entry};
}

bool QueueState::start(Seq seq, Timestamp now) {
  const auto [chunk, entry] = leased(seq);
  // Also of one that has started: a start whose answer was lost is repeated, and its message may be handled
  // from then on. Never earlier: its holder may have extended it for longer.
  const Timestamp until = now + std::chrono::milliseconds(entry.renewal_ms);
  if (entry.renewal_ms > 0 && until > entry.due) end_lease_at(chunk, entry, until);
  if (!entry.prefetched) return false;
  entry.prefetched = false;
  ++entry.deliveries;
  touch(chunk);
  return true;
}

void QueueState::extend(Seq seq, Timestamp until) {
  const auto [chunk, entry] = leased(seq);
  if (entry.extended < limits::kCountedExtensions) ++entry.extended;
  end_lease_at(chunk, entry, until);
}

void QueueState::end_lease_at(Window::iterator chunk, Entry& entry, Timestamp until) {
  entry.held_ms = whole_ms(std::chrono::milliseconds(entry.held_ms) + (until - entry.due));
  entry.due = until;
  touch(chunk);
  schedule(chunk, until);
}

void QueueState::ack(Seq seq, Timestamp now) {
  const auto chunk = leased(seq).chunk;
  ++totals_.acked;
  if (chunk->second.replayed) {
    acked_replays_.push_back({chunk->first, static_cast<std::uint32_t>(seq - chunk->first), now});
  }
  finish(chunk, seq);
}

void QueueState::finish(Window::iterator chunk, Seq seq) {
  Entry& entry = chunk->second.entries[seq - chunk->first];
  set_state(chunk, entry, EntryState::kDone);
  undescribe(seq, entry, entry.described);
  entry.attempts.reset();
  if (chunk->second.dead_letters) {
    --dead_;
    changes_.settled_dead.push_back(seq);
  }
  drop_if_finished(chunk);
}

bool QueueState::release(Seq seq, const Return& how, Timestamp now) {
  const auto [chunk, entry] = leased(seq);
  if (how.charge && !entry.prefetched) return fail_delivery(chunk, entry, now, AttemptEnd::kReleased, how);
  undescribe_next(seq, entry);
  if (!entry.prefetched) --entry.deliveries;
  give_back(chunk, entry, now, how.visible_at, how.to.value_or(ReturnTo::kHead));
  return entry.expired || entry.to_tail;
}

bool QueueState::fail_delivery(Window::iterator chunk, Entry& entry, Timestamp at, AttemptEnd end,
                               const Return& how) {
  const Seq seq = chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data());
  note_failure(seq, entry, at, end);
  if (!brake_ && is_last(entry, at)) {
    set_state(chunk, entry, EntryState::kExhausted);
    return true;
  }
  auto visible_at = how.visible_at;
  if (!visible_at) {
    const auto noise = static_cast<std::uint64_t>(seq) ^ (static_cast<std::uint64_t>(entry.lease) << 16);
    visible_at = at + retry_delay(retry_, entry.deliveries, noise);
  }
  if (brake_) {
    --entry.deliveries;
    visible_at = std::max(*visible_at, at + *brake_);
  }
  give_back(chunk, entry, at, visible_at, how.to.value_or(retry_.to));
  return entry.expired || entry.to_tail;
}

bool QueueState::is_last(const Entry& entry, Timestamp failed_at) const {
  if (max_deliveries_ != 0 && entry.deliveries >= max_deliveries_) return true;
  return lifetime_ > Duration{0} && failed_at - entry.first_failed_at > lifetime_;
}

void QueueState::note_failure(Seq seq, Entry& entry, Timestamp at, AttemptEnd end) {
  if (entry.first_failed_at == Timestamp{}) entry.first_failed_at = at;
  entry.last_failed_at = at;
  const Duration held = std::chrono::milliseconds(entry.held_ms) - (entry.due - at);
  AttemptNote attempt{.failed_at = at, .end = end, .extended = entry.extended, .held_ms = whole_ms(held)};
  if (entry.consumer) attempt.consumer = *entry.consumer;
  entry.attempts = attempts_.add(entry.attempts, attempt);
  undescribe_next(seq, entry);  // of an attempt that is not kept any more
}

void QueueState::note_failure(Seq seq, Timestamp at, AttemptEnd end) {
  note_failure(seq, leased(seq).entry, at, end);
}

void QueueState::give_back(Window::iterator chunk, Entry& entry, Timestamp at,
                           std::optional<Timestamp> visible_at, ReturnTo to) {
  entry.prefetched = false;
  if (entry.expired) return set_state(chunk, entry, EntryState::kExhausted);
  if (to == ReturnTo::kTail && may_go_to_tail(chunk)) {
    entry.due = std::max(visible_at.value_or(at), at);
    set_state(chunk, entry, EntryState::kWaiting);
    entry.to_tail = true;
    tailing_.insert(chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data()));
    return;
  }
  if (!visible_at || *visible_at <= at) return set_state(chunk, entry, EntryState::kReady);
  entry.due = *visible_at;
  set_state(chunk, entry, EntryState::kWaiting);
  schedule(chunk, entry.due);
  note_wait(chunk, entry, at);
}

bool QueueState::may_go_to_tail(Window::const_iterator chunk) const {
  // A dead letter's record names its place; and the order of a group holds.
  return !chunk->second.dead_letters && grouping() != Grouping::kOrdered;
}

bool QueueState::may_go_to_tail(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk != window_.end() && may_go_to_tail(chunk);
}

bool QueueState::is_dead_letter(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk != window_.end() && chunk->second.dead_letters;
}

std::vector<MessageRef> QueueState::tailing(std::size_t max) const {
  std::vector<MessageRef> result;
  for (auto seq = tailing_.begin(); seq != tailing_.end() && result.size() < max; ++seq) {
    const Seq first = chunk_of(*seq)->first;
    result.push_back({first, static_cast<std::uint32_t>(*seq - first)});
  }
  return result;
}

void QueueState::keep_place(Seq seq) {
  HOLDFAST_CHECK(is_tailing(seq), "only a message on its way to the tail goes to its place after all");
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  tailing_.erase(seq);
  entry.to_tail = false;
  schedule(chunk, entry.due);
  touch(chunk);
}

ReceiptCheck QueueState::check_free(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == window_.end()) return is_untouched(seq) ? ReceiptCheck::kValid : ReceiptCheck::kGone;
  switch (chunk->second.entry(seq - chunk->first).state) {
    case EntryState::kFresh:
    case EntryState::kReady:
    case EntryState::kWaiting:
      return ReceiptCheck::kValid;
    case EntryState::kLeased:
    case EntryState::kExhausted:
      return ReceiptCheck::kStale;
    case EntryState::kDone:
      break;
  }
  return ReceiptCheck::kGone;
}

QueueState::Window::iterator QueueState::detach_chunk(const ChunkSpan& span) {
  if (groups_ || timed_) unread_.insert(span.first);
  remove_ahead(span.first);
  return window_.emplace(span.first, enter_window(span)).first;
}

void QueueState::remove(Seq seq, const ChunkSpan& span) {
  auto chunk = chunk_of(seq);
  if (chunk == window_.end()) chunk = detach_chunk(span);
  HOLDFAST_CHECK(seq - chunk->first < chunk->second.count(),
                 "a message is removed with the chunk that it is in");
  finish(chunk, seq);
}

bool QueueState::remove_untouched(const ChunkSpan& span) {
  if (span.first < cursor_ || window_.contains(span.first) || groups_) return false;
  HOLDFAST_CHECK(span.count <= fresh_ && span.count <= dead_,
                 "a chunk of dead letters that nobody has touched is counted");
  remove_ahead(span.first);
  fresh_ -= span.count;
  dead_ -= span.count;
  const auto bytes = std::accumulate(span.sizes.begin(), span.sizes.end(), std::uint64_t{0});
  bytes_ -= bytes;
  ready_bytes_ -= bytes;
  note_finished({span, ChunkState::RowPuts::kNone, true});
  changes_.settled_dead_chunks.push_back(span);
  return true;
}

}  // namespace holdfast
