// Chunks past the cursor from which only single messages were taken are packed. There may be as many as the
// backlog has chunks, so each takes 4 bytes a message until somebody needs its entries.
#include "engine/core/chunk_state.h"

#include <algorithm>
#include <limits>

#include "engine/base/helpers/check.h"

namespace holdfast {
namespace {

// kDoneMark marks a message that is done; no message has so many bytes.
constexpr std::uint32_t kDoneMark = std::numeric_limits<std::uint32_t>::max();

Entry entry_in(EntryState state) {
  Entry entry;
  entry.state = state;
  return entry;
}

// Returns whether state and bytes tell all of an entry: its message is done, or nobody ever had it.
bool is_plain(const Entry& entry) {
  if (entry.state == EntryState::kDone) return true;
  return entry.state == EntryState::kFresh && entry.deliveries == 0 && entry.first_failed_at == Timestamp{} &&
         !entry.consumer && !entry.attempts;
}

}  // namespace

const Entry& ChunkState::packed_entry(std::size_t index) const {
  HOLDFAST_CHECK(index < packed.size(), "only a message of the chunk is looked at");
  static const Entry fresh = entry_in(EntryState::kFresh);
  static const Entry gone = entry_in(EntryState::kDone);
  return packed[index] == kDoneMark ? gone : fresh;
}

std::uint32_t ChunkState::bytes_of(std::size_t index) const {
  HOLDFAST_CHECK(index < count(), "only a message of the chunk has bytes in it");
  if (packed.empty()) return entries[index].bytes;
  return packed[index] == kDoneMark ? 0 : packed[index];
}

void ChunkState::pack() {
  if (!packed.empty() || !std::ranges::all_of(entries, is_plain)) return;
  packed.reserve(entries.size());
  for (const Entry& each : entries)
    packed.push_back(each.state == EntryState::kDone ? kDoneMark : each.bytes);
  entries = std::vector<Entry>();
}

void ChunkState::unpack() {
  if (packed.empty()) return;
  entries.reserve(packed.size());
  for (std::size_t i = 0; i < packed.size(); ++i) entries.emplace_back(packed_entry(i)).bytes = bytes_of(i);
  packed = std::vector<std::uint32_t>();
}

void ChunkState::shift(Duration by) {
  for (Entry& each : entries) {
    if (each.state == EntryState::kLeased || each.state == EntryState::kWaiting) each.due += by;
    if (each.first_failed_at == Timestamp{}) continue;
    each.first_failed_at += by;
    each.last_failed_at += by;
  }
}

}  // namespace holdfast
