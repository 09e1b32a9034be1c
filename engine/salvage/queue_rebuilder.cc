#include "engine/salvage/queue_rebuilder.h"

#include <algorithm>

#include "engine/base/helpers/units.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
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
    : from_(from), queue_(queue), latest_(latest), writer_(writer), losses_(losses), report_(report) {
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

// Messages that were left out of the chunk were done, whatever a row that is lost or older says.
void QueueRebuilder::leave_out(const Chunk& chunk, std::optional<ChunkState>& state) {
  for (std::uint32_t i = 0; i < chunk.count(); ++i) {
    if (chunk.holds(i)) continue;
    if (!state) state = fresh_state(chunk);
    Entry& entry = state->entries[i];
    if (entry.state == EntryState::kDone) continue;
    Entry done;
    done.bytes = entry.bytes;
    done.state = EntryState::kDone;
    entry = done;
    ++state->done;
  }
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
  const auto chunk = Chunk::decode(std::string(bytes));
  if (!chunk) {
    losses_.add("chunk_lost", place("messages", queue_.name, queue_.id, first), chunk.error().message);
    return {};
  }
  std::optional<ChunkState> state = state_of(first, **chunk);
  leave_out(**chunk, state);
  if (state) {
    if (auto ok = bring_failures(first, *state); !ok) return ok;
  }
  LaneCheckpoint& here = lane(first);
  here.next_seq = std::max(here.next_seq, first + (*chunk)->count());
  if (state && state->finished()) return {};

  const std::uint64_t kept = (*chunk)->count() - (state ? state->done : 0);
  report_.messages += kept;
  if ((*chunk)->kind() == ChunkKind::kDeadLetters) {
    report_.dead_letters += kept;
    now_.dead += kept;
    if (auto ok = bring_records(first, **chunk, state); !ok) return ok;
  }
  for (std::uint32_t i = 0; i < (*chunk)->count(); ++i) {
    if (!state || state->entries[i].state != EntryState::kDone) here.bytes += (*chunk)->message(i).bytes();
    if (state && state->entries[i].state != EntryState::kFresh) continue;
    ++here.fresh;
    here.cursor = std::min(here.cursor, first + i);
  }
  const std::string key = keys::queue_seq(queue_.id, first);
  if (auto ok = writer_.put_once(Family::kMessages, key, bytes); !ok) return ok;
  if (auto ok = put_expiry(first, **chunk); !ok) return ok;
  if (!state) return {};
  std::string row;
  encode_delivery_row(*state, row);
  return writer_.put(Family::kDeliveries, key, row);
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
  FailureSlots found = 0;
  for (std::size_t slot = 0; slot < kFailureSlots; ++slot) {
    if ((slots >> slot & 1U) == 0) continue;
    const std::string key = keys::failure(queue_.id, {home, slot});
    const auto row = from_.get(Family::kScheduled, key);
    if (!row || !row->has_value() || !decode_failure(**row)) {
      losses_.add("failure_lost", place("scheduled", queue_.name, queue_.id, home),
                  "what a consumer said of a failure");
      continue;
    }
    if (auto ok = writer_.put(Family::kScheduled, key, **row); !ok) return tl::unexpected(ok.error());
    found = static_cast<FailureSlots>(found | 1U << slot);
  }
  return found;
}

// Brings over the descriptions for messages that wait outside the log. Descriptions that are lost are left
// out when the message dies.
Result<void> QueueRebuilder::bring_failures(const Chunk& scheduled) {
  for (std::uint32_t i = 0; i < scheduled.count(); ++i) {
    const MessageView message = scheduled.message(i);
    if (message.carried.empty()) continue;
    const FailureHistory history = decode_carried(message.carried).history;
    const auto found = bring_failures(history.home, history.described);
    if (!found) return tl::unexpected(found.error());
  }
  return {};
}

Result<void> QueueRebuilder::put_expiry(Seq first, const Chunk& chunk) {
  const Timestamp expires_at = chunk.first_expiry();
  if (expires_at == kNever) return {};
  now_.next_expiry = std::min(now_.next_expiry, expires_at);
  return writer_.put(Family::kScheduled, keys::expiry(queue_.id, expires_at, first), {});
}

Result<void> QueueRebuilder::bring_records(Seq first, const Chunk& chunk,
                                           const std::optional<ChunkState>& state) {
  for (std::uint32_t i = 0; i < chunk.count(); ++i) {
    if (state && state->entries[i].state == EntryState::kDone) continue;
    if (auto ok = put_record({.seq = first + i}, record_of(first + i, i, chunk.message(i))); !ok) return ok;
  }
  return {};
}

Result<void> QueueRebuilder::bring_history() {
  const auto bring = [&](std::string_view bytes, std::string_view value) -> Result<void> {
    const auto key = keys::parse_dead_letter(bytes);
    const auto row = decode_dead_letter_row(value);
    if (!key || !row) {
      losses_.add("record_lost", place("dead_letters", queue_.name, queue_.id), "one of the history");
      return {};
    }
    // The history's number must not be given to another message.
    LaneCheckpoint& here = lane(key->seq);
    here.next_seq = std::max(here.next_seq, key->seq + 1);
    return put_record(*key, *row);
  };
  if (auto ok = for_each_row(from_, Family::kHistory, keys::dead_letter(queue_.id, {.history = true}),
                             keys::history_end(queue_.id), bring);
      !ok)
    return ok;
  return bring_outcomes();
}

// Brings over the outcomes, and the messages as they were before they were edited.
Result<void> QueueRebuilder::bring_outcomes() {
  return for_each_row(from_, Family::kHistory, keys::history_end(queue_.id), keys::queue_end(queue_.id),
                      [&](std::string_view key, std::string_view value) {
                        return writer_.put(Family::kHistory, key, value);
                      });
}

Result<void> QueueRebuilder::put_record(const RecordKey& key, const DeadLetterRow& row) {
  for (const IndexEntry& entry : index_entries(queue_.id, key, row)) {
    if (auto ok = put_posting(entry.posting); !ok) return ok;
    if (entry.count.empty()) continue;
    IndexCount& count = index_counts_[entry.count];
    ++(key.history ? count.history : count.here);
  }
  return writer_.put(record_family(key.history), keys::dead_letter(queue_.id, key),
                     encode_dead_letter_row(row));
}

Result<void> QueueRebuilder::put_posting(std::string_view key) {
  if (key.empty()) return {};
  return writer_.put(keys::is_id_row(key) ? Family::kDeadLetterIds : Family::kDeadLetterIndex, key, {});
}

Result<void> QueueRebuilder::put_index_counts() {
  for (const auto& [key, count] : index_counts_) {
    if (auto ok = writer_.put(Family::kDeadLetterIndex, key, encode_index_count(count)); !ok) return ok;
  }
  return {};
}

DeadLetterRow QueueRebuilder::record_of(Seq seq, std::uint32_t index, const MessageView& message) {
  const auto row = from_.get(Family::kDeadLetters, keys::queue_seq(queue_.id, seq));
  if (row && row->has_value()) {
    const auto decoded = decode_dead_letter_row(**row);
    if (decoded && decoded->chunk_index == index && decoded->record.message_id == message.id) return *decoded;
  }
  losses_.add("record_lost", place("dead_letters", queue_.name, queue_.id, seq),
              "the failure record was made up anew");
  FailureRecord record;
  record.message_id = message.id;
  record.source_queue_id = message.lineage.origin_queue;
  record.source_seq = message.lineage.origin_seq;
  record.sent_at = message.sent_at;
  record.reason = "unknown: the failure record was lost, and this one made up by salvage";
  record.replays = message.lineage.replays;
  record.first_failed_at = message.lineage.first_failed_at;
  return {.chunk_index = index, .id = message.id, .record = std::move(record), .triage = {}};
}

Result<void> QueueRebuilder::report_lost_chunks() {
  const auto look = [&](std::string_view bytes, std::string_view value) -> Result<void> {
    const auto key = keys::parse_queue_seq(bytes);
    const auto chunk = from_.get(Family::kMessages, bytes);
    if (!key || (chunk && chunk->has_value())) return {};
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
  const std::uint64_t expected = now_.scheduled;
  now_.scheduled = 0;
  now_.scheduled_bytes = 0;
  const auto bring = [&](std::string_view key, std::string_view value) -> Result<void> {
    const auto at = keys::parse_scheduled(key);
    const auto chunk = Chunk::decode(std::string(value));
    if (!at || !chunk) return {};
    now_.scheduled += (*chunk)->count();
    for (const std::uint32_t bytes : (*chunk)->sizes()) now_.scheduled_bytes += bytes;
    if (auto ok = bring_failures(**chunk); !ok) return ok;
    now_.next_ticket = std::max(now_.next_ticket, Ticket{static_cast<std::uint64_t>(at->ticket) + 1});
    return writer_.put_once(Family::kScheduled, key, value);
  };
  if (auto ok = for_each_row(from_, Family::kScheduled, keys::queue_begin(queue_.id),
                             keys::scheduled_end(queue_.id), bring);
      !ok)
    return ok;
  report_.messages += now_.scheduled;
  if (now_.scheduled < expected) {
    report_.messages_lost += expected - now_.scheduled;
    losses_.add("messages_lost", place("scheduled", queue_.name, queue_.id),
                format_count(expected - now_.scheduled, "message") + " that waited for their time");
  }
  return {};
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
  if (auto ok = bring_history(); !ok) return ok;
  if (auto ok = put_index_counts(); !ok) return ok;
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
