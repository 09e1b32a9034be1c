#include "engine/queue/queue_journal.h"

#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/core/seq_math.h"
#include "engine/queue/catalog.h"
#include "holdfast/limits.h"

namespace holdfast {
void QueueJournal::note_step(const Subject& message, HistoryStep step) {
  const Timestamp time = catalog_.clock().stored(step.at);
  note(message, std::move(step), catalog_.next_step(), time);
}

void QueueJournal::record(const MessageId& message, HistoryStep step) {
  if (!on()) return;
  step.reason = bounded_text(step.reason, limits::kJournalReasonBytes);
  note_step(message, std::move(step));
}

void QueueJournal::record(Seq seq, HistoryStep step) {
  if (!on()) return;
  const auto place = place_of(seq);
  if (!place) return;
  step.seq = seq;
  note_step(*place, std::move(step));
}

void QueueJournal::record(const MessageRef& place, HistoryStep step) { note_step(place, std::move(step)); }

void QueueJournal::record(const std::vector<LeaseEnd>& ended) {
  for (const LeaseEnd& end : ended) {
    HistoryStep step{.at = end.at, .kind = StepKind::kLeaseExpired, .seq = end.place.seq()};
    step.deliveries = end.deliveries;
    note_step(end.place, std::move(step));
  }
}

void QueueJournal::record(std::span<const Grant> grants, const LeaseTerms& terms, Timestamp time) {
  if (!on()) return;
  for (const Grant& grant : grants) {
    const MessageRef place{grant.chunk, grant.index};
    HistoryStep step{.at = time, .kind = StepKind::kDelivered, .seq = place.seq()};
    step.deliveries = grant.deliveries;
    if (terms.consumer) step.consumer = *terms.consumer;
    step.until = terms.until;
    note_step(place, std::move(step));
  }
}

void QueueJournal::record_move(const MessageId& message, QueueJournal& to, HistoryStep step) {
  if (!on() && !to.on()) return;
  step.to = to.name_;
  if (on()) return record(message, std::move(step));
  step.queue = name_;
  to.record(message, std::move(step));
}

std::optional<MessageRef> QueueJournal::place_of(Seq seq) const {
  const auto span = state_.of(seq).window().span_of(seq);
  if (!span) return std::nullopt;
  return MessageRef{span->first, static_cast<std::uint32_t>(seq - span->first)};
}

}  // namespace holdfast
