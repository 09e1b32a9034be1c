// Where the descriptions of failures lie, and when they go.
#include <algorithm>

#include "engine/base/helpers/check.h"
#include "engine/core/queue_state.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

constexpr FailureSlots bit_of(std::size_t slot) { return static_cast<FailureSlots>(1U << slot); }

}  // namespace

Seq QueueState::home_of(Seq seq, const Entry& entry) {
  return entry.attempts && entry.attempts->home != Seq{} ? entry.attempts->home : seq;
}

FailurePlace QueueState::describe(Seq seq) {
  const auto [chunk, entry] = leased(seq);
  const FailurePlace place{home_of(seq, entry), next_failure_slot(entry.attempts.get())};
  entry.set_described(entry.described | bit_of(place.slot));
  // One that went earlier in the open group comes back.
  if (const auto gone = changes_.undescribed.find(place.home); gone != changes_.undescribed.end())
    gone->second = static_cast<FailureSlots>(gone->second & ~bit_of(place.slot));
  touch(chunk);
  return place;
}

void QueueState::undescribe(Seq seq, Entry& entry, FailureSlots slots) {
  const auto going = static_cast<FailureSlots>(entry.described & unsigned{slots});
  if (going == 0) return;
  entry.set_described(entry.described & ~unsigned{going});
  FailureSlots& gone = changes_.undescribed[home_of(seq, entry)];
  gone = static_cast<FailureSlots>(gone | going);
}

void QueueState::undescribe_next(Seq seq, Entry& entry) {
  if (entry.described != 0) undescribe(seq, entry, bit_of(next_failure_slot(entry.attempts.get())));
}

bool QueueState::any_described(Seq first) const {
  const auto chunk = window_.find(first);
  return chunk != window_.end() &&
         std::ranges::any_of(chunk->second.entries, [](const Entry& entry) { return entry.described != 0; });
}

void QueueState::take_descriptions_along(Seq seq) {
  const auto chunk = chunk_of(seq);
  HOLDFAST_CHECK(chunk != window_.end(), "only a message of the window has descriptions to take along");
  chunk->second.entries[seq - chunk->first].described = 0;
}

}  // namespace holdfast
