#include "engine/dead_letters/failures_since.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/queue/failures.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

// Appends the attempts of `later` to those of `earlier`, within the bounds.
void append(AttemptHistory& earlier, AttemptHistory later) {
  constexpr std::size_t kMost = limits::kFirstAttempts + limits::kLastAttempts;
  auto& kept = earlier.kept;
  kept.insert(kept.end(), std::make_move_iterator(later.kept.begin()),
              std::make_move_iterator(later.kept.end()));
  earlier.left_out += later.left_out;
  if (kept.size() <= kMost) return;
  const std::size_t over = kept.size() - kMost;
  const auto first = kept.begin() + static_cast<std::ptrdiff_t>(limits::kFirstAttempts);
  kept.erase(first, first + static_cast<std::ptrdiff_t>(over));
  earlier.left_out += static_cast<std::uint32_t>(over);
}

}  // namespace

Result<void> add_failures_since(EngineContext& engine, QueueId queue_id, DeadLetter& letter) {
  const auto queue = engine.catalog.find(queue_id);
  if (!queue) return {};  // the queue was deleted meanwhile, with its letters
  ToldFailures told;
  GroupNumber described{};
  const auto look = [&] {
    const LockedQueue locked(engine.pipeline.gate(), *queue);
    // A later failure replaces what was said of an earlier one in its slot. So what was read counts only if
    // no delivery has failed since.
    if (told.read && told.notes && is_current(*queue, told)) return false;
    told = look_at_failures(*queue, letter.seq);
    described = queue->failures.last_group();
    return told.notes != nullptr;
  };
  while (look()) {
    if (told.described == 0) break;
    if (auto ok = engine.pipeline.wait(described); !ok) return ok;
    read_failures(*engine.store, queue_id, told);
    if (!told.read) return told.read;
  }
  if (told.notes) append(letter.record.attempts, all_attempts_of(told));
  return {};
}

}  // namespace holdfast
