// These functions let messages enter and leave their places other than by being delivered: those that come
// back to the log, those whose time to live runs out, those that wait for long or go to the tail, and those
// that are taken out of turn.
#include "engine/core/lane_state.h"

#include <memory>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"

namespace holdfast {

void LaneState::reenter(Seq seq, const FailureHistory& history, ReturnTo at) {
  const ChunkSpan* const open = states_.log().last_open();
  HOLDFAST_CHECK(open != nullptr, "a message that was appended just now is in a chunk that still grows");
  const auto chunk = states_.find_or_detach(seq, *open);
  HOLDFAST_CHECK(seq - chunk->first < chunk->second.count(),
                 "only a message that was appended just now goes on with its history");
  Entry& entry = chunk->second.entries[seq - chunk->first];
  HOLDFAST_CHECK(entry.state == EntryState::kFresh, "a message that was appended just now is fresh");
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
  if (at == ReturnTo::kTail) return states_.touch(chunk);
  states_.set_state(chunk, entry, EntryState::kReady);
}

void LaneState::set_order(Grouping grouping, bool timed) {
  states_.order().set_timed(timed, states_.log());
  states_.order().set_grouping(grouping, states_.log());
}

void LaneState::add_ahead(Seq from, std::span<const ChunkSpan> chunks, Seq end) {
  states_.order().add_ahead(from, chunks, end, states_.log());
}

void LaneState::set_contents(Seq first, Timestamp sent_at, std::vector<GroupKey> groups) {
  states_.order().set_contents(first, sent_at, std::move(groups), states_.log());
}

bool LaneState::may_go_to_tail(Seq seq) const {
  const auto chunk = window().chunk_of(seq);
  return chunk != window().end() && states_.may_move(chunk);
}

void LaneState::expire_message(Seq seq, const ChunkSpan& span) {
  if (log().check_free(seq) == ReceiptCheck::kGone) return;
  const auto chunk = states_.find_or_detach(seq, span);
  HOLDFAST_CHECK(seq - chunk->first < chunk->second.count(),
                 "a message expires with the chunk that it is in");
  Entry& entry = chunk->second.entries[seq - chunk->first];
  switch (entry.state) {
    case EntryState::kFresh:
    case EntryState::kReady:
    case EntryState::kWaiting:
      entry.expired = true;
      return states_.set_state(chunk, entry, EntryState::kExhausted);
    case EntryState::kLeased:
      entry.expired = true;
      return states_.touch(chunk);
    case EntryState::kExhausted:
    case EntryState::kDone:
      return;
  }
}

void LaneState::revive(Seq seq) {
  HOLDFAST_CHECK(window().is_exhausted(seq), "only an exhausted message is ready again");
  const auto chunk = states_.log().window().chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  entry.overflowed = false;
  states_.set_state(chunk, entry, EntryState::kReady);
}

std::vector<MessageRef> LaneState::far_waiting(Timestamp now, std::size_t max) {
  std::vector<MessageRef> result;
  std::set<Seq>& far = states_.due().far();
  for (auto next = far.begin(); next != far.end() && result.size() < max;) {
    const Seq seq = *next;
    if (waits_far(seq, now)) {
      const Seq first = window().chunk_of(seq)->first;
      result.push_back({first, static_cast<std::uint32_t>(seq - first)});
      ++next;
    } else {
      next = far.erase(next);
    }
  }
  return result;
}

bool LaneState::waits_far(Seq seq, Timestamp now) const {
  const auto chunk = window().chunk_of(seq);
  if (chunk == window().end() || !states_.may_move(chunk)) return false;
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  return entry.state == EntryState::kWaiting && entry.due > now + kHorizon;
}

void LaneState::keep_place(Seq seq) {
  HOLDFAST_CHECK(window().is_tailing(seq),
                 "only a message on its way to the tail goes to its place after all");
  const auto chunk = states_.log().window().chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  states_.due().tailing().erase(seq);
  entry.to_tail = false;
  states_.schedule(chunk, entry.due);
  states_.touch(chunk);
}

void LaneState::take_descriptions_along(Seq seq) {
  Window& window = states_.log().window();
  const auto chunk = window.chunk_of(seq);
  HOLDFAST_CHECK(chunk != window.end(), "only a message of the window has descriptions to take along");
  chunk->second.entries[seq - chunk->first].described = 0;
}

void LaneState::remove(Seq seq, const ChunkSpan& span) {
  const auto chunk = states_.find_or_detach(seq, span);
  HOLDFAST_CHECK(seq - chunk->first < chunk->second.count(),
                 "a message is removed with the chunk that it is in");
  states_.finish(chunk, seq);
}

std::uint64_t LaneState::purge() {
  const QueueCounts before = states_.tally().counts();
  states_.purge();
  return before.ready + before.waiting + before.leased;
}

}  // namespace holdfast
