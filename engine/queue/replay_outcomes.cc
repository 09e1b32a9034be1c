#include "engine/queue/replay_outcomes.h"

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/codec/encoding/keys.h"
#include "engine/queue/catalog.h"
#include "engine/queue/queue.h"

namespace holdfast {
namespace {

std::uint64_t ReplayCounts::*count_of(ReplayOutcome outcome) {
  if (outcome == ReplayOutcome::kAcked) return &ReplayCounts::acked;
  return outcome == ReplayOutcome::kDropped ? &ReplayCounts::dropped : &ReplayCounts::died_elsewhere;
}

}  // namespace

void ReplayOutcomes::record_redeath(const Lineage& lineage, Timestamp time) {
  outcomes_.push_back({lineage.record_queue, lineage.record_seq, {ReplayOutcome::kDiedElsewhere, time}});
}

void ReplayOutcomes::record_drop(const Lineage& lineage, Timestamp time) {
  if (lineage.record_queue == QueueId{}) return;
  outcomes_.push_back({lineage.record_queue, lineage.record_seq, {ReplayOutcome::kDropped, time}});
}

void ReplayOutcomes::record_acks(const std::vector<AckedReplay>& acked, ChunkFinder& chunks) {
  for (const auto& [first, index, at] : acked) {
    const auto& chunk = chunks.find(first);
    if (!chunk) continue;
    const Lineage lineage = chunk->message(index).lineage;
    outcomes_.push_back({lineage.record_queue, lineage.record_seq, {ReplayOutcome::kAcked, at}});
  }
}

// A record may leave with the same group, because of a purge or because retention ends. Its outcome leaves
// with it.
void ReplayOutcomes::contribute(GroupWrites& writes) {
  for (const auto& [queue, seq, replay] : outcomes_) {
    // A queue that is deleted with this group takes the outcome along.
    const auto has_record = catalog_.find(queue);
    if (!has_record) continue;
    has_record->mutex.assume_held();  // The gate is closed, and every call that changes a queue is inside it.
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
