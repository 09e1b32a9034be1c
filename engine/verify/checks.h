// A check is one file: a function over the whole store, or an object that is shown the chunks of one queue.
// checks.cc lists both kinds.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "engine/codec/rows/chunk.h"
#include "engine/core/chunk_state.h"
#include "engine/verify/facts.h"

namespace holdfast::verify {

// A StoredChunk is a chunk with its row in `deliveries`.
struct StoredChunk {
  Seq first{};
  std::shared_ptr<const Chunk> chunk;
  std::optional<ChunkState> state;  // absent if the chunk has no row, which means that every message is fresh

  EntryState state_of(std::uint32_t index) const {
    const bool known = state && index < state->entries.size();
    return known ? state->entries[index].state : EntryState::kFresh;
  }
};

class QueueCheck {
 public:
  virtual ~QueueCheck() = default;
  // Shows a chunk. It is called for each chunk that decodes, in ascending order.
  virtual void chunk(const StoredChunk& chunk) = 0;
  // Ends the check. It is called after the last chunk.
  virtual void end() {}
};

using StoreCheck = void (*)(const Facts& facts, Findings& findings);
using MakeQueueCheck = std::unique_ptr<QueueCheck> (*)(const Facts& facts, const QueueFacts& queue,
                                                       Findings& findings);

std::span<const StoreCheck> store_checks();
std::span<const MakeQueueCheck> queue_checks();

// --- the checks, one file each ---

void check_catalog(const Facts& facts, Findings& findings);
void check_strays(const Facts& facts, Findings& findings);
void check_scheduled(const Facts& facts, Findings& findings);
void check_replays(const Facts& facts, Findings& findings);
void check_dead_letter_index(const Facts& facts, Findings& findings);
void check_redrive_tasks(const Facts& facts, Findings& findings);
void check_requests(const Facts& facts, Findings& findings);
void check_dedup(const Facts& facts, Findings& findings);
void check_families(const Facts& facts, Findings& findings);
void check_journal(const Facts& facts, Findings& findings);

std::unique_ptr<QueueCheck> make_log_check(const Facts& facts, const QueueFacts& queue, Findings& findings);
std::unique_ptr<QueueCheck> make_counts_check(const Facts& facts, const QueueFacts& queue,
                                              Findings& findings);
std::unique_ptr<QueueCheck> make_dead_letter_check(const Facts& facts, const QueueFacts& queue,
                                                   Findings& findings);
std::unique_ptr<QueueCheck> make_expiry_check(const Facts& facts, const QueueFacts& queue,
                                              Findings& findings);
std::unique_ptr<QueueCheck> make_failure_check(const Facts& facts, const QueueFacts& queue,
                                               Findings& findings);

}  // namespace holdfast::verify
