#include "engine/opening/recovery.h"

#include <utility>
#include <vector>

#include "engine/codec/rows/delivery_row.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/context/locked_queues.h"
#include "engine/services/salt.h"
#include "engine/storage/rows.h"

namespace holdfast {
namespace {

// Visits the rows of a range as for_each_row() does. An error names the family too.
template <class Visit>
Result<void> read_rows_of(const Store& store, Family family, std::string_view begin, std::string_view end,
                          Visit&& visit) {
  auto read = for_each_row(store, family, begin, end, std::forward<Visit>(visit));
  if (!read) read.error().message += " (in " + family_name(family) + ")";
  return read;
}

QueueState lanes_of(const QueueCheckpoint& at) {
  std::vector<LaneState> lanes;
  lanes.reserve(1 + at.lanes.size());
  lanes.emplace_back(at.next_seq, at.cursor, at.fresh, at.dead, at.bytes);
  for (const LaneCheckpoint& lane : at.lanes) {
    lanes.emplace_back(lane.next_seq, lane.cursor, lane.fresh, 0, lane.bytes);
  }
  return QueueState(std::move(lanes), at.totals, Schedule(at.next_ticket, at.scheduled, at.scheduled_bytes));
}

tl::unexpected<Error> unexpected_key() { return fail(ErrorCode::kCorruption, "a key does not decode"); }

}  // namespace

Result<void> Recovery::check_format(bool& fresh) {
  auto row = engine_.store->get(Family::kCatalog, keys::kFormatRow);
  if (!row) return tl::unexpected(row.error());
  fresh = !row->has_value();
  return fresh ? check_empty() : check_format_row(**row);
}

// A store whose format row is lost must not be taken for a new one.
Result<void> Recovery::check_empty() {
  for (std::size_t i = 0; i < kFamilyCount; ++i) {
    const auto family = static_cast<Family>(i);
    const auto scan = engine_.store->scan(family, {}, kKeysEnd);
    if (auto status = scan->status(); !status) return status;
    if (scan->valid()) {
      return fail(ErrorCode::kCorruption,
                  "the format row is missing, but there are rows in " + std::string(family_name(family)));
    }
  }
  return {};
}

Result<void> Recovery::recover() {
  bool fresh = false;
  if (auto ok = check_format(fresh); !ok) return ok;
  if (!fresh) {
    auto row = engine_.store->get(Family::kCatalog, keys::kAllocationRow);
    if (!row) return tl::unexpected(row.error());
    if (!row->has_value()) return fail(ErrorCode::kCorruption, "the allocation row is missing");
    auto decoded = decode_allocation_row(**row);
    if (!decoded) return tl::unexpected(decoded.error());
    engine_.allocation = *decoded;
  }
  if (engine_.allocation.epoch == IdSource::kEpochMax) {
    return fail(ErrorCode::kLimitExceeded, "the data directory was opened " +
                                               std::to_string(engine_.allocation.epoch) +
                                               " times, which is the limit");
  }
  ++engine_.allocation.epoch;
  engine_.opened_at = engine_.now();
  engine_.catalog.begin_steps(engine_.allocation.epoch);
  engine_.ids =
      std::make_unique<IdSource>(engine_.allocation.epoch, engine_.options.id_salt.value_or(random_salt()),
                                 engine_.allocation.lease_salt);
  if (auto ok = recover_queues(); !ok) return ok;
  if (auto ok = recover_window(); !ok) return ok;
  const auto batch = engine_.store->new_batch();
  if (auto ok = recover_tasks(*batch); !ok) return ok;
  if (auto ok = recover_families(); !ok) return ok;
  if (auto ok = engine_.requests.recover(engine_.clock.stored_now()); !ok) return ok;

  // The epoch must be on disk before its first lease id is given out. The format row is written for an older
  // directory too, since older versions cannot read what is written from here on.
  batch->put(Family::kCatalog, keys::kFormatRow, encode_format_row(kFormatVersion));
  batch->put(Family::kCatalog, keys::kAllocationRow, encode_allocation_row(engine_.allocation));
  const CommitResult result = engine_.store->commit(*batch, Durability::kFsync);
  if (result.outcome == CommitOutcome::kCommitted) return {};
  return fail(ErrorCode::kStorageFailed, "opening could not write: " + result.message);
}

Result<void> Recovery::recover_queues() {
  Checkpoints checkpoints;
  if (auto ok = read_checkpoints(checkpoints); !ok) return ok;
  if (auto ok = add_queues(checkpoints); !ok) return ok;
  for (const auto& queue : engine_.catalog.all()) {
    if (auto ok = recover_dedup(*queue); !ok) return ok;
    if (auto ok = find_targets(*queue); !ok) return ok;
  }
  return {};
}

Result<void> Recovery::read_checkpoints(Checkpoints& checkpoints) {
  Timestamp latest{};
  auto ok = read_rows_of(*engine_.store, Family::kCatalog, keys::kCheckpointsBegin, keys::kCheckpointsEnd,
                         [&](std::string_view key, std::string_view value) -> Result<void> {
                           const auto id = keys::parse_queue_row(key);
                           auto checkpoint = decode_queue_checkpoint(value);
                           if (!id) return unexpected_key();
                           if (!checkpoint) return tl::unexpected(checkpoint.error());
                           latest = std::max(latest, checkpoint->written_at);
                           checkpoints.emplace(*id, *checkpoint);
                           return {};
                         });
  if (ok) engine_.clock.begin_after(latest);
  return ok;
}

Result<void> Recovery::add_queues(Checkpoints& checkpoints) {
  return read_rows_of(
      *engine_.store, Family::kCatalog, keys::kDefinitionsBegin, keys::kDefinitionsEnd,
      [&](std::string_view key, std::string_view value) HOLDFAST_NOT_ANALYSED -> Result<void> {
        const auto id = keys::parse_queue_row(key);
        auto definition = decode_queue_definition(value);
        if (!id) return unexpected_key();
        if (!definition) return tl::unexpected(definition.error());
        // A checkpoint is freed as soon as its queue is made, so that later queues are made in that memory.
        const auto found = checkpoints.extract(*id);
        if (found.empty()) {
          return fail(ErrorCode::kCorruption,
                      "the checkpoint of queue '" + definition->name + "' is missing");
        }
        const RetryPolicy& retry = definition->options.retry.policy;
        if (retry.kind == RetryKind::kStages && retry.stages.empty()) {
          return fail(ErrorCode::kCorruption,
                      "queue '" + definition->name + "' delivers again by stages, and has none");
        }
        if (engine_.catalog.find(definition->name))
          return fail(ErrorCode::kCorruption, "two queues have the name '" + definition->name + "'");
        QueueCheckpoint& at = found.mapped();
        auto queue = std::make_shared<Queue>(*id, std::move(*definition), lanes_of(at), engine_.cache,
                                             engine_.pipeline, engine_.catalog);
        queue->expiries.expect(at.next_expiry);
        queue->journal.restore(at.journal);
        queue->alerts.restore(std::move(at.alerts));
        if (at.braked_until != Timestamp{}) queue->brake.restore(engine_.clock.loaded(at.braked_until));
        engine_.catalog.add(std::move(queue));
        return {};
      });
}

Result<void> Recovery::find_targets(Queue& queue) {
  bool missing = false;
  const auto find = [&](const std::string& name) -> std::shared_ptr<Queue> {
    if (name.empty()) return nullptr;
    auto found = engine_.catalog.find(name);
    missing = missing || !found;
    return found ? *found : nullptr;
  };
  const auto& named = queue.options().dead_letters;
  DeadLetterTargets targets{
      .fallback = find(named.queue), .routes = {}, .parking = find(named.parking_queue)};
  for (const auto& route : named.routes) targets.routes.push_back(find(route.queue));
  if (missing) return fail(ErrorCode::kCorruption, "a dead letter queue of '" + queue.name + "' is missing");
  std::vector<Queue*> concerned{&queue};
  targets.add_to(concerned);
  const LockedQueues locked(engine_.pipeline.gate(), std::move(concerned));
  queue.configure(queue.options(), std::move(targets), engine_.catalog_mutex);
  return {};
}

// Finds the buckets without reading their rows.
Result<void> Recovery::recover_dedup(Queue& queue) {
  if (queue.options().deduplication.mode == Deduplication::kNone) return {};
  std::vector<Timestamp> buckets;
  std::string from = keys::queue_seq(queue.id, Seq{0});
  for (;;) {
    const auto scan = engine_.store->scan(Family::kDedup, from, keys::queue_end(queue.id));
    if (auto ok = scan->status(); !ok) return ok;
    if (!scan->valid()) break;
    const auto bucket = keys::parse_dedup_bucket(scan->key());
    if (!bucket) return unexpected_key();
    buckets.push_back(*bucket);
    from = keys::dedup(queue.id, *bucket + Duration(1), {});
  }
  queue.dedup.restore(std::move(buckets), queue.options().deduplication.window, engine_.clock.stored_now());
  return {};
}

Result<void> Recovery::recover_window() {
  auto ok =
      read_rows_of(*engine_.store, Family::kDeliveries, {}, kKeysEnd,
                   [&](std::string_view key, std::string_view value) HOLDFAST_NOT_ANALYSED -> Result<void> {
                     const auto place = keys::parse_queue_seq(key);
                     if (!place) return unexpected_key();
                     const auto queue = engine_.catalog.find(place->queue);
                     if (!queue) return fail(ErrorCode::kCorruption, "a row of a queue that is not there");
                     auto chunk = decode_delivery_row(value);
                     if (!chunk) return tl::unexpected(chunk.error());
                     chunk->shift(-engine_.clock.ahead());
                     LaneState& lane = queue->state.of(place->seq);
                     if (place->seq + chunk->count() > lane.log().next_seq()) {
                       return fail(ErrorCode::kCorruption,
                                   "queue '" + queue->name + "' has deliveries past its last message");
                     }
                     lane.restore_chunk(place->seq, std::move(*chunk));
                     return {};
                   });
  if (!ok) return ok;
  for (const auto& queue : engine_.catalog.all()) {
    if (ok = recover_schedule(*queue); !ok) return ok;
    retention_.plan(queue);
    engine_.scheduler.schedule(queue, queue->state.leaving() == 0 ? queue->next_due() : Timestamp::min());
    // Nobody knows how much of the time until the next round is over, so the round is due at once.
    if (queue->options().dead_letters.auto_redrive.every != Duration{0})
      queue->auto_redrive_at = engine_.now();
    // The rules that hold are in the checkpoint, which was written together with what they measure. So none
    // of them clears here, where nobody would hear of it.
    queue->alerts.judge_depth(queue->options().alerts, queue->state.counts().dead, engine_.now());
    engine_.scheduler.schedule(queue, queue->next_policy());
    look_for_space(queue);
  }
  return {};
}

// Nobody knows what the last process removed or compacted and did not reclaim. If the table has more than
// twice what is alive, the rest is taken for that.
void Recovery::look_for_space(const std::shared_ptr<Queue>& queue) {
  const std::uint64_t alive = queue->state.bytes();
  const std::uint64_t stored = engine_.store->approximate_bytes(
      Family::kMessages, keys::queue_begin(queue->id), keys::queue_end(queue->id));
  if (stored > 2 * alive + Reclaimer::kGarbageBytes) {
    queue->removed_chunks = 1;
    queue->compacted_bytes = stored - alive;
  }
  if (queue->removed_chunks > 0 || queue->has_stragglers())
    engine_.scheduler.schedule(queue, engine_.opened_at);
}

// Looks once for the first row of each kind.
Result<void> Recovery::recover_schedule(Queue& queue) {
  if (queue.state.scheduled().messages() == 0) return {};
  bool any = false;
  for (const WaitsFor what : kWaits) {
    const auto scan = engine_.store->scan(Family::kScheduled, keys::scheduled_begin(queue.id, what),
                                          keys::scheduled_end(queue.id, what));
    if (auto status = scan->status(); !status) return status;
    if (!scan->valid()) continue;
    const auto first = keys::parse_scheduled(scan->key());
    if (!first) return unexpected_key();
    queue.state.scheduled().expect(*first);
    any = true;
  }
  if (any) return {};
  return fail(ErrorCode::kCorruption, "the scheduled messages of queue '" + queue.name + "' are missing");
}

Result<void> Recovery::recover_tasks(Batch& changes) {
  return read_rows_of(*engine_.store, Family::kRedriveTasks, {}, kKeysEnd,
                      [&](std::string_view key, std::string_view value) -> Result<void> {
                        if (const auto counted = keys::parse_task_outcomes(key)) {
                          const auto counts = decode_replay_counts(value);
                          if (!counts) return tl::unexpected(counts.error());
                          engine_.catalog.replay_tallies().add(*counted, *counts);
                          return {};
                        }
                        const auto id = keys::parse_task(key);
                        auto task = decode_redrive_task(value);
                        if (!id) return unexpected_key();
                        if (!task) return tl::unexpected(task.error());
                        engine_.catalog.replay_tallies().add(*id);
                        if (task->transforms && task->state == TaskState::kRunning) {
                          task->state = TaskState::kInterrupted;
                          task->finished_at = engine_.now();
                          changes.put(Family::kRedriveTasks, key, encode_redrive_task(*task));
                        }
                        engine_.tasks.add(std::make_shared<RedriveJob>(*id, std::move(*task), engine_.now()));
                        return {};
                      });
}

// A family of the store without a row was being created, or dropped, when the process crashed.
Result<void> Recovery::recover_families() {
  auto ok = read_rows_of(*engine_.store, Family::kCatalog, keys::kFamiliesBegin, keys::kFamiliesEnd,
                         [&](std::string_view key, std::string_view value) -> Result<void> {
                           const auto id = keys::parse_family_row(key);
                           if (!id) return unexpected_key();
                           engine_.families.add({*id, std::string(value)});
                           return {};
                         });
  if (!ok) return ok;
  std::vector<Family> wanted;
  for (const auto& family : engine_.families.all()) wanted.push_back(store_family(family.id));
  for (const Family family : engine_.store->application_families()) {
    if (std::erase(wanted, family) > 0) continue;
    if (ok = engine_.store->drop_family(family); !ok) return ok;
  }
  if (wanted.empty()) return {};
  return fail(ErrorCode::kCorruption, "the family " + family_name(wanted.front()) + " is missing");
}

}  // namespace holdfast
