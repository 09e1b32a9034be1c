#include "core/queue_state.h"
#include "core/seq_math.h"

namespace holdfast {

void QueueState::extend(Seq seq, Timestamp until) {
  const auto chunk = chunk_of(seq);
  Entry& entry = chunk->second.entries[seq - chunk->first];
  if (entry.extended < limits::kCountedExtensions) ++entry.extended;
  end_lease_at(chunk, entry, until);
}

void QueueState::end_lease_at(Window::iterator chunk, Entry& entry, Timestamp until) {
  entry.held_ms = whole_ms(std::chrono::milliseconds(entry.held_ms) + (until - entry.due));
  entry.due = until;
  touch(chunk);
  schedule(chunk, until);
}

}  // namespace holdfast
