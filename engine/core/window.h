// A Window is the window of one lane, with the state of each message. It has the chunks that the cursor has
// reached and that are not finished, and the chunks past the cursor from which single messages were taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/core/attempts.h"
#include "engine/core/chunk_span.h"
#include "engine/core/chunk_state.h"
#include "engine/core/delivery.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

// Returns FailurePlace::home of a message: where the descriptions of its failures lie.
inline Seq home_of(Seq seq, const Entry& entry) {
  return entry.attempts && entry.attempts->home != Seq{} ? entry.attempts->home : seq;
}

class Window {
  using Chunks = std::map<Seq, ChunkState>;

 public:
  using iterator = Chunks::iterator;
  using const_iterator = Chunks::const_iterator;

  // Iterate over the chunks, in ascending order of their first seq.
  iterator begin() { return chunks_.begin(); }
  const_iterator begin() const { return chunks_.begin(); }
  iterator end() { return chunks_.end(); }
  const_iterator end() const { return chunks_.end(); }
  bool empty() const { return chunks_.empty(); }

  // Returns the chunk that the message is in, or end(). The form that can change the chunk unpacks it.
  iterator chunk_of(Seq seq);
  const_iterator chunk_of(Seq seq) const;
  // Returns the chunk that begins at `first`, or end().
  iterator chunk_at(Seq first) { return chunks_.find(first); }
  const_iterator chunk_at(Seq first) const { return chunks_.find(first); }
  // Returns the first chunk that begins at `seq` or later.
  const_iterator chunk_from(Seq seq) const { return chunks_.lower_bound(seq); }

  iterator insert(Seq first, ChunkState chunk) { return chunks_.emplace(first, std::move(chunk)).first; }
  void erase(iterator chunk) { chunks_.erase(chunk); }
  void clear() { chunks_.clear(); }

  // --- one message; for a message outside the window these answer as an empty window does ---

  ReceiptCheck check(Seq seq, LeaseId lease) const;
  std::optional<ChunkSpan> span_of(Seq seq) const;
  std::uint32_t bytes_of(Seq seq) const;
  bool is_dead_letter(Seq seq) const;
  // Returns whether the message is in EntryState::kExhausted.
  bool is_exhausted(Seq seq) const;
  // Returns whether the message waits with Entry::to_tail.
  bool is_tailing(Seq seq) const;
  FailureHistory history(Seq seq) const;
  // Returns when the message is due. It must be in the window.
  Timestamp due_of(Seq seq) const;

  // --- chunks ---

  // Returns the state of a chunk that is in the store, or null if the window has no such chunk.
  const ChunkState* stored_chunk(Seq first) const;
  // Returns whether failures of messages of this chunk have descriptions on disk. The chunk must not be
  // packed.
  bool any_described(Seq first) const;
  // Returns up to `max` messages of `seqs`, from the seq `from` on. All of them must be in the window.
  std::vector<MessageRef> refs(const std::set<Seq>& seqs, Seq from, std::size_t max) const;

 private:
  Chunks chunks_;
};

}  // namespace holdfast
