// What became of redriven messages: rows beside their records, which are history in the dead letter queues
// that they came from, and the counts of the tasks that moved them. Written with the ack or the death, by the
// queue where that was; nobody else is locked for it. An outcome for which something cannot be read stays
// pending: the engine must not stop over it.
#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/queue/catalog.h"
#include "engine/queue/queue.h"

namespace holdfast {
namespace {

std::uint64_t ReplayCounts::*count_of(ReplayOutcome outcome) {
  if (outcome == ReplayOutcome::kAcked) return &ReplayCounts::acked;
  return outcome == ReplayOutcome::kDropped ? &ReplayCounts::dropped : &ReplayCounts::died_elsewhere;
}

}  // namespace

void Queue::record_redeath(const Lineage& lineage, Timestamp time) {
  outcomes_.push_back({lineage.record_queue, lineage.record_seq, {ReplayOutcome::kDiedElsewhere, time}});
}

void Queue::record_drop(const Lineage& lineage, Timestamp time) {
  if (lineage.record_queue == QueueId{}) return;
  outcomes_.push_back({lineage.record_queue, lineage.record_seq, {ReplayOutcome::kDropped, time}});
}

void Queue::record_acks(const std::vector<AckedReplay>& acked, const Store& store) {
  FoundChunk last;
  for (const auto& [first, index, at] : acked) {
    if (last.first != first) last = {first, stored_chunk(first, store)};
    if (!last.chunk) continue;
    const Lineage lineage = last.chunk->message(index).lineage;
    outcomes_.push_back({lineage.record_queue, lineage.record_seq, {ReplayOutcome::kAcked, at}});
  }
}

// A record may go with the same group, by a purge or because it is kept no longer: its outcome goes with it.
Result<void> Queue::contribute_early(GroupWrites& writes) {
  mutex.assert_held();  // as good as: the gate is closed, and nobody else is inside
  for (QueueState& lane : state.all()) record_acks(lane.take_acked_replays(), writes.store);
  put_outcomes(writes);
  return {};
}

void Queue::put_outcomes(GroupWrites& writes) {
  for (const auto& [queue, seq, replay] : outcomes_) {
    // The gate is closed: no queue is deleted meanwhile, and its lock is as good as held. A queue that is
    // going with this group takes the outcome along.
    const auto has_record = catalog_.find(queue);
    if (!has_record) continue;
    has_record->mutex.assert_held();
    if (has_record->deleted()) continue;
    const std::string record = keys::dead_letter(queue, {.history = true, .seq = seq});
    const auto found = writes.store.get(Family::kHistory, record);
    if (!found || !found->has_value()) continue;
    writes.rows.put(Family::kHistory, keys::outcome(queue, seq), encode_replay(replay));
    const TaskId task = replayed_by_of_dead_letter_row(**found);
    catalog_.replay_tallies().count(task, count_of(replay.outcome), writes.rows);
  }
  outcomes_.clear();
}

}  // namespace holdfast
