// Checks that a queue's chunks follow one another, lie before its next seq, and fit their rows in
// `deliveries`, and that those before the cursor have such a row.
#include "engine/core/seq_math.h"
#include "engine/verify/checks.h"

namespace holdfast::verify {
namespace {

class LogCheck final : public QueueCheck {
 public:
  LogCheck(const QueueFacts& queue, Findings& findings) : queue_(queue), findings_(findings) {}

  void chunk(const StoredChunk& stored) override {
    const std::string where = place("messages", queue_.name, queue_.id, stored.first);
    const Seq end = stored.first + stored.chunk->count();
    if (stored.first < last_end_) findings_.add("chunk_overlap", where, "it begins before the last one ends");
    last_end_ = end;
    if (queue_.checkpoint && end > lane_at(*queue_.checkpoint, stored.first).next_seq) {
      findings_.add("chunk_past_end", where, "it ends past the queue's next seq");
    }
    if (stored.state) return check_row(stored);
    if (queue_.checkpoint && stored.first < lane_at(*queue_.checkpoint, stored.first).cursor) {
      findings_.add("state_missing", where, "the cursor is past it, but it has no row in deliveries");
    }
  }

 private:
  void check_row(const StoredChunk& stored) {
    const ChunkState& state = *stored.state;
    const std::string where = place("deliveries", queue_.name, queue_.id, stored.first);
    if (state.entries.size() != stored.chunk->count()) {
      findings_.add("state_mismatch", where,
                    "it is about " + std::to_string(state.entries.size()) + " messages, the chunk has " +
                        std::to_string(stored.chunk->count()));
    }
    const ChunkKind kind = stored.chunk->kind();
    if (state.dead_letters != (kind == ChunkKind::kDeadLetters) ||
        state.replayed != (kind == ChunkKind::kReplayed)) {
      findings_.add("state_mismatch", where, "it is of another kind than its chunk");
    }
    for (std::uint32_t i = 0; i < stored.chunk->count(); ++i) {
      if (stored.state_of(i) == EntryState::kDone) continue;
      if (stored.chunk->holds(i)) {
        if (i >= state.entries.size() || state.entries[i].bytes == stored.chunk->message(i).bytes()) continue;
        findings_.add("state_mismatch", where, "the bytes of message " + std::to_string(i) + " are wrong");
        continue;
      }
      findings_.add("message_missing", where,
                    "message " + std::to_string(i) + " was left out but is not done");
    }
    if (state.finished()) findings_.add("chunk_finished", where, "all its messages are done");
  }

  const QueueFacts& queue_;
  Findings& findings_;
  Seq last_end_{};
};

}  // namespace

std::unique_ptr<QueueCheck> make_log_check(const Facts& /*facts*/, const QueueFacts& queue,
                                           Findings& findings) {
  return std::make_unique<LogCheck>(queue, findings);
}

}  // namespace holdfast::verify
