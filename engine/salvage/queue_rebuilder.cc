#include "engine/salvage/queue_rebuilder.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/units.h"
#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/failure.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/carried.h"
#include "engine/codec/rows/delivery_row.h"
#include "engine/codec/rows/journal_row.h"
#include "engine/core/seq_math.h"
#include "engine/storage/rows.h"

namespace holdfast::salvage {

using verify::place;

QueueRebuilder::QueueRebuilder(const Reader& from, const verify::QueueFacts& queue, Timestamp latest,
                               Writer& writer, verify::Findings& losses, SalvageReport& report)
    : from_(from),
      queue_(queue),
      latest_(latest),
      writer_(writer),
      losses_(losses),
      report_(report),
      records_(from, queue, writer, losses) {
  if (queue.checkpoint) now_ = *queue.checkpoint;
  lane(lane_begin(now_.lanes.size()));
  now_.dead = 0;
  now_.next_expiry = kNever;
}

LaneCheckpoint& QueueRebuilder::lane(Seq seq) {
  for (std::size_t next = lanes_.size(); next <= lane_of(seq); ++next) {
    const Seq begin = lane_begin(next);
    lanes_.push_back({std::max(begin, verify::lane_at(now_, begin).next_seq), Seq{UINT64_MAX}, 0, 0});
  }
  return lanes_[lane_of(seq)];
}

std::optional<ChunkState> QueueRebuilder::state_of(Seq first, const Chunk& chunk) {
  const auto lost = [&](const std::string& why) -> std::optional<ChunkState> {
    losses_.add("state_lost", place("deliveries", queue_.name, queue_.id, first),
                why + ": the messages of this chunk are handed out again, those that were done too");
    return std::nullopt;
  };
  const auto row = from_.get(Family::kDeliveries, keys::queue_seq(queue_.id, first));
  if (!row) return lost(row.error().message);
  if (!row->has_value()) {
    const bool passed = queue_.checkpoint && first < verify::lane_at(*queue_.checkpoint, first).cursor;
    return passed ? lost("the row is missing") : std::nullopt;
  }
  auto state = decode_delivery_row(**row);
  if (!state) return lost(state.error().message);
  if (state->entries.size() != chunk.count()) return lost("the row is of another chunk");
  return std::move(*state);
}

Result<void> QueueRebuilder::leave_out(Seq first, const Chunk& chunk, std::optional<ChunkState>& state) {
  std::vector<bool> gone(chunk.count());
  for (std::uint32_t i = 0; i < chunk.count(); ++i) gone[i] = !chunk.holds(i);
  if (chunk.kind() == ChunkKind::kDeadLetters) {
    if (auto ok = note_history(first, gone); !ok) return ok;
  }
  for (std::uint32_t i = 0; i < chunk.count(); ++i) {
    if (!gone[i]) continue;
    if (!state) state = fresh_state(chunk);
    set_done(*state, i);
  }
  return {};
}

// A seq is never given to a second message, so a record of history means that its message has left.
Result<void> QueueRebuilder::note_history(Seq first, std::vector<bool>& gone) const {
  const auto note = [&](std::string_view bytes, std::string_view /*record*/) -> Result<void> {
    if (const auto key = keys::parse_dead_letter(bytes)) gone[key->seq - first] = true;
    return {};
  };
  return for_each_row(from_, Family::kHistory, keys::dead_letter(queue_.id, {.history = true, .seq = first}),
                      keys::dead_letter(queue_.id, {.history = true, .seq = first + gone.size()}), note);
}

void QueueRebuilder::set_done(ChunkState& state, std::uint32_t index) {
  Entry& entry = state.entries[index];
  if (entry.state == EntryState::kDone) return;
  Entry done;
  done.bytes = entry.bytes;
  done.state = EntryState::kDone;
  entry = done;
  ++state.done;
}

ChunkState QueueRebuilder::fresh_state(const Chunk& chunk) {
  ChunkState state;
  const std::vector<std::uint32_t> sizes = chunk.sizes();
  state.entries.resize(chunk.count());
  for (std::size_t i = 0; i < sizes.size(); ++i) state.entries[i].bytes = sizes[i];
  state.dead_letters = chunk.kind() == ChunkKind::kDeadLetters;
  state.replayed = chunk.kind() == ChunkKind::kReplayed;
  return state;
}

Result<void> QueueRebuilder::chunk(Seq first, std::string_view bytes) {
  const auto decoded = Chunk::decode(std::string(bytes));
  if (!decoded) {
    losses_.add("chunk_lost", place("messages", queue_.name, queue_.id, first), decoded.error().message);
    undecodable_.insert(first);
    return {};
  }
  const Chunk& chunk = **decoded;
  std::optional<ChunkState> state = state_of(first, chunk);
  if (auto ok = leave_out(first, chunk, state); !ok) return ok;
  if (state) {
    if (auto ok = bring_failures(first, *state); !ok) return ok;
  }
  LaneCheckpoint& here = lane(first);
  here.next_seq = std::max(here.next_seq, first + chunk.count());
  if (state && state->finished()) return {};
  if (auto ok = bring_messages(first, chunk, state); !ok) return ok;
  const std::string key = keys::queue_seq(queue_.id, first);
  if (auto ok = writer_.put_once(Family::kMessages, key, bytes); !ok) return ok;
  if (auto ok = put_expiry(first, chunk); !ok) return ok;
  if (!state) return {};
  std::string row;
  encode_delivery_row(*state, row);
  return writer_.put(Family::kDeliveries, key, row);
}

Result<void> QueueRebuilder::bring_messages(Seq first, const Chunk& chunk,
                                            const std::optional<ChunkState>& state) {
  const bool dead = chunk.kind() == ChunkKind::kDeadLetters;
  LaneCheckpoint& here = lane(first);
  for (std::uint32_t i = 0; i < chunk.count(); ++i) {
    const EntryState is = state ? state->entries[i].state : EntryState::kFresh;
    if (is == EntryState::kDone) continue;
    const MessageView message = chunk.message(i);
    ++report_.messages;
    here.bytes += message.bytes();
    if (dead) {
      ++report_.dead_letters;
      ++now_.dead;
      if (auto ok = records_.bring(first + i, i, message); !ok) return ok;
    }
    if (is != EntryState::kFresh) continue;
    ++here.fresh;
    here.cursor = std::min(here.cursor, first + i);
  }
  return {};
}

// Brings over what consumers said of failures. If a description is lost, it is not known any more that there
// was one.
Result<void> QueueRebuilder::bring_failures(Seq first, ChunkState& state) {
  for (std::size_t i = 0; i < state.entries.size(); ++i) {
    Entry& entry = state.entries[i];
    if (entry.state == EntryState::kDone) entry.set_described(0);
    if (entry.described == 0) continue;
    const bool moved = entry.attempts && entry.attempts->home != Seq{};
    const auto found = bring_failures(moved ? entry.attempts->home : first + i, entry.described);
    if (!found) return tl::unexpected(found.error());
    entry.set_described(*found);
  }
  return {};
}

Result<FailureSlots> QueueRebuilder::bring_failures(Seq home, FailureSlots slots) {
  FailureSlots& brought = brought_failures_[home];
  FailureSlots found = 0;
  for (std::size_t slot = 0; slot < kFailureSlots; ++slot) {
    const auto bit = static_cast<FailureSlots>(1U << slot);
    if ((slots & bit) == 0 || (brought & bit) != 0) continue;
    const std::string key = keys::failure(queue_.id, {home, slot});
    const auto row = from_.get(Family::kScheduled, key);
    if (!row || !row->has_value() || !decode_failure(**row)) {
      losses_.add("failure_lost", place("scheduled", queue_.name, queue_.id, home),
                  "what a consumer said of a failure");
      continue;
    }
    if (auto ok = writer_.put(Family::kScheduled, key, **row); !ok) return tl::unexpected(ok.error());
    found = static_cast<FailureSlots>(found | bit);
  }
  brought = static_cast<FailureSlots>(brought | found);
  return found;
}

Result<std::string> QueueRebuilder::bring_carried(std::string_view bytes) {
  Carried carried = decode_carried(bytes);
  FailureHistory& history = carried.history;
  if (history.described == 0) return std::string(bytes);
  const auto found = bring_failures(history.home, history.described);
  if (!found) return tl::unexpected(found.error());
  if (*found == history.described) return std::string(bytes);
  history.described = *found;
  return encode_carried(carried);
}

Result<std::shared_ptr<const Chunk>> QueueRebuilder::bring_failures(std::shared_ptr<const Chunk> scheduled) {
  ChunkBuilder changed(Seq{1}, scheduled->kind());
  bool is_changed = false;
  for (std::uint32_t i = 0; i < scheduled->count(); ++i) {
    MessageView message = scheduled->message(i);
    std::string carried;
    if (!message.carried.empty()) {
      auto brought = bring_carried(message.carried);
      if (!brought) return tl::unexpected(brought.error());
      carried = *std::move(brought);
      is_changed = is_changed || carried != message.carried;
      message.carried = carried;
    }
    scheduled->holds(i) ? changed.add_copy(message, message.lineage) : changed.add_nothing();
  }
  if (!is_changed) return scheduled;
  return std::move(changed).finish();
}

Result<void> QueueRebuilder::put_expiry(Seq first, const Chunk& chunk) {
  const Timestamp expires_at = chunk.first_expiry();
  if (expires_at == kNever) return {};
  now_.next_expiry = std::min(now_.next_expiry, expires_at);
  return writer_.put(Family::kScheduled, keys::expiry(queue_.id, expires_at, first), {});
}

Result<void> QueueRebuilder::report_lost_chunks() {
  const auto look = [&](std::string_view bytes, std::string_view value) -> Result<void> {
    const auto key = keys::parse_queue_seq(bytes);
    const auto chunk = from_.get(Family::kMessages, bytes);
    if (!key || (chunk && chunk->has_value() && !undecodable_.contains(key->seq))) return {};
    const auto state = decode_delivery_row(value);
    if (!state) return {};
    // report_lost_fresh() counts the fresh messages.
    const auto left =
        static_cast<std::uint64_t>(std::ranges::count_if(state->entries, [](const Entry& entry) {
          return entry.state != EntryState::kFresh && entry.state != EntryState::kDone;
        }));
    if (left == 0) return {};
    report_.messages_lost += left;
    losses_.add("chunk_lost", place("messages", queue_.name, queue_.id, key->seq),
                format_count(left, "message") + " that had been handed out before");
    return {};
  };
  return for_each_row(from_, Family::kDeliveries, keys::queue_seq(queue_.id, Seq{0}),
                      keys::queue_end(queue_.id), look);
}

void QueueRebuilder::report_lost_fresh() {
  if (!queue_.checkpoint) return;
  std::uint64_t expected = queue_.checkpoint->fresh;
  for (const LaneCheckpoint& was : queue_.checkpoint->lanes) expected += was.fresh;
  std::uint64_t fresh = 0;
  for (const LaneCheckpoint& is : lanes_) fresh += is.fresh;
  const std::string where = place("messages", queue_.name, queue_.id);
  if (fresh < expected) {
    report_.messages_lost += expected - fresh;
    losses_.add("messages_lost", where,
                format_count(expected - fresh, "message") + " that had not been handed out");
  }
  if (fresh > expected) {
    losses_.add("messages_returned", where,
                format_count(fresh - expected, "message") +
                    " more than the checkpoint counted: some that "
                    "were done are handed out again");
  }
}

Result<void> QueueRebuilder::scheduled() {
  const std::uint64_t expected = std::exchange(now_.scheduled, 0);
  now_.scheduled_bytes = 0;
  const auto bring = [&](std::string_view key, std::string_view value) {
    return bring_scheduled(key, value);
  };
  if (auto ok = for_each_row(from_, Family::kScheduled, keys::queue_begin(queue_.id),
                             keys::scheduled_end(queue_.id), bring);
      !ok)
    return ok;
  report_.messages += now_.scheduled;
  if (queue_.checkpoint) report_scheduled(expected);
  return {};
}

Result<void> QueueRebuilder::bring_scheduled(std::string_view key, std::string_view value) {
  const auto at = keys::parse_scheduled(key);
  auto chunk = Chunk::decode(std::string(value));
  if (!at || !chunk) {
    losses_.add("chunk_lost", place("scheduled", queue_.name, queue_.id),
                chunk ? "a key does not decode" : chunk.error().message);
    return {};
  }
  now_.scheduled += (*chunk)->count();
  for (const std::uint32_t bytes : (*chunk)->sizes()) now_.scheduled_bytes += bytes;
  now_.next_ticket = std::max(now_.next_ticket, Ticket{static_cast<std::uint64_t>(at->ticket) + 1});
  const auto brought = bring_failures(*std::move(chunk));
  if (!brought) return tl::unexpected(brought.error());
  return writer_.put_once(Family::kScheduled, key, (*brought)->bytes());
}

void QueueRebuilder::report_scheduled(std::uint64_t expected) {
  const std::string where = place("scheduled", queue_.name, queue_.id);
  if (now_.scheduled < expected) {
    report_.messages_lost += expected - now_.scheduled;
    losses_.add("messages_lost", where,
                format_count(expected - now_.scheduled, "message") + " that waited for their time");
  }
  if (now_.scheduled > expected) {
    losses_.add("messages_returned", where,
                format_count(now_.scheduled - expected, "message") +
                    " more than the checkpoint counted: some that had entered the log wait again");
  }
}

// The times of a bucket are stored time, which no step tells: its own time is a time of day, which stored
// time is never behind. So a bucket that the checkpoint does not know ended before the next one that it
// knows, or by now.
JournalBucket QueueRebuilder::bucket_with(std::uint64_t number, Timestamp step) const {
  const std::vector<JournalBucket>& known = now_.journal;
  const auto next = std::ranges::lower_bound(known, number, {}, &JournalBucket::number);
  const Timestamp end = next == known.end() ? std::max(step, latest_) : next->started;
  JournalBucket bucket{.number = number, .entries = 0, .started = end, .newest = end};
  if (next != known.end() && next->number == number) bucket.newest = next->newest;
  return bucket;
}

Result<void> QueueRebuilder::bring_journal() {
  std::map<std::uint64_t, JournalBucket> buckets;
  const auto bring = [&](std::string_view key, std::string_view value) -> Result<void> {
    const auto at = keys::parse_journal(key);
    const auto step = decode_journal_row(value);
    if (!at || !step) {
      losses_.add("journal_lost", place("journal", queue_.name, queue_.id), "a step");
      return {};
    }
    const JournalBucket with_step = bucket_with(at->bucket, step->at);
    JournalBucket& bucket = buckets.try_emplace(at->bucket, with_step).first->second;
    ++bucket.entries;
    bucket.started = std::min(bucket.started, with_step.started);
    bucket.newest = std::max(bucket.newest, with_step.newest);
    return writer_.put(Family::kJournal, key, value);
  };
  if (auto ok = for_each_row(from_, Family::kJournal, keys::queue_begin(queue_.id),
                             keys::queue_end(queue_.id), bring);
      !ok)
    return ok;
  now_.journal.clear();
  for (const auto& [number, bucket] : buckets) now_.journal.push_back(bucket);
  return {};
}

Result<void> QueueRebuilder::end() {
  ++report_.queues;
  if (auto ok = scheduled(); !ok) return ok;
  if (auto ok = bring_journal(); !ok) return ok;
  // The numbers of history must not be given to other messages.
  const auto keep_number = [&](Seq seq) {
    LaneCheckpoint& here = lane(seq);
    here.next_seq = std::max(here.next_seq, seq + 1);
  };
  if (auto ok = records_.end(keep_number); !ok) return ok;
  if (auto ok = report_lost_chunks(); !ok) return ok;
  report_lost_fresh();
  QueueDefinition definition;
  if (queue_.definition) {
    definition = *queue_.definition;
  } else {
    definition.name = queue_.name;
    losses_.add("definition_lost", place("catalog", definition.name, queue_.id),
                "name and options are lost; it has the default options now");
  }
  if (!queue_.checkpoint) {
    losses_.add("checkpoint_lost", place("catalog", definition.name, queue_.id),
                "the totals are lost; the counts were taken anew");
  }
  for (LaneCheckpoint& is : lanes_) is.cursor = std::min(is.cursor, is.next_seq);
  now_.next_seq = lanes_.front().next_seq;
  now_.cursor = lanes_.front().cursor;
  now_.fresh = lanes_.front().fresh;
  now_.bytes = lanes_.front().bytes;
  now_.lanes.assign(lanes_.begin() + 1, lanes_.end());
  std::string row;
  encode_queue_checkpoint(now_, row);
  if (auto ok = writer_.put(Family::kCatalog, keys::queue_checkpoint(queue_.id), row); !ok) return ok;
  return writer_.put(Family::kCatalog, keys::queue_definition(queue_.id),
                     encode_queue_definition(definition));
}

}  // namespace holdfast::salvage
