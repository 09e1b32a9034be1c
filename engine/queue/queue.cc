#include "engine/queue/queue.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/delivery_row.h"
#include "engine/core/seq_math.h"
#include "engine/queue/catalog.h"

namespace holdfast {
namespace {

// The families whose keys start with the queue.
constexpr Family kQueueFamilies[] = {Family::kMessages,      Family::kDeliveries, Family::kScheduled,
                                     Family::kDeadLetters,   Family::kHistory,    Family::kDeadLetterIndex,
                                     Family::kDeadLetterIds, Family::kDedup,      Family::kJournal};
// And do not go on with the seq of a message: a purge leaves them.
constexpr bool outlives_purge(Family family) {
  return family == Family::kDedup || family == Family::kJournal;
}

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

}  // namespace

Queue::Queue(QueueId queue_id, QueueDefinition definition, Lanes queue_state, ChunkCache& cache,
             const CommitPipeline& pipeline, const Catalog& catalog)
    : id(queue_id),
      name(std::move(definition.name)),
      created_at(definition.created_at),
      dedup(pipeline),
      state(std::move(queue_state)),
      meter(state.totals()),
      options_(std::move(definition.options)),
      paused_(definition.paused),
      cache_(cache),
      catalog_(catalog),
      dead_letters_(queue_id),
      arrivals_(queue_id) {
  note_ends();
}

bool DeadLetterTargets::contains(const Queue& queue) const {
  const auto is_it = [&](const auto& target) { return target.get() == &queue; };
  return is_it(fallback) || std::ranges::any_of(routes, is_it);
}

void Queue::configure(QueueOptions options, DeadLetterTargets targets) {
  options_ = std::move(options);
  count_served(-1);
  targets_ = std::move(targets);
  count_served(1);
  state.set_order(options_.priorities, options_.priority_aging, options_.grouping);
  state.set_failure_policy({.max_deliveries = targets_.fallback ? options_.max_deliveries : 0,
                            .lifetime = targets_.fallback ? options_.lifetime : Duration{0},
                            .retry = options_.retry,
                            .brake = brake.on() ? std::optional(options_.brake.delay) : std::nullopt});
  if (deduplication.exchange(options_.deduplication) != options_.deduplication)
    deduplication_changes.fetch_add(1);
  drops_heads = options_.on_overflow != OverflowPolicy::kRejectSend;
  journal.configure(options_.journal);
  dedup.set_length(options_.deduplication_window);
  if (options_.deduplication == Deduplication::kNone) {
    dedup_puts_.clear();
    if (dedup.clear()) dedup_forgotten_ = Timestamp::max();
  }
  dedup_due_ = dedup.next_due();
}

const std::shared_ptr<Queue>& Queue::dead_letter_target(std::string_view category) const {
  for (std::size_t i = 0; i < targets_.routes.size(); ++i) {
    if (options_.dead_letter_routes[i].category == category) return targets_.routes[i];
  }
  return targets_.fallback;
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
          .paused = paused_};
}

Result<void> Queue::check_open() const {
  if (!paused_.sends) return {};
  return fail(ErrorCode::kQueuePaused, "sends to queue '" + name + "' are paused");
}

Result<void> Queue::check_priority(const Message& message) const {
  if (message.priority < options_.priorities) return {};
  return fail(ErrorCode::kInvalidArgument, "priority is " + std::to_string(message.priority) + ", queue '" +
                                               name + "' has levels up to " +
                                               std::to_string(options_.priorities - 1));
}

Result<void> Queue::check_size(const Message& message) const {
  if (message.body.size() > options_.max_body_bytes) {
    return fail(ErrorCode::kLimitExceeded, "the body has " + std::to_string(message.body.size()) +
                                               " bytes, the limit is max_body_bytes of queue '" + name +
                                               "', " + std::to_string(options_.max_body_bytes));
  }
  if (options_.max_bytes == 0) return {};
  const std::size_t bytes = byte_size(message);
  if (bytes <= options_.max_bytes) return {};
  return fail(ErrorCode::kLimitExceeded, "the message has " + std::to_string(bytes) +
                                             " bytes, the limit is max_bytes of queue '" + name + "', " +
                                             std::to_string(options_.max_bytes));
}

ChunkBuilder& Queue::builder_for(const ChunkPlacement& place) {
  const auto last = std::ranges::find(builders_.rbegin(), builders_.rend(), place.lane,
                                      [](const ChunkBuilder& builder) { return lane_of(builder.first()); });
  const bool new_chunk =
      last == builders_.rend() || last->kind() != place.kind || !last->has_room_for(place.bytes);
  const GroupKey key = options_.grouping == Grouping::kNone ? GroupKey{} : group_key(place.group);
  const Seq seq =
      state.all()[place.lane].append(new_chunk, place.kind == ChunkKind::kDeadLetters, place.sent_at, key,
                                     place.kind == ChunkKind::kReplayed, place.bytes);
  if (!new_chunk) return *last;
  return builders_.emplace_back(seq, place.kind);
}

void Queue::count_served(std::int64_t by) const {
  if (targets_.fallback) targets_.fallback->served.fetch_add(by);
  if (targets_.parking) targets_.parking->served.fetch_add(by);
  for (const auto& route : targets_.routes) route->served.fetch_add(by);
}

Result<void> Queue::admit(const Message& message) const {
  if (auto ok = check_direct(message); !ok) return ok;
  if (auto ok = check_priority(message); !ok) return ok;
  if (auto ok = check_size(message); !ok) return ok;
  if (options_.require_group && message.group.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "the message has no group, which require_group of queue '" + name + "' asks for");
  }
  if (message.time_to_live && !can_expire(options_)) {
    return fail(ErrorCode::kInvalidArgument,
                "time_to_live is set, but the queue dead-letters what expires and has no dead letter queue");
  }
  return message.visible_at ? validate_visible_at(*message.visible_at, catalog_.clock().wall())
                            : Result<void>();
}

void Queue::send(const MessageId& message_id, Timestamp time, const Message& message) {
  if (sends_die()) return send_dead(message_id, time, message);
  const auto wait = wait_of(message, time);
  const EngineClock& clock = catalog_.clock();
  Timestamp begin = clock.stored(time);
  if (wait) begin = wait->what == WaitsFor::kDelay ? clock.stored(wait->until) : wait->until;
  const Timestamp end = expires_at(message, begin);
  const auto bytes = static_cast<std::uint32_t>(byte_size(message));
  ChunkBuilder& builder =
      wait ? scheduled_builder_for(begin, wait->what, bytes)
           : builder_for({ChunkKind::kMessages, bytes, time, message.group, message.priority});
  builder.add(message_id, time, message, {}, end);
  if (journal.on()) {
    HistoryStep step{.at = time, .kind = StepKind::kSent};
    if (wait) step.until = wait->until;
    if (!wait) step.seq = builder.first() + (builder.count() - 1);
    record(message_id, std::move(step));
  }
  if (!wait) expiries.expect(end);
  ++state.totals().sent;
}

Seq Queue::append_copy(MessageView message, const Lineage& lineage, Timestamp time) {
  message.expires_at = expires_at({}, catalog_.clock().stored(time));
  return append_as_is(message, lineage);
}

ChunkBuilder& Queue::builder_for_moved(const MessageView& message, const Lineage& lineage,
                                       std::uint32_t bytes) {
  // The queue may have fewer levels than the one that the message was sent to.
  const std::size_t lane = std::min<std::size_t>(message.priority, options_.priorities - 1);
  return builder_for({kind_of(lineage), bytes, message.sent_at, message.group, lane});
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
  const Timestamp end = expires_at({}, catalog_.clock().stored(time));
  builder.add(message.id, message.sent_at, edited, lineage, end);
  expiries.expect(end);
  return builder.first() + (builder.count() - 1);
}

Seq Queue::append_dead_letter(MessageView message, const Lineage& lineage, DeadLetterRow row,
                              std::string original) {
  message.expires_at = kNever;
  row.record.searched = searched_in(message, options_.searched_attributes);
  ChunkBuilder& builder =
      builder_for({ChunkKind::kDeadLetters, message.bytes(), message.sent_at, message.group, 0});
  builder.add_copy(message, lineage);
  row.chunk_index = builder.count() - 1;
  const Seq seq = builder.first() + row.chunk_index;
  dead_letters_.add({.seq = seq}, std::move(row), std::move(original));
  if (message.lineage.record_queue == id) dead_letters_.adopt_history(seq, message.lineage.record_seq);
  return seq;
}

std::optional<MessageId> Queue::sent_before(const DedupKey& key, const std::optional<DedupRow>& stored,
                                            Timestamp now) const {
  const auto row = dedup.find(key, stored, catalog_.clock().stored(now));
  return row ? std::optional(row->message_id) : std::nullopt;
}

void Queue::remember(const DedupKey& key, DedupRow row, const CommitPipeline& pipeline) {
  row.sent_at = catalog_.clock().stored(row.sent_at);
  const Timestamp bucket = dedup.add(key, row, pipeline.open_group());
  dedup_puts_.push_back({keys::dedup(id, bucket, key.view()), encode_dedup_row(row)});
  dedup_due_ = dedup.next_due();
}

bool Queue::forget_sends(Timestamp now) {
  const Timestamp time = catalog_.clock().stored(now);
  if (time < dedup_due_) return false;
  const auto end = dedup.expire(time);
  dedup_due_ = dedup.next_due();
  if (end) dedup_forgotten_ = end;
  return end.has_value();
}

Timestamp Queue::next_visible() const {
  EngineClock& clock = catalog_.clock();
  const Schedule& scheduled = state.scheduled();
  return std::min({state.next_due(), clock.loaded(scheduled.next_due(WaitsFor::kDelay)),
                   clock.of_wall(scheduled.next_due(WaitsFor::kTimeOfDay))});
}

Timestamp Queue::next_due() const {
  const Timestamp stored = std::min({dedup_due_, expiries.next_due(), journal.next_due()});
  return std::min(next_visible(), catalog_.clock().loaded(stored));
}

std::uint64_t Queue::purge() {
  builders_.clear();
  dead_letters_.clear();
  compacted_.clear();
  scheduled_builders_.clear();
  failure_puts_.clear();
  entered_.clear();
  expiry_removals_.clear();
  expiry_puts_.clear();
  expiries.purge();
  return state.purge();
}

void Queue::erase(GroupNumber open_group) {
  purge();
  count_served(-1);
  targets_ = {};
  deletion_ = open_group;
}

Result<void> Queue::contribute(GroupWrites& writes) {
  mutex.assert_held();  // as good as: the gate is closed, and nobody else is inside
  changes_.clear();
  for (QueueState& lane : state.all()) {
    const GroupChanges& changes = changes_.emplace_back(lane.close_group());
    if (changes.purged_before) remove_purged(changes_.size() - 1, *changes.purged_before, writes.rows);
  }
  if (deleted()) {
    writes.rows.remove(Family::kCatalog, keys::queue_definition(id));
    writes.rows.remove(Family::kCatalog, keys::queue_checkpoint(id));
    writes.rows.remove_range(Family::kCatalog, keys::arrivals(id, 0), keys::arrivals_end(id));
    return {};
  }
  if (journal.has_changes()) {
    FoundChunk last;
    const auto id_of = [&](const MessageRef& place)
                           HOLDFAST_REQUIRES(mutex) { return find_id(place, writes.store, last); };
    journal.contribute(id, writes.rows, id_of);
  }
  for (const auto& changes : changes_) {
    for (const auto& finished : changes.finished) remove_finished(finished, writes.rows);
    if (changes.past_cursor) removal_past_cursor_group_ = joined_group();
  }
  put_compacted(writes);
  put_chunks(writes);
  put_scheduled(writes);
  put_failures(writes.rows);
  put_expiries(writes.rows);
  for (std::size_t lane = 0; lane < changes_.size(); ++lane) {
    put_rows(state.all()[lane], changes_[lane], writes.rows);
  }
  put_checkpoint(writes.rows);
  put_dedup(writes.rows);
  for (const Seq seq : changes_.front().settled_dead) dead_letters_.remove({.seq = seq});
  for (const ChunkSpan& chunk : changes_.front().settled_dead_chunks) {
    for (std::uint32_t i = 0; i < chunk.count; ++i) dead_letters_.remove({.seq = chunk.first + i});
  }
  if (auto ok = dead_letters_.contribute(writes.store, writes.rows); !ok) return ok;
  for (const TaskId task : dead_letters_.take_died_again())
    catalog_.replay_tallies().count(task, &ReplayCounts::died_again, writes.rows);
  if (auto ok = arrivals_.contribute(writes.store, writes.rows); !ok) return ok;

  note_ends();
  closed_group_ = joined_group();
  return {};
}

void Queue::note_ends() {
  const std::size_t known = ends_.size();
  ends_.resize(state.all().size());
  for (std::size_t lane = 0; lane < ends_.size(); ++lane) {
    const Seq end = state.all()[lane].log().next_seq();
    ends_[lane] = {end, lane < known ? ends_[lane].closed : lane_begin(lane)};
  }
}

void Queue::remove_purged(std::size_t lane, Seq before, Batch& rows) {
  ++removed_chunks;
  for (const Family family : kQueueFamilies) {
    if (!deleted() && outlives_purge(family)) continue;
    // Keys of these do not go by seq; of dead letters all goes, their history too. What is put there after
    // the purge comes later in this batch.
    const bool all = deleted() || family == Family::kScheduled || family == Family::kDeadLetters ||
                     family == Family::kHistory || family == Family::kDeadLetterIndex ||
                     family == Family::kDeadLetterIds;
    const Seq begin = all || lane == 0 ? Seq{0} : lane_begin(lane);
    rows.remove_range(family, keys::queue_seq(id, begin),
                      all ? keys::queue_end(id) : keys::queue_seq(id, before));
  }
}

void Queue::remove_finished(const FinishedChunk& finished, Batch& rows) {
  const Seq first = finished.span.first;
  if (!finished.stored) {
    std::erase_if(builders_, [&](const ChunkBuilder& builder) { return builder.first() == first; });
    return;
  }
  const std::string key = keys::queue_seq(id, first);
  rows.remove_once(Family::kMessages, key);
  ++removed_chunks;
  if (finished.row_puts == ChunkState::RowPuts::kOne) rows.remove_once(Family::kDeliveries, key);
  if (finished.row_puts == ChunkState::RowPuts::kMany) rows.remove(Family::kDeliveries, key);
  const auto chunk = cache_.take(id, first);
  if (chunk && chunk->first_expiry() != kNever)
    rows.remove(Family::kScheduled, keys::expiry(id, chunk->first_expiry(), first));
}

std::size_t Queue::compact_chunk(Seq first, const Chunk& stored) {
  const ChunkState* chunk = state.of(first).window().stored_chunk(first);
  const bool waiting = std::ranges::find(compacted_, first, &CompactedChunk::first) != compacted_.end();
  if (chunk == nullptr || waiting || chunk->count() != stored.count()) return 0;
  ChunkBuilder builder(first, stored.kind());
  for (std::uint32_t i = 0; i < stored.count(); ++i) {
    if (chunk->entry(i).state == EntryState::kDone || !stored.holds(i)) {
      builder.add_nothing();
    } else {
      const MessageView message = stored.message(i);
      builder.add_copy(message, message.lineage);
    }
  }
  state.of(first).compact_chunk(first);
  auto compacted = std::move(builder).finish();
  if (compacted->bytes().size() >= stored.bytes().size()) return 0;
  const std::size_t saved = stored.bytes().size() - compacted->bytes().size();
  compacted_.push_back({first, std::move(compacted)});
  return saved;
}

// One that was finished meanwhile is removed as it is in the store.
void Queue::put_compacted(GroupWrites& writes) {
  for (auto& [first, chunk] : compacted_) {
    if (state.of(first).window().stored_chunk(first) == nullptr) continue;
    std::string key = keys::queue_seq(id, first);
    writes.rows.remove_once(Family::kMessages, key);
    cache_.take(id, first);
    writes.chunks.push_back({Family::kMessages, std::move(key), std::move(chunk)});
  }
  compacted_.clear();
}

void Queue::put_chunks(GroupWrites& writes) {
  for (ChunkBuilder& builder : builders_) {
    const Seq first = builder.first();
    auto chunk = std::move(builder).finish();
    cache_.put(id, first, chunk);
    if (chunk->first_expiry() != kNever) expiry_puts_.push_back({chunk->first_expiry(), first});
    writes.chunks.push_back({Family::kMessages, keys::queue_seq(id, first), std::move(chunk)});
  }
  builders_.clear();
}

void Queue::put_rows(QueueState& lane, const GroupChanges& changes, Batch& rows) {
  const Duration ahead = catalog_.clock().ahead();
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
    rows.put(Family::kDeliveries, keys::queue_seq(id, first), scratch_);
    lane.pack(first);
  }
}

void Queue::put_checkpoint(Batch& rows) {
  const QueueState& first = state.all().front();
  const Tally& tally = first.states().tally();
  QueueCheckpoint checkpoint{.next_seq = first.log().next_seq(),
                             .cursor = first.log().cursor(),
                             .fresh = tally.fresh(),
                             .dead = tally.dead(),
                             .bytes = tally.bytes(),
                             .totals = state.totals(),
                             .next_ticket = state.scheduled().next_ticket(),
                             .scheduled = state.scheduled().messages(),
                             .scheduled_bytes = state.scheduled().bytes(),
                             .lanes = {}};
  for (const QueueState& lane : std::span(state.all()).subspan(1)) {
    checkpoint.lanes.push_back({lane.log().next_seq(), lane.log().cursor(), lane.states().tally().fresh(),
                                lane.states().tally().bytes()});
  }
  checkpoint.next_expiry = expiries.next();
  checkpoint.journal = journal.buckets();
  // Not before any deadline of this commit was reckoned: see EngineClock::begin_after().
  checkpoint.written_at = catalog_.clock().stored_now();
  scratch_.clear();
  encode_queue_checkpoint(checkpoint, scratch_);
  rows.put(Family::kCatalog, keys::queue_checkpoint(id), scratch_);
}

std::shared_ptr<const std::string> Queue::said_in_open_group(const FailurePlace& place) const {
  const auto put = std::ranges::lower_bound(failure_puts_, place, {}, &FailurePut::place);
  return put == failure_puts_.end() || put->place != place ? nullptr : put->failure;
}

void Queue::put_failures(Batch& rows) {
  if (!failure_puts_.empty()) failures_group_ = joined_group();
  for (const auto& [place, failure] : failure_puts_) {
    // Of a message that has died or is done with the same group nothing need be written.
    const auto& gone = changes_[lane_of(place.home)].undescribed;
    const auto slots = gone.find(place.home);
    if (slots != gone.end() && (slots->second >> place.slot & 1U) != 0) continue;
    rows.put(Family::kScheduled, keys::failure(id, place), *failure);
  }
  failure_puts_.clear();
  for (const GroupChanges& changes : changes_) {
    for (const auto& [home, slots] : changes.undescribed) {
      for (std::size_t slot = 0; slot < kFailureSlots; ++slot) {
        if ((slots >> slot & 1U) != 0) rows.remove(Family::kScheduled, keys::failure(id, {home, slot}));
      }
    }
  }
}

void Queue::put_dedup(Batch& rows) {
  if (dedup_forgotten_) {
    rows.remove_range(Family::kDedup, keys::queue_seq(id, Seq{0}), keys::dedup(id, *dedup_forgotten_, {}));
    dedup_forgotten_.reset();
  }
  for (const auto& [key, row] : dedup_puts_) rows.put(Family::kDedup, key, row);
  dedup_puts_.clear();
}

Seq Queue::committed_end(const CommitPipeline& pipeline, Seq from) const {
  // A lane that no group has closed over yet has nothing in the store.
  const std::size_t lane = lane_of(from);
  if (lane >= ends_.size()) return lane_begin(lane);
  return pipeline.committed(closed_group_) ? ends_[lane].closed : ends_[lane].previous;
}

GroupNumber Queue::last_removal_past_cursor(const CommitPipeline& pipeline) const {
  const bool open_group_removes = std::ranges::any_of(
      state.all(), [](const QueueState& lane) { return lane.states().changes().removes_past_cursor(); });
  return open_group_removes ? pipeline.open_group() : removal_past_cursor_group_;
}

GroupNumber Queue::last_chunk_group(const CommitPipeline& pipeline) const {
  return builders_.empty() ? closed_group_ : pipeline.open_group();
}

}  // namespace holdfast
