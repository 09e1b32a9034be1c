// What time and bounds do to messages: leases and delays that run out, times to live, heads that make room;
// the exhausted ones until somebody moves them; and messages that wait so long that they leave the window
// (kHorizon).
#include "engine/core/queue_state.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"

namespace holdfast {

bool QueueState::expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended) {
  bool any = false;
  for (; max_chunks > 0 && next_timer() <= now; --max_chunks) {
    const auto chunk = window_.find(timers_.begin()->second);
    reschedule(chunk, Timestamp::max());
    Timestamp next = Timestamp::max();
    for (Entry& entry : chunk->second.entries) {
      const bool timed =
          entry.state == EntryState::kLeased || (entry.state == EntryState::kWaiting && !entry.to_tail);
      if (timed && entry.due > now) {
        next = std::min(next, entry.due);
        continue;
      }
      any |= timed;
      if (ended != nullptr && entry.state == EntryState::kLeased) {
        const auto index = static_cast<std::uint32_t>(&entry - chunk->second.entries.data());
        ended->push_back({{chunk->first, index}, entry.due, entry.deliveries});
      }
      if (entry.state == EntryState::kLeased && entry.prefetched) {
        give_back(chunk, entry, entry.due, std::nullopt, ReturnTo::kHead);
      } else if (entry.state == EntryState::kLeased) {
        fail_delivery(chunk, entry, entry.due, AttemptEnd::kLeaseExpired, {});
      } else if (timed) {
        set_state(chunk, entry, EntryState::kReady);
      }
    }
    schedule(chunk, next);
  }
  return any;
}

void QueueState::expire_message(Seq seq, const ChunkSpan& span) {
  if (check_free(seq) == ReceiptCheck::kGone) return;
  auto chunk = chunk_of(seq);
  if (chunk == window_.end()) chunk = detach_chunk(span);
  HOLDFAST_CHECK(seq - chunk->first < chunk->second.count(),
                 "a message expires with the chunk that it is in");
  Entry& entry = chunk->second.entries[seq - chunk->first];
  switch (entry.state) {
    case EntryState::kFresh:
    case EntryState::kReady:
    case EntryState::kWaiting:
      entry.expired = true;
      return set_state(chunk, entry, EntryState::kExhausted);
    case EntryState::kLeased:
      entry.expired = true;
      return touch(chunk);
    case EntryState::kExhausted:
    case EntryState::kDone:
      return;
  }
}

QueueState::Dropped QueueState::drop_heads(std::uint64_t messages, std::uint64_t bytes) {
  const std::uint64_t delivered = totals_.delivered;
  Dropped dropped;
  ByteBudget any;
  while (dropped.messages < messages || dropped.bytes < bytes) {
    // How many more make up the bytes shows only one by one.
    const std::uint64_t more = dropped.messages < messages ? messages - dropped.messages : 1;
    const LeaseTerms terms{.until = Timestamp::max(), .consumer = nullptr, .prefetch = true, .nobody = true};
    // Of an ordered queue also what waits for its group: one that is held must not let the queue grow. The
    // order of what is left stays.
    const bool any_group = grouping() == Grouping::kOrdered && unread_.empty();
    const std::vector<Grant> heads = any_group ? lease_oldest(more, terms, any) : receive(more, terms, any);
    for (const Grant& head : heads) {
      const auto chunk = window_.find(head.chunk);
      Entry& entry = chunk->second.entries[head.index];
      entry.prefetched = false;
      entry.overflowed = true;
      set_state(chunk, entry, EntryState::kExhausted);
      dropped.bytes += entry.bytes;
    }
    dropped.messages += heads.size();
    if (heads.size() < more) break;
  }
  totals_.delivered = delivered;  // nobody sees them
  return dropped;
}

std::vector<MessageRef> QueueState::exhausted(Seq from, std::size_t max) const {
  std::vector<MessageRef> result;
  for (auto seq = exhausted_.lower_bound(from); seq != exhausted_.end() && result.size() < max; ++seq) {
    const Seq first = chunk_of(*seq)->first;
    result.push_back({first, static_cast<std::uint32_t>(*seq - first)});
  }
  return result;
}

void QueueState::revive(Seq seq) {
  HOLDFAST_CHECK(is_exhausted(seq), "only an exhausted message is ready again");
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  entry.overflowed = false;
  set_state(chunk, entry, EntryState::kReady);
}

bool QueueState::waits_beyond(const Entry& entry, Timestamp horizon) {
  return entry.state == EntryState::kWaiting && entry.due > horizon;
}

void QueueState::note_wait(Window::iterator chunk, const Entry& entry, Timestamp now) {
  // A dead letter stays, since its failure record names its place in the log; and so does a message of an
  // ordered group, which would lose its turn.
  if (chunk->second.dead_letters || grouping() == Grouping::kOrdered || !waits_beyond(entry, now + kHorizon))
    return;
  far_.insert(chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data()));
}

std::vector<MessageRef> QueueState::far_waiting(Timestamp now, std::size_t max) {
  std::vector<MessageRef> result;
  for (auto next = far_.begin(); next != far_.end() && result.size() < max;) {
    const Seq seq = *next;
    if (waits_far(seq, now)) {
      const Seq first = chunk_of(seq)->first;
      result.push_back({first, static_cast<std::uint32_t>(seq - first)});
      ++next;
    } else {
      next = far_.erase(next);
    }
  }
  return result;
}

bool QueueState::waits_far(Seq seq, Timestamp now) const {
  const auto chunk = chunk_of(seq);
  return chunk != window_.end() && grouping() != Grouping::kOrdered &&
         waits_beyond(chunk->second.entry(seq - chunk->first), now + kHorizon);
}

Timestamp QueueState::due_of(Seq seq) const {
  const auto chunk = chunk_of(seq);
  HOLDFAST_CHECK(chunk != window_.end(), "only a message of the window is asked when it is due");
  return chunk->second.entry(seq - chunk->first).due;
}

void QueueState::reenter(Seq seq, const FailureHistory& history, ReturnTo at) {
  auto chunk = chunk_of(seq);
  HOLDFAST_CHECK(chunk != window_.end() || !open_.empty(),
                 "a message that was appended just now is in a chunk");
  if (chunk == window_.end()) chunk = detach_chunk(open_.back());
  HOLDFAST_CHECK(seq - chunk->first < chunk->second.count(),
                 "only a message that was appended just now goes on with its history");
  Entry& entry = chunk->second.entries[seq - chunk->first];
  entry.deliveries = history.deliveries;
  entry.first_failed_at = history.first_failed_at;
  entry.last_failed_at = history.last_failed_at;
  entry.consumer = history.consumer;
  entry.attempts = history.attempts;
  entry.set_described(history.described);
  if (entry.described != 0) {
    AttemptNotes notes = *history.attempts;
    notes.home = history.home;
    entry.attempts = std::make_shared<const AttemptNotes>(std::move(notes));
  }
  if (at == ReturnTo::kTail) return touch(chunk);
  set_state(chunk, entry, EntryState::kReady);
}

}  // namespace holdfast
