#include "engine/queue/queue_rows.h"

#include <span>
#include <utility>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/arrivals_row.h"
#include "engine/codec/rows/delivery_row.h"
#include "engine/services/engine_clock.h"

namespace holdfast {
namespace {

// Returns whether a purge leaves the rows of the family. Their keys do not go on with the seq of a message.
constexpr bool outlives_purge(Family family) {
  return family == Family::kDedup || family == Family::kJournal;
}

}  // namespace

void QueueRows::remove_queue(Batch& rows) const {
  rows.remove(Family::kCatalog, keys::queue_definition(queue_));
  rows.remove(Family::kCatalog, keys::queue_checkpoint(queue_));
  rows.remove_range(Family::kCatalog, keys::arrivals(queue_, 0), keys::arrivals_end(queue_));
}

void QueueRows::remove_purged(std::size_t lane, Seq before, bool deleted, Batch& rows) const {
  for (const Family family : kQueueFamilies) {
    if (!deleted && outlives_purge(family)) continue;
    // The keys of these families do not go by seq. All dead letters leave, with their history. What is put
    // here after the purge comes later in this batch.
    const bool all = deleted || family == Family::kScheduled || family == Family::kDeadLetters ||
                     family == Family::kHistory || family == Family::kDeadLetterIndex ||
                     family == Family::kDeadLetterIds;
    const Seq begin = all || lane == 0 ? Seq{0} : lane_begin(lane);
    rows.remove_range(family, keys::queue_seq(queue_, begin),
                      all ? keys::queue_end(queue_) : keys::queue_seq(queue_, before));
  }
}

void QueueRows::remove_finished(const FinishedChunk& finished, Batch& rows) {
  const Seq first = finished.span.first;
  const std::string key = keys::queue_seq(queue_, first);
  rows.remove_once(Family::kMessages, key);
  if (finished.row_puts == ChunkState::RowPuts::kOne) rows.remove_once(Family::kDeliveries, key);
  if (finished.row_puts == ChunkState::RowPuts::kMany) rows.remove(Family::kDeliveries, key);
  const auto chunk = cache_.take(queue_, first);
  if (chunk && chunk->first_expiry() != kNever)
    rows.remove(Family::kScheduled, keys::expiry(queue_, chunk->first_expiry(), first));
}

void QueueRows::put_deliveries(LaneState& lane, const GroupChanges& changes, Batch& rows) {
  const Duration ahead = clock_.ahead();
  for (const Seq first : changes.dirty) {
    scratch_.clear();
    const ChunkState& chunk = lane.chunk_for_row(first);
    if (ahead == Duration{0}) {
      encode_delivery_row(chunk, scratch_);
    } else {
      ChunkState stored = chunk;
      stored.shift(ahead);
      encode_delivery_row(stored, scratch_);
    }
    rows.put(Family::kDeliveries, keys::queue_seq(queue_, first), scratch_);
    lane.pack(first);
  }
}

void QueueRows::put_checkpoint(const QueueState& state, QueueCheckpoint checkpoint, Batch& rows) {
  const LaneState& first = state.all().front();
  const Tally& tally = first.states().tally();
  checkpoint.next_seq = first.log().next_seq();
  checkpoint.cursor = first.log().cursor();
  checkpoint.fresh = tally.fresh();
  checkpoint.dead = tally.dead();
  checkpoint.bytes = tally.bytes();
  checkpoint.totals = state.totals();
  checkpoint.next_ticket = state.scheduled().next_ticket();
  checkpoint.scheduled = state.scheduled().messages();
  checkpoint.scheduled_bytes = state.scheduled().bytes();
  for (const LaneState& lane : std::span(state.all()).subspan(1)) {
    const Tally& of_lane = lane.states().tally();
    checkpoint.lanes.push_back(
        {lane.log().next_seq(), lane.log().cursor(), of_lane.fresh(), of_lane.bytes()});
  }
  // The time is read after every deadline of this commit was reckoned: see EngineClock::begin_after().
  checkpoint.written_at = clock_.stored_now();
  scratch_.clear();
  encode_queue_checkpoint(checkpoint, scratch_);
  rows.put(Family::kCatalog, keys::queue_checkpoint(queue_), scratch_);
}

}  // namespace holdfast
