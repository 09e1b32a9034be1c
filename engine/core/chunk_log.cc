#include "engine/core/chunk_log.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

MessageStatus status_of(const Entry& entry) {
  switch (entry.state) {
    case EntryState::kLeased:
      return {MessageState::kLeased, entry.due, entry.deliveries};
    case EntryState::kWaiting:
      return {MessageState::kWaiting, entry.due, entry.deliveries};
    case EntryState::kExhausted:
      return {MessageState::kWaiting, std::nullopt, entry.deliveries};
    case EntryState::kFresh:
    case EntryState::kReady:
    case EntryState::kDone:
      break;
  }
  return {MessageState::kReady, std::nullopt, entry.deliveries};
}

}  // namespace

Window::iterator ChunkLog::restore(Seq first, ChunkState chunk) {
  const auto restored = window_.insert(first, std::move(chunk));
  const Seq end = first + restored->second.count();
  if (first <= cursor_ && cursor_ < end) ahead_end_ = end;
  return restored;
}

Seq ChunkLog::head() const { return window_.empty() ? cursor_ : std::min(cursor_, window_.begin()->first); }

bool ChunkLog::is_untouched(Seq seq) const {
  if (seq < cursor_) return false;
  if (!finished_) return true;
  auto chunk = finished_->upper_bound(seq);
  if (chunk == finished_->begin()) return true;
  --chunk;
  return seq - chunk->first >= chunk->second;
}

std::optional<MessageStatus> ChunkLog::peek(Seq seq) const {
  const auto chunk = window_.chunk_of(seq);
  if (chunk == window_.end()) {
    if (!is_untouched(seq)) return std::nullopt;
    return MessageStatus{MessageState::kReady, std::nullopt, 0};
  }
  const Entry& entry = chunk->second.entry(seq - chunk->first);
  if (entry.state == EntryState::kDone) return std::nullopt;
  return status_of(entry);
}

ReceiptCheck ChunkLog::check_free(Seq seq) const {
  const auto chunk = window_.chunk_of(seq);
  if (chunk == window_.end()) return is_untouched(seq) ? ReceiptCheck::kValid : ReceiptCheck::kGone;
  switch (chunk->second.entry(seq - chunk->first).state) {
    case EntryState::kFresh:
    case EntryState::kReady:
    case EntryState::kWaiting:
      return ReceiptCheck::kValid;
    case EntryState::kLeased:
    case EntryState::kExhausted:
      return ReceiptCheck::kStale;
    case EntryState::kDone:
      break;
  }
  return ReceiptCheck::kGone;
}

void ChunkLog::open_chunk(bool dead_letters, Timestamp sent_at, bool replayed) {
  open_.push_back({next_seq_, 0, dead_letters, sent_at, {}, replayed});
  // The chunk is remembered only if everything before it is. Otherwise the store is asked when the cursor
  // gets here.
  if (ahead_end_ == next_seq_ && ahead_.size() < kAheadChunks) ahead_.push_back(open_.back());
}

Window::iterator ChunkLog::append(std::uint32_t bytes, const GroupKey* group) {
  const Seq seq = next_seq_;
  next_seq_ = seq + 1;
  HOLDFAST_CHECK(!open_.empty(), "a message is appended to an open chunk");
  ChunkSpan& open = open_.back();
  HOLDFAST_CHECK(open.first + open.count == seq, "a message follows the last one of its chunk");
  if (group != nullptr) open.groups.push_back(*group);
  open.sizes.push_back(bytes);
  ++open.count;

  const auto chunk = window_.chunk_at(open.first);
  if (chunk != window_.end()) {
    chunk->second.entries.emplace_back().bytes = bytes;
    if (ahead_end_ == seq) ahead_end_ = next_seq_;
  } else if (!ahead_.empty() && ahead_.back().first == open.first) {
    ++ahead_.back().count;
    if (group != nullptr) ahead_.back().groups.push_back(*group);
    ahead_end_ = next_seq_;
  }
  return chunk;
}

std::vector<ChunkSpan> ChunkLog::take_open() { return std::exchange(open_, {}); }

Window::iterator ChunkLog::close_chunk(ChunkSpan&& span) {
  const auto chunk = window_.chunk_at(span.first);
  if (chunk != window_.end()) {
    chunk->second.open = false;
    return chunk;
  }
  const auto ahead = std::ranges::lower_bound(ahead_, span.first, {}, &ChunkSpan::first);
  if (ahead != ahead_.end() && ahead->first == span.first) ahead->sizes = std::move(span.sizes);
  return chunk;
}

Window::iterator ChunkLog::enter_next() {
  if (const auto chunk = window_.chunk_of(cursor_); chunk != window_.end()) return chunk;
  if (const auto detached = next_detached(); detached != window_.end()) {
    cursor_ = detached->first;
    return window_.chunk_of(cursor_);
  }
  if (ahead_.empty()) return window_.end();
  ChunkSpan span = std::move(ahead_.front());
  ahead_.pop_front();
  cursor_ = span.first;
  ChunkState chunk = state_of(span);
  chunk.sent_at = span.sent_at;
  chunk.groups = std::move(span.groups);
  return window_.insert(span.first, std::move(chunk));
}

std::optional<Timestamp> ChunkLog::next_sent_at() {
  if (const auto chunk = pass_taken(); chunk != window_.end()) return chunk->second.sent_at;
  if (!ahead_.empty()) return ahead_.front().sent_at;
  return std::nullopt;
}

Window::const_iterator ChunkLog::pass_taken() {
  for (;;) {
    auto chunk = std::as_const(window_).chunk_of(cursor_);
    if (chunk == window_.end()) chunk = next_detached();
    if (chunk == window_.end()) return chunk;
    const auto& [first, state] = *chunk;
    cursor_ = std::max(cursor_, first);
    const Seq end = first + state.count();
    while (cursor_ < end && state.entry(cursor_ - first).state != EntryState::kFresh) cursor_ = cursor_ + 1;
    if (cursor_ < end) return chunk;
  }
}

Window::const_iterator ChunkLog::next_detached() const {
  const auto detached = window_.chunk_from(cursor_);
  if (detached == window_.end() || detached->first >= ahead_end_) return window_.end();
  return ahead_.empty() || detached->first < ahead_.front().first ? detached : window_.end();
}

Window::iterator ChunkLog::detach(const ChunkSpan& span) {
  remove_ahead(span.first);
  return window_.insert(span.first, state_of(span));
}

ChunkState ChunkLog::state_of(const ChunkSpan& span) const {
  const auto open = std::ranges::find(open_, span.first, &ChunkSpan::first);
  const std::vector<std::uint32_t>& sizes = open != open_.end() ? open->sizes : span.sizes;
  HOLDFAST_CHECK(sizes.size() <= span.count, "a chunk has no more sizes than messages");
  ChunkState chunk;
  chunk.entries.resize(span.count);
  for (std::size_t i = 0; i < sizes.size(); ++i) chunk.entries[i].bytes = sizes[i];
  chunk.dead_letters = span.dead_letters;
  chunk.replayed = span.replayed;
  chunk.open = open != open_.end();
  return chunk;
}

bool ChunkLog::erase(Window::iterator chunk) {
  const auto& [first, state] = *chunk;
  HOLDFAST_CHECK(state.finished() && !state.open, "only a finished, closed chunk may leave");
  const auto count = static_cast<std::uint32_t>(state.count());
  // Without this, messages at the chunk's end that a redrive took before the cursor came to them would look
  // untouched.
  if (first <= cursor_ && cursor_ < first + count) cursor_ = first + count;
  const bool past_cursor = first >= cursor_;
  if (past_cursor) note_finished(first, count);
  window_.erase(chunk);
  return past_cursor;
}

bool ChunkLog::erase_untouched(const ChunkSpan& span) {
  if (span.first < cursor_ || window_.chunk_at(span.first) != window_.end()) return false;
  remove_ahead(span.first);
  note_finished(span.first, span.count);
  return true;
}

void ChunkLog::note_finished(Seq first, std::uint32_t count) {
  if (finished_) finished_->emplace(first, count);
}

void ChunkLog::remove_ahead(Seq first) {
  ahead_.erase(std::remove_if(ahead_.begin(), ahead_.end(),
                              [&](const ChunkSpan& chunk) { return chunk.first == first; }),
               ahead_.end());
}

void ChunkLog::remember_finished(bool on) {
  if (on) {
    finished_ = std::make_unique<std::map<Seq, std::uint32_t>>();
  } else {
    finished_.reset();
  }
}

void ChunkLog::purge() {
  window_.clear();
  ahead_.clear();
  open_.clear();
  cursor_ = ahead_end_ = next_seq_;
}

std::optional<Seq> ChunkLog::load_from() const {
  const bool in_memory =
      window_.chunk_of(cursor_) != window_.end() || next_detached() != window_.end() || !ahead_.empty();
  if (in_memory || ahead_end_ == next_seq_) return std::nullopt;
  return ahead_end_;
}

void ChunkLog::add_ahead(std::span<const ChunkSpan> chunks, Seq end) {
  for (const ChunkSpan& chunk : chunks) {
    if (window_.chunk_at(chunk.first) == window_.end() && is_untouched(chunk.first)) ahead_.push_back(chunk);
  }
  ahead_end_ = end;
}

void ChunkLog::forget_groups() {
  for (ChunkSpan& span : open_) span.groups.clear();
  for (auto& [first, chunk] : window_) chunk.groups.clear();
  ahead_.clear();
  const auto chunk = std::as_const(window_).chunk_of(cursor_);
  ahead_end_ = chunk == window_.end() ? cursor_ : chunk->first + chunk->second.count();
}

}  // namespace holdfast
