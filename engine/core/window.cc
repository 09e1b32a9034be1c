#include "engine/core/window.h"

#include <algorithm>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

template <class Chunks>
auto find_chunk(Chunks& chunks, Seq seq) {
  auto chunk = chunks.upper_bound(seq);
  if (chunk == chunks.begin()) return chunks.end();
  --chunk;
  return seq - chunk->first < chunk->second.count() ? chunk : chunks.end();
}

}  // namespace

Window::iterator Window::chunk_of(Seq seq) {
  const auto chunk = find_chunk(chunks_, seq);
  if (chunk != end()) chunk->second.unpack();
  return chunk;
}

Window::const_iterator Window::chunk_of(Seq seq) const { return find_chunk(chunks_, seq); }

ReceiptCheck Window::check(Seq seq, LeaseId lease) const {
  const auto chunk = chunk_of(seq);
  if (chunk == end()) return ReceiptCheck::kGone;
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  if (entry.state == EntryState::kDone) return ReceiptCheck::kGone;
  const bool valid = entry.state == EntryState::kLeased && entry.lease == lease;
  return valid ? ReceiptCheck::kValid : ReceiptCheck::kStale;
}

std::optional<ChunkSpan> Window::span_of(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == end()) return std::nullopt;
  return ChunkSpan{.first = chunk->first,
                   .count = static_cast<std::uint32_t>(chunk->second.count()),
                   .dead_letters = chunk->second.dead_letters,
                   .replayed = chunk->second.replayed};
}

std::uint32_t Window::bytes_of(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk == end() ? 0 : chunk->second.bytes_of(seq - chunk->first);
}

bool Window::is_dead_letter(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk != end() && chunk->second.dead_letters;
}

bool Window::is_exhausted(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk != end() && chunk->second.entry(seq - chunk->first).state == EntryState::kExhausted;
}

bool Window::is_tailing(Seq seq) const {
  const auto chunk = chunk_of(seq);
  return chunk != end() && chunk->second.entry(seq - chunk->first).to_tail;
}

FailureHistory Window::history(Seq seq) const {
  const auto chunk = chunk_of(seq);
  if (chunk == end()) return {};
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  return {.deliveries = entry.deliveries,
          .first_failed_at = entry.first_failed_at,
          .last_failed_at = entry.last_failed_at,
          .consumer = entry.consumer,
          .attempts = entry.attempts,
          .expired = entry.expired,
          .overflowed = entry.overflowed,
          .described = entry.described,
          .home = home_of(seq, entry)};
}

Timestamp Window::due_of(Seq seq) const {
  const auto chunk = chunk_of(seq);
  HOLDFAST_CHECK(chunk != end(), "only a message of the window is asked when it is due");
  return chunk->second.entry(seq - chunk->first).due;
}

const ChunkState* Window::stored_chunk(Seq first) const {
  const auto chunk = chunk_at(first);
  return chunk == end() || chunk->second.open ? nullptr : &chunk->second;
}

bool Window::any_described(Seq first) const {
  const auto chunk = chunk_at(first);
  return chunk != end() &&
         std::ranges::any_of(chunk->second.entries, [](const Entry& entry) { return entry.described != 0; });
}

std::vector<MessageRef> Window::refs(const std::set<Seq>& seqs, Seq from, std::size_t max) const {
  std::vector<MessageRef> result;
  for (auto seq = seqs.lower_bound(from); seq != seqs.end() && result.size() < max; ++seq) {
    const auto chunk = chunk_of(*seq);
    HOLDFAST_CHECK(chunk != end(), "a message that is to leave is one of the window");
    result.push_back({chunk->first, static_cast<std::uint32_t>(*seq - chunk->first)});
  }
  return result;
}

}  // namespace holdfast
