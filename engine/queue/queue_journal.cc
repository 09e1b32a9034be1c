// What a queue's journal hears of.
#include <algorithm>
#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/codec/encoding/keys.h"
#include "engine/core/seq_math.h"
#include "engine/queue/catalog.h"
#include "engine/queue/queue.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Of a message of the window.
std::optional<MessageRef> place_of(const Lanes& state, Seq seq) {
  const auto span = state.of(seq).window().span_of(seq);
  if (!span) return std::nullopt;
  return MessageRef{span->first, static_cast<std::uint32_t>(seq - span->first)};
}

}  // namespace

void Queue::note_step(const Journal::Subject& message, HistoryStep step) {
  const Timestamp time = catalog_.clock().stored(step.at);
  journal.note(message, std::move(step), catalog_.next_step(), time);
}

void Queue::record(const MessageId& message, HistoryStep step) {
  if (!journal.on()) return;
  step.reason = bounded_text(step.reason, limits::kJournalReasonBytes);
  note_step(message, std::move(step));
}

void Queue::record(Seq seq, HistoryStep step) {
  if (!journal.on()) return;
  const auto place = place_of(state, seq);
  if (!place) return;
  step.seq = seq;
  note_step(*place, std::move(step));
}

void Queue::record(const std::vector<LeaseEnd>& ended) {
  for (const LeaseEnd& end : ended) {
    HistoryStep step{.at = end.at, .kind = StepKind::kLeaseExpired, .seq = end.place.seq()};
    step.deliveries = end.deliveries;
    note_step(end.place, std::move(step));
  }
}

void Queue::record(std::span<const Grant> grants, const LeaseTerms& terms, Timestamp time) {
  if (!journal.on()) return;
  for (const Grant& grant : grants) {
    const MessageRef place{grant.chunk, grant.index};
    HistoryStep step{.at = time, .kind = StepKind::kDelivered, .seq = place.seq()};
    step.deliveries = grant.deliveries;
    if (terms.consumer) step.consumer = *terms.consumer;
    step.until = terms.until;
    note_step(place, std::move(step));
  }
}

void Queue::record_move(const MessageId& message, Queue& to, HistoryStep step) {
  if (!journal.on() && !to.journal.on()) return;
  step.to = to.name;
  if (journal.on()) return record(message, std::move(step));
  step.queue = name;
  to.record(message, std::move(step));
}

bool Queue::ack(Seq seq, Timestamp time, std::string actor) {
  if (journal.on()) record(seq, {.at = time, .kind = StepKind::kAcked});
  const bool is_dead = state.of(seq).window().is_dead_letter(seq);
  if (is_dead) {
    const auto consumer = state.of(seq).window().history(seq).consumer;
    if (actor.empty() && consumer) actor = consumer->instance.substr(0, limits::kActorBytes);
    dead_letters_.ack(seq, {time, std::move(actor), "acknowledged"});
  }
  state.ack(seq, time);
  return is_dead;
}

void Queue::start(Seq seq, Timestamp time) {
  if (!state.of(seq).start(seq, time) || !journal.on()) return;
  HistoryStep step{.at = time, .kind = StepKind::kStarted};
  step.deliveries = state.of(seq).window().history(seq).deliveries;
  step.until = state.of(seq).window().due_of(seq);
  record(seq, std::move(step));
}

void Queue::extend(Seq seq, Timestamp until, Timestamp time) {
  if (journal.on()) record(seq, {.at = time, .kind = StepKind::kExtended, .until = until});
  state.of(seq).extend(seq, until);
}

void Queue::describe(Seq seq, std::shared_ptr<const std::string> failure, Timestamp time) {
  start(seq, time);
  const FailurePlace place = state.of(seq).describe(seq);
  const auto put = std::ranges::lower_bound(failure_puts_, place, {}, &FailurePut::place);
  if (put != failure_puts_.end() && put->place == place) {
    put->failure = std::move(failure);
  } else {
    failure_puts_.insert(put, {place, std::move(failure)});
  }
}

bool Queue::release(Seq seq, const QueueState::Return& how, Timestamp time) {
  const auto place = journal.on() ? place_of(state, seq) : std::nullopt;
  const bool moves = state.of(seq).release(seq, how, time);
  if (!place) return moves;
  HistoryStep step{.at = time, .kind = StepKind::kReleased, .seq = seq};
  step.deliveries = state.of(seq).window().history(seq).deliveries;
  if (const auto status = state.of(seq).log().peek(seq); status && status->due) step.until = *status->due;
  note_step(*place, std::move(step));
  return moves;
}

std::optional<MessageId> Queue::find_id(const MessageRef& place, const Store& store, FoundChunk& last) const {
  const auto builder = std::ranges::find(builders_, place.chunk, &ChunkBuilder::first);
  if (builder != builders_.end()) return builder->id(place.index);
  if (last.first != place.chunk) last = {place.chunk, stored_chunk(place.chunk, store)};
  const bool held = last.chunk && place.index < last.chunk->count() && last.chunk->holds(place.index);
  return held ? std::optional(last.chunk->message(place.index).id) : std::nullopt;
}

std::shared_ptr<const Chunk> Queue::stored_chunk(Seq first, const Store& store) const {
  if (auto chunk = cache_.get(id, first)) return chunk;
  auto bytes = store.get(Family::kMessages, keys::queue_seq(id, first));
  if (!bytes || !*bytes) return nullptr;
  auto chunk = Chunk::decode(std::move(**bytes));
  return chunk ? std::move(*chunk) : nullptr;
}

}  // namespace holdfast
