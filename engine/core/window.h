// The window of one lane: the chunks that the cursor has reached and that are not finished, and those past
// the cursor of which single messages were taken, each message with its state; and what can be told of a
// message of it.
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

// Where the descriptions of a message's failures lie: FailurePlace::home.
inline Seq home_of(Seq seq, const Entry& entry) {
  return entry.attempts && entry.attempts->home != Seq{} ? entry.attempts->home : seq;
}

class Window {
  using Chunks = std::map<Seq, ChunkState>;

 public:
  using iterator = Chunks::iterator;
  using const_iterator = Chunks::const_iterator;

  // By their first seq, ascending.
  iterator begin() { return chunks_.begin(); }
  const_iterator begin() const { return chunks_.begin(); }
  iterator end() { return chunks_.end(); }
  const_iterator end() const { return chunks_.end(); }
  bool empty() const { return chunks_.empty(); }

  // The chunk that the message is in; end() if it is in none. To change it: it is unpacked.
  iterator chunk_of(Seq seq);
  const_iterator chunk_of(Seq seq) const;
  // The chunk that begins there; end() if there is none.
  iterator chunk_at(Seq first) { return chunks_.find(first); }
  const_iterator chunk_at(Seq first) const { return chunks_.find(first); }
  // The first chunk that begins there or later.
  const_iterator chunk_from(Seq seq) const { return chunks_.lower_bound(seq); }

  iterator insert(Seq first, ChunkState chunk) { return chunks_.emplace(first, std::move(chunk)).first; }
  void erase(iterator chunk) { chunks_.erase(chunk); }
  void clear() { chunks_.clear(); }

  // --- of a message; without one in the window, what the answer of nothing is ---

  ReceiptCheck check(Seq seq, LeaseId lease) const;
  std::optional<ChunkSpan> span_of(Seq seq) const;
  std::uint32_t bytes_of(Seq seq) const;
  bool is_dead_letter(Seq seq) const;
  // EntryState::kExhausted.
  bool is_exhausted(Seq seq) const;
  // It waits, with Entry::to_tail.
  bool is_tailing(Seq seq) const;
  FailureHistory history(Seq seq) const;
  // There must be the message.
  Timestamp due_of(Seq seq) const;

  // --- of chunks ---

  // The state of a chunk that is in the store; null if there is none.
  const ChunkState* stored_chunk(Seq first) const;
  // Whether failures of messages of this chunk, which is not packed, have descriptions on disk.
  bool any_described(Seq first) const;
  // The messages of `seqs` from `from` on, all of which are there.
  std::vector<MessageRef> refs(const std::set<Seq>& seqs, Seq from, std::size_t max) const;

 private:
  Chunks chunks_;
};

}  // namespace holdfast
