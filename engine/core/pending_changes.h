// PendingChanges has what the open commit group is to write of one lane. Each transition adds to it, and the
// group takes it when it closes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/core/attempts.h"
#include "engine/core/chunk_span.h"
#include "engine/core/chunk_state.h"
#include "holdfast/ids.h"
#include "holdfast/time.h"

namespace holdfast {

struct FinishedChunk {
  ChunkSpan span;
  ChunkState::RowPuts row_puts = ChunkState::RowPuts::kNone;
  // `stored` is false if the chunk was written and finished within one group, and so never was in the store.
  bool stored = false;
};

// An AckedReplay is a redriven message, in a chunk of replayed ones, that was acknowledged.
struct AckedReplay {
  Seq chunk{};
  std::uint32_t index = 0;
  Timestamp at{};
};

struct GroupChanges {
  std::vector<Seq> dirty;                      // chunks of the window whose row is to be written
  std::vector<FinishedChunk> finished;         // chunks to be removed
  std::vector<Seq> settled_dead;               // dead letters that left, whose records are to be removed
  std::vector<ChunkSpan> settled_dead_chunks;  // chunks of dead letters that left as a whole
  std::optional<Seq> purged_before;            // all that lies before this seq is to be removed
  bool past_cursor = false;                    // some of `finished` lie past the cursor
  std::map<Seq, FailureSlots> undescribed;     // descriptions to be removed, by FailurePlace::home
};

class PendingChanges {
 public:
  // Says that the chunk's row is to be written.
  void touch(Seq first, ChunkState& chunk) {
    if (chunk.dirty) return;
    chunk.dirty = true;
    changes_.dirty.push_back(first);
  }
  void finish_chunk(FinishedChunk finished, bool past_cursor) {
    changes_.past_cursor |= past_cursor;
    changes_.finished.push_back(std::move(finished));
  }
  void settle_dead(Seq seq) { changes_.settled_dead.push_back(seq); }
  void settle_dead_chunk(const ChunkSpan& span) { changes_.settled_dead_chunks.push_back(span); }

  // Says that there is a description at that place, even if an earlier one there was to be removed with the
  // open group.
  void describe(const FailurePlace& place) {
    const auto gone = changes_.undescribed.find(place.home);
    if (gone == changes_.undescribed.end()) return;
    gone->second = static_cast<FailureSlots>(gone->second & ~(1U << place.slot));
  }
  void undescribe(Seq home, FailureSlots slots) {
    FailureSlots& gone = changes_.undescribed[home];
    gone = static_cast<FailureSlots>(gone | slots);
  }

  void note_acked_replay(const AckedReplay& acked) { acked_replays_.push_back(acked); }
  // Returns the redriven messages that were acknowledged since the last call. A purge leaves them, because
  // what was acknowledged before it stays acknowledged.
  std::vector<AckedReplay> take_acked_replays() { return std::exchange(acked_replays_, {}); }

  // Forgets all that was to be written: it is purged together with what it was about.
  void purge(Seq before) {
    changes_ = {};
    changes_.purged_before = before;
  }

  // Returns whether chunks past the cursor are to be removed.
  bool removes_past_cursor() const { return changes_.past_cursor; }
  // Forgets the touched chunks for whose first seq `is_gone` returns true. It is called once for each.
  template <class IsGone>
  void drop_dirty_if(IsGone is_gone) {
    std::erase_if(changes_.dirty, is_gone);
  }
  GroupChanges take() { return std::exchange(changes_, {}); }

 private:
  GroupChanges changes_;
  std::vector<AckedReplay> acked_replays_;
};

}  // namespace holdfast
