#include "engine/queue/queue.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/fingerprint.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/rows/carried.h"
#include "engine/core/seq_math.h"
#include "engine/queue/catalog.h"

namespace holdfast {
namespace {

Attributes searched_in(const MessageView& message, const std::vector<std::string>& names) {
  Attributes searched;
  if (names.empty()) return searched;
  const Attributes attributes = message.attributes();
  for (const std::string& name : names)
    searched.push_back({name, std::string(searched_part(find_attribute(attributes, name)))});
  return searched;
}

ChunkKind kind_of(const Lineage& lineage) {
  return lineage.record_queue == QueueId{} ? ChunkKind::kMessages : ChunkKind::kReplayed;
}

// Moves the times of a history by `by`, to another line of time.
void shift(FailureHistory& history, Duration by) {
  if (history.first_failed_at == Timestamp{}) return;
  history.first_failed_at += by;
  history.last_failed_at += by;
}

}  // namespace

Queue::Queue(QueueId queue_id, QueueDefinition definition, QueueState queue_state, ChunkCache& cache,
             const CommitPipeline& pipeline, const Catalog& catalog)
    : Contributor(mutex),
      id(queue_id),
      name(std::move(definition.name)),
      created_at(definition.created_at),
      dedup(pipeline),
      state(std::move(queue_state)),
      paused(definition.paused),
      options_(std::move(definition.options)),
      journal(name, state, catalog),
      bounds(name, options_.limits, state),
      sends(name, options_, paused, served, catalog),
      send_memory(id, dedup, catalog.clock()),
      chunks(id, state, cache),
      outcomes(catalog),
      dead_letters(id),
      arrivals(id),
      meter(state.totals()),
      cache_(cache),
      catalog_(catalog),
      rows_(id, cache, catalog.clock()) {}

// configure() and erase() need the queue's lock and the catalog's, so either of the two is enough to read.
const QueueOptions& Queue::options_in_catalog([[maybe_unused]] const sync::Mutex& catalog) const
    HOLDFAST_NOT_ANALYSED {
  return options_;
}

const DeadLetterTargets& Queue::targets_in_catalog([[maybe_unused]] const sync::Mutex& catalog) const
    HOLDFAST_NOT_ANALYSED {
  return targets_;
}

void Queue::configure(QueueOptions options, DeadLetterTargets targets,
                      [[maybe_unused]] const sync::Mutex& catalog) {
  options_ = std::move(options);
  targets_.count_served(-1);
  targets_ = std::move(targets);
  targets_.count_served(1);
  state.set_order(options_.priority.levels, options_.priority.aging, options_.grouping.mode);
  state.set_failure_policy({.max_deliveries = targets_.fallback ? options_.retry.max_deliveries : 0,
                            .retry_budget = targets_.fallback ? options_.retry.budget : Duration{0},
                            .retry = options_.retry.policy,
                            .brake = brake.on() ? std::optional(options_.brake.delay) : std::nullopt});
  if (deduplication.exchange(options_.deduplication.mode) != options_.deduplication.mode)
    deduplication_changes.fetch_add(1);
  drops_heads = options_.limits.on_overflow != OverflowPolicy::kRejectSend;
  journal.configure(options_.journal);
  send_memory.configure(options_.deduplication.mode, options_.deduplication.window);
}

Timestamp Queue::next_policy() const {
  const Timestamp brake_clears = brake.on() ? brake.until() : Timestamp::max();
  return std::min({auto_redrive_at, alerts.next_look(), brake_clears});
}

QueueInfo Queue::info() const {
  return {.name = name,
          .id = id,
          .created_at = created_at,
          .options = options_,
          .counts = state.counts(),
          .bytes = state.bytes(),
          .totals = state.totals(),
          .alerts = alerts.active(),
          .braked_until = brake.until(),
          .paused = paused};
}

bool Queue::ack(Seq seq, Timestamp time, const std::string& actor) {
  if (journal.on()) journal.record(seq, {.at = time, .kind = StepKind::kAcked});
  const bool is_dead = state.of(seq).is_dead_letter(seq);
  if (is_dead) {
    const auto consumer = state.of(seq).window().history(seq).consumer;
    std::string who = actor.empty() && consumer ? consumer->instance.substr(0, limits::kActorBytes) : actor;
    dead_letters.ack(seq, {time, std::move(who), "acknowledged"});
  }
  state.ack(seq, time);
  return is_dead;
}

void Queue::start(Seq seq, Timestamp time) {
  if (!state.of(seq).start(seq, time) || !journal.on()) return;
  HistoryStep step{.at = time, .kind = StepKind::kStarted};
  step.deliveries = state.of(seq).window().history(seq).deliveries;
  step.until = state.of(seq).window().due_of(seq);
  journal.record(seq, std::move(step));
}

void Queue::extend(Seq seq, Timestamp until, Timestamp time) {
  if (journal.on()) journal.record(seq, {.at = time, .kind = StepKind::kExtended, .until = until});
  state.of(seq).extend(seq, until);
}

void Queue::describe(Seq seq, std::shared_ptr<const std::string> failure, Timestamp time) {
  start(seq, time);
  const FailurePlace place = state.of(seq).describe(seq);
  failures.put(place, std::move(failure));
}

bool Queue::release(Seq seq, const LaneState::Return& how, Timestamp time) {
  const auto place = journal.on() ? journal.place_of(seq) : std::nullopt;
  const bool moves = state.of(seq).release(seq, how, time);
  if (!place) return moves;
  HistoryStep step{.at = time, .kind = StepKind::kReleased, .seq = seq};
  step.deliveries = state.of(seq).window().history(seq).deliveries;
  if (const auto status = state.of(seq).log().peek(seq); status && status->due) step.until = *status->due;
  journal.record(*place, std::move(step));
  return moves;
}

void Queue::send(const MessageId& message_id, Timestamp time, const Message& message) {
  if (sends.are_dead_letters()) return send_dead(message_id, time, message);
  const auto wait = sends.wait_of(message, time);
  const EngineClock& clock = catalog_.clock();
  Timestamp begin = clock.stored(time);
  if (wait) begin = wait->what == WaitsFor::kDelay ? clock.stored(wait->until) : wait->until;
  const Timestamp end = sends.expires_at(message, begin);
  const auto bytes = static_cast<std::uint32_t>(byte_size(message));
  ChunkBuilder& builder =
      wait ? schedule_writes.builder_for(begin, wait->what, bytes, state.scheduled())
           : chunks.builder_for({ChunkKind::kMessages, bytes, time, message.group, message.priority});
  builder.add(message_id, time, message, {}, end);
  if (journal.on()) {
    HistoryStep step{.at = time, .kind = StepKind::kSent};
    if (wait) step.until = wait->until;
    if (!wait) step.seq = builder.first() + (builder.count() - 1);
    journal.record(message_id, std::move(step));
  }
  if (!wait) expiries.expect(end);
  ++state.totals().sent;
}

void Queue::send_dead(const MessageId& message_id, Timestamp time, const Message& message) {
  FailureRecord record;
  record.message_id = message_id;
  record.sent_at = record.died_at = time;
  record.cause = DeathCause::kSent;
  record.reason = "sent to the dead letter queue";
  record.correlation_id = find_attribute(message.attributes, kCorrelationIdAttribute);
  record.workflow_version = find_attribute(message.attributes, kWorkflowVersionAttribute);
  record.group = message.group;
  record.priority = message.priority;
  record.fingerprint = fingerprint_of(record);
  arrivals.add(time, record.cause, record.category);
  ChunkBuilder builder(Seq{1}, ChunkKind::kDeadLetters);
  builder.add(message_id, time, message);
  const auto chunk = std::move(builder).finish();
  DeadLetterRow row{.id = message_id, .record = std::move(record), .triage = {}};
  row.triage.status_since = time;
  const Seq seq = append_dead_letter(chunk->message(0), {.deaths = 1}, std::move(row));
  if (journal.on()) journal.record(message_id, {.at = time, .kind = StepKind::kSent, .seq = seq});
  ++state.totals().sent;
}

Seq Queue::append_copy(MessageView message, const Lineage& lineage, Timestamp time) {
  message.expires_at = sends.expires_at({}, catalog_.clock().stored(time));
  return append_as_is(message, lineage);
}

ChunkBuilder& Queue::builder_for_moved(const MessageView& message, const Lineage& lineage,
                                       std::uint32_t bytes) {
  // This queue may have fewer levels than the one that the message was sent to.
  const std::size_t lane = std::min<std::size_t>(message.priority, options_.priority.levels - 1);
  return chunks.builder_for({kind_of(lineage), bytes, message.sent_at, message.group, lane});
}

Seq Queue::append_as_is(const MessageView& message, const Lineage& lineage) {
  ChunkBuilder& builder = builder_for_moved(message, lineage, message.bytes());
  builder.add_copy(message, lineage);
  expiries.expect(message.expires_at);
  return builder.first() + (builder.count() - 1);
}

Seq Queue::append_edited(const MessageView& message, const Message& edited, const Lineage& lineage,
                         Timestamp time) {
  ChunkBuilder& builder = builder_for_moved(message, lineage, static_cast<std::uint32_t>(byte_size(edited)));
  const Timestamp end = sends.expires_at({}, catalog_.clock().stored(time));
  builder.add(message.id, message.sent_at, edited, lineage, end);
  expiries.expect(end);
  return builder.first() + (builder.count() - 1);
}

Seq Queue::append_dead_letter(MessageView message, const Lineage& lineage, DeadLetterRow&& row,
                              std::string original) {
  message.expires_at = kNever;
  row.record.searched = searched_in(message, options_.dead_letters.searched_attributes);
  ChunkBuilder& builder =
      chunks.builder_for({ChunkKind::kDeadLetters, message.bytes(), message.sent_at, message.group, 0});
  builder.add_copy(message, lineage);
  row.chunk_index = builder.count() - 1;
  const Seq seq = builder.first() + row.chunk_index;
  dead_letters.add({.seq = seq}, std::move(row), std::move(original));
  if (message.lineage.record_queue == id) dead_letters.adopt_history(seq, message.lineage.record_seq);
  return seq;
}

void Queue::spill(const MessageRef& waiting, MessageView message) {
  const Seq seq = waiting.seq();
  LaneState& lane = state.of(seq);
  const ReturnTo to = lane.window().is_tailing(seq) ? ReturnTo::kTail : ReturnTo::kHead;
  const EngineClock& clock = catalog_.clock();
  FailureHistory history = lane.window().history(seq);
  lane.take_descriptions_along(seq);
  shift(history, clock.ahead());
  const std::string carried = encode_carried({std::move(history), to});
  message.carried = carried;
  // A message that expires before it is due comes back at that time, to expire.
  const Timestamp due = std::min(clock.stored(lane.window().due_of(seq)), message.expires_at);
  schedule_writes.builder_for(due, WaitsFor::kDelay, message.bytes(), state.scheduled())
      .add_copy(message, message.lineage);
  lane.remove(seq, *lane.window().span_of(seq));
}

void Queue::move_to_tail(const MessageRef& waiting, const MessageView& message) {
  LaneState& lane = state.of(waiting.seq());
  const FailureHistory history = lane.window().history(waiting.seq());
  lane.take_descriptions_along(waiting.seq());
  const Seq seq = append_as_is(message, message.lineage);
  state.of(seq).reenter(seq, history, ReturnTo::kTail);
  lane.remove(waiting.seq(), *lane.window().span_of(waiting.seq()));
}

void Queue::enter(const SchedulePlace& place, const Chunk& row) {
  if (!state.scheduled().holds(place)) return;
  EngineClock& clock = catalog_.clock();
  // A message that waits for a time of day expires at a time of day too. In the log the expiry is the end of
  // a duration, in stored time.
  const Duration to_stored = place.what == WaitsFor::kTimeOfDay
                                 ? clock.stored(clock.of_wall(place.visible_at)) - place.visible_at
                                 : Duration{0};
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < row.count(); ++i) {
    MessageView message = row.message(i);
    const std::string_view carried = std::exchange(message.carried, {});
    bytes += message.bytes();
    if (message.expires_at != kNever) message.expires_at += to_stored;
    const Seq seq = append_as_is(message, message.lineage);
    if (carried.empty()) continue;
    Carried before = decode_carried(carried);
    shift(before.history, -clock.ahead());
    LaneState& lane = state.of(seq);
    lane.reenter(seq, before.history, before.to);
    // The message expires at once. Otherwise it would be handed out before its delay is over.
    if (message.expires_at <= place.visible_at) lane.expire_message(seq, *lane.window().span_of(seq));
  }
  state.scheduled().left(row.count(), bytes);
  schedule_writes.remove(place);
}

void Queue::expire_chunk(const keys::ExpiryPlace& place, const Chunk* chunk, Timestamp time) {
  expiries.remove(place);
  if (chunk == nullptr) return;
  Timestamp next = kNever;
  const ChunkSpan span = chunk->span_at(place.first);
  for (std::uint32_t i = 0; i < chunk->count(); ++i) {
    const Seq seq = place.first + i;
    const Timestamp end = chunk->message(i).expires_at;
    if (end <= time) {
      state.of(seq).expire_message(seq, span);
    } else if (state.of(seq).log().check_free(seq) != ReceiptCheck::kGone) {
      next = std::min(next, end);
    }
  }
  if (next == kNever) return;
  expiries.put({next, place.first});
  expiries.expect(next);
}

Timestamp Queue::next_visible() const {
  EngineClock& clock = catalog_.clock();
  const Schedule& scheduled = state.scheduled();
  return std::min(
      {state.next_due(),
       std::max(clock.loaded(scheduled.next_due(WaitsFor::kDelay)), scheduled.not_before(WaitsFor::kDelay)),
       std::max(clock.of_wall(scheduled.next_due(WaitsFor::kTimeOfDay)),
                scheduled.not_before(WaitsFor::kTimeOfDay))});
}

Timestamp Queue::next_due() const {
  const Timestamp stored = std::min({send_memory.next_due(), expiries.next_due(), journal.next_due()});
  return std::min(next_visible(), catalog_.clock().loaded(stored));
}

std::uint64_t Queue::purge() {
  chunks.clear();
  dead_letters.clear();
  schedule_writes.clear();
  failures.clear();
  expiries.clear();
  return state.purge();
}

void Queue::erase(GroupNumber open_group, [[maybe_unused]] const sync::Mutex& catalog) {
  purge();
  targets_.count_served(-1);
  targets_ = {};
  deletion_ = open_group;
}

Result<void> Queue::contribute(GroupWrites& writes) {
  mutex.assume_held();  // The gate is closed, and every call that changes a queue is inside it.
  close_lanes(writes.rows);
  if (deleted()) {
    rows_.remove_queue(writes.rows);
    return {};
  }
  if (journal.has_changes()) {
    ChunkFinder stored(id, cache_, writes.store);
    const auto id_of = [&](const MessageRef& place)
                           HOLDFAST_REQUIRES(mutex) { return find_id(place, stored); };
    journal.contribute(id, writes.rows, id_of);
  }
  for (const auto& changes : changes_) {
    for (const auto& finished : changes.finished) remove_finished(finished, writes.rows);
    if (changes.past_cursor) chunks.note_removal_past_cursor(joined_group());
  }
  chunks.contribute(writes, expiries);
  schedule_writes.contribute(id, joined_group(), writes);
  failures.contribute(id, changes_, joined_group(), writes.rows);
  expiries.contribute(id, writes.rows);
  for (std::size_t lane = 0; lane < changes_.size(); ++lane) {
    rows_.put_deliveries(state.all()[lane], changes_[lane], writes.rows);
  }
  rows_.put_checkpoint(state,
                       {.next_expiry = expiries.next(),
                        .journal = journal.buckets(),
                        .alerts = alerts.active(),
                        .braked_until = brake.on() ? catalog_.clock().stored(brake.until()) : Timestamp{}},
                       writes.rows);
  send_memory.contribute(writes.rows);
  if (auto ok = contribute_dead_letters(writes); !ok) return ok;
  chunks.note_closed(joined_group());
  return {};
}

void Queue::close_lanes(Batch& rows) {
  changes_.clear();
  for (LaneState& lane : state.all()) {
    const GroupChanges& changes = changes_.emplace_back(lane.close_group());
    if (!changes.purged_before) continue;
    ++removed_chunks;
    rows_.remove_purged(changes_.size() - 1, *changes.purged_before, deleted(), rows);
  }
}

void Queue::remove_finished(const FinishedChunk& finished, Batch& rows) {
  if (!finished.stored) return chunks.forget(finished.span.first);
  ++removed_chunks;
  rows_.remove_finished(finished, rows);
}

Result<void> Queue::contribute_dead_letters(GroupWrites& writes) {
  for (const Seq seq : changes_.front().settled_dead) dead_letters.remove({.seq = seq});
  for (const ChunkSpan& chunk : changes_.front().settled_dead_chunks) {
    for (std::uint32_t i = 0; i < chunk.count; ++i) dead_letters.remove({.seq = chunk.first + i});
  }
  if (auto ok = dead_letters.contribute(writes.store, writes.rows); !ok) return ok;
  for (const TaskId task : dead_letters.take_died_again())
    catalog_.replay_tallies().count(task, &ReplayCounts::died_again, writes.rows);
  return arrivals.contribute(writes.store, writes.rows);
}

Result<void> Queue::contribute_early(GroupWrites& writes) {
  mutex.assume_held();  // The gate is closed, and every call that changes a queue is inside it.
  ChunkFinder stored(id, cache_, writes.store);
  for (LaneState& lane : state.all()) outcomes.record_acks(lane.take_acked_replays(), stored);
  outcomes.contribute(writes);
  return {};
}

std::optional<MessageId> Queue::find_id(const MessageRef& place, ChunkFinder& stored) const {
  if (const auto id_of_new = chunks.id_of(place)) return id_of_new;
  const auto& chunk = stored.find(place.chunk);
  const bool held = chunk && place.index < chunk->count() && chunk->holds(place.index);
  return held ? std::optional(chunk->message(place.index).id) : std::nullopt;
}

}  // namespace holdfast
