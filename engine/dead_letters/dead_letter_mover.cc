#include "engine/dead_letters/dead_letter_mover.h"

#include <algorithm>

#include "engine/base/helpers/fingerprint.h"
#include "engine/base/helpers/saturating.h"
#include "engine/base/helpers/units.h"
#include "engine/core/seq_math.h"
#include "engine/queue/failures.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

constexpr std::size_t kStepBytes = 4 << 20;  // bytes of what was said of failures, read for one step

struct Origin {
  QueueId queue;
  std::string name;
  Seq seq;
};

// Returns where a redrive must bring the message. If it dies in a dead letter queue, that is where it came
// from first.
Origin origin_of(const Catalog& catalog, const Queue& source, Seq seq, const Lineage& lineage) {
  const auto first = catalog.find(lineage.origin_queue);
  if (first) return {first->id, first->name, lineage.origin_seq};
  return {source.id, source.name, seq};
}

// Makes the new record, at `seq` of `target`, follow the record of the message's earlier death, if it died
// before. That record lies beside the message if the message is a dead letter, and is history after a
// redrive. If it is in the target itself, the new record adopts it.
void link_to_earlier_death(const Queue& source, Seq from, const Lineage& lineage, Queue& target, Seq seq)
    HOLDFAST_REQUIRES(target.mutex) {
  if (lineage.record_queue == target.id || lineage.deaths == 0) return;
  if (lineage.record_queue != QueueId{}) {
    target.dead_letters.link_first_death(seq, lineage.record_queue,
                                         {.history = true, .seq = lineage.record_seq});
  } else {
    target.dead_letters.link_first_death(seq, source.id, {.seq = from});
  }
}

// Returns whether the message expired. What has expired once stays expired, because its row of the index of
// expiries is gone, although after a restart its time may lie in the future. Without a dead letter queue, no
// count of deliveries ends a message's life. `time` is stored time.
bool is_expired(const MessageView& message, const FailureHistory& history, const Queue& queue, Timestamp time)
    HOLDFAST_REQUIRES(queue.mutex) {
  const bool used_up = queue.targets().fallback && history.deliveries >= queue.options().retry.max_deliveries;
  return (history.expired || message.expires_at <= time) && !used_up;
}

// A Death has a cause, and the reason that it has by itself.
struct Death {
  DeathCause cause;
  std::string reason;
};

Death of_overflow(const QueueOptions& options) {
  std::string reason = "made room in a queue of at most";
  if (options.limits.max_length > 0) reason += " " + std::to_string(options.limits.max_length) + " messages";
  if (options.limits.max_length > 0 && options.limits.max_bytes > 0) reason += " and";
  if (options.limits.max_bytes > 0) reason += " " + std::to_string(options.limits.max_bytes) + " bytes";
  return {DeathCause::kOverflow, std::move(reason)};
}

Death of_failures(const FailureHistory& history, const QueueOptions& options) {
  if (history.deliveries < options.retry.max_deliveries && options.retry.budget > Duration{0}) {
    const auto failing =
        std::chrono::duration_cast<std::chrono::seconds>(history.last_failed_at - history.first_failed_at);
    return {DeathCause::kRetryBudget,
            "still failing " + std::to_string(failing.count()) + " s after its first failure"};
  }
  return {DeathCause::kMaxDeliveries,
          "delivered " + format_count(history.deliveries, "time") + " without an ack"};
}

// Makes the record of a death. Whatever a message died of, its record says what failed last. The reason of
// the death counts only if no delivery failed, or nobody said why.
FailureRecord record_of(Death death, const ToldFailures& told) {
  FailureRecord record = record_of(death.cause, last_failure(told));
  if (record.reason.empty()) record.reason = std::move(death.reason);
  return record;
}

Event death_event(const Queue& source, const Queue& target, const FailureRecord& record, Timestamp time)
    HOLDFAST_REQUIRES(source.mutex) {
  return {.kind = EventKind::kDied,
          .time = time,
          .queue = source.name,
          .queue_id = source.id,
          .message = record.message_id,
          .cause = record.cause,
          .category = record.category,
          .text = record.reason,
          .target = target.name,
          .count = record.deliveries,
          .tags = source.options().tags};
}

}  // namespace

void DeadLetterMover::dead_letter(Queue& source, Queue& target, const MessageRef& ref,
                                  const MessageView& message, FailureRecord record, const ToldFailures& told,
                                  Timestamp time) {
  const FailureHistory history = source.state.of(ref.seq()).window().history(ref.seq());
  const bool failed_before = message.lineage.first_failed_at != Timestamp{};
  const Origin origin = origin_of(engine_.catalog, source, ref.seq(), message.lineage);
  record.message_id = message.id;
  record.source_queue_id = origin.queue;
  record.source_queue = origin.name;
  record.source_seq = origin.seq;
  record.sent_at = message.sent_at;
  record.deliveries = history.deliveries;
  record.replays = message.lineage.replays;
  record.first_failed_at = failed_before ? message.lineage.first_failed_at : history.first_failed_at;
  record.last_failed_at = history.last_failed_at;
  record.died_at = time;
  if (history.consumer) record.consumer = *history.consumer;
  record.group = message.group;
  record.priority = message.priority;
  record.visits = one_more(message.lineage.deaths);
  if (history.attempts) record.attempts = attempts_of(*history.attempts, told);
  const Attributes attributes = message.attributes();
  record.correlation_id = find_attribute(attributes, kCorrelationIdAttribute);
  record.workflow_version = find_attribute(attributes, kWorkflowVersionAttribute);
  record.fingerprint = fingerprint_of(record);

  std::optional<Event> death;
  if (engine_.events.heard()) death = death_event(source, target, record, time);

  const DeathCause cause = record.cause;
  target.arrivals.add(time, cause, record.category);
  if (source.journal.on() || target.journal.on()) {
    HistoryStep step{.at = time, .kind = StepKind::kDeadLettered, .seq = ref.seq()};
    step.deliveries = record.deliveries;
    step.cause = cause;
    step.category = record.category;
    step.reason = record.reason;
    source.journal.record_move(message.id, target.journal, std::move(step));
  }
  const Lineage lineage{.replays = message.lineage.replays,
                        .deaths = record.visits,
                        .first_failed_at = record.first_failed_at,
                        .origin_queue = origin.queue,
                        .origin_seq = origin.seq};
  DeadLetterRow row{.id = engine_.ids->next_message(time), .record = std::move(record), .triage = {}};
  row.triage.status_since = time;
  const Seq seq = target.append_dead_letter(message, lineage, std::move(row));
  if (death) {
    death->dead_letter = seq;
    engine_.events.emit(*std::move(death));
  }
  retention_.expect_unresolved(target, time);
  link_to_earlier_death(source, ref.seq(), message.lineage, target, seq);
  LaneState& lane = source.state.of(ref.seq());
  lane.remove(ref.seq(), *lane.window().span_of(ref.seq()));
  ++source.state.totals().dead_lettered;
  if (const QueueId place = message.lineage.record_queue; place != QueueId{} && place != target.id)
    source.outcomes.record_redeath(message.lineage, time);
  alerts_.note_death(source, cause, time);
}

void DeadLetterMover::drop(Queue& queue, const MessageRef& ref, const MessageView& message, EventKind why,
                           Timestamp time) {
  if (engine_.events.heard()) {
    engine_.events.emit({.kind = why,
                         .time = time,
                         .queue = queue.name,
                         .queue_id = queue.id,
                         .message = message.id,
                         .count = queue.state.of(ref.seq()).window().history(ref.seq()).deliveries});
  }
  const StepKind kind = why == EventKind::kExpired ? StepKind::kExpired : StepKind::kOverflowed;
  queue.journal.record(message.id, {.at = time, .kind = kind, .seq = ref.seq()});
  queue.outcomes.record_drop(message.lineage, time);
  LaneState& lane = queue.state.of(ref.seq());
  lane.remove(ref.seq(), *lane.window().span_of(ref.seq()));
}

void DeadLetterMover::settle_exhausted(Queue& queue, const std::shared_ptr<Queue>& target,
                                       const MessageRef& ref, const MessageView& message,
                                       const ToldFailures& told, Timestamp time) {
  const FailureHistory history = queue.state.of(ref.seq()).window().history(ref.seq());
  const QueueOptions& policy = queue.options();
  if (history.overflowed) {
    const bool drops = policy.limits.on_overflow == OverflowPolicy::kDropHead;
    if (!drops && !target) return queue.state.of(ref.seq()).revive(ref.seq());
    ++queue.state.totals().overflowed;
    if (drops) return drop(queue, ref, message, EventKind::kOverflowed, time);
    return dead_letter(queue, *target, ref, message, record_of(of_overflow(policy), told), told, time);
  }
  if (is_expired(message, history, queue, engine_.clock.stored(time))) {
    ++queue.state.totals().expired;
    if (!target || policy.expiry.policy == ExpiryPolicy::kDrop)
      return drop(queue, ref, message, EventKind::kExpired, time);
    const Death death{DeathCause::kExpired, "its time to live ran out"};
    return dead_letter(queue, *target, ref, message, record_of(death, told), told, time);
  }
  if (!target) return queue.state.of(ref.seq()).revive(ref.seq());
  dead_letter(queue, *target, ref, message, record_of(of_failures(history, policy), told), told, time);
}

DeadLetterMover::ExhaustedBatch DeadLetterMover::load_exhausted(Queue& queue, Seq from,
                                                                std::optional<GroupNumber> before) {
  ExhaustedBatch step;
  GroupNumber written{};
  GroupNumber described{};
  {
    const LockedQueue locked(engine_.pipeline.gate(), queue);
    step.refs = queue.state.exhausted(from, limits::kChunkMessages);
    for (const MessageRef& ref : step.refs) step.told.push_back(look_at_failures(queue, ref.seq()));
    written = queue.chunks.last_group(engine_.pipeline);
    described = queue.failures.last_group();
  }
  if (step.refs.empty()) return step;
  if (std::ranges::any_of(step.told, [](const ToldFailures& told) { return told.described != 0; }))
    written = std::max(written, described);
  step.chunks = engine_.chunk_loader.load_each(queue.id, step.refs, written, before);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < step.chunks.size() && bytes < kStepBytes; ++i) {
    bytes += read_failures(*engine_.store, queue.id, step.told[i]);
    step.categories.insert(last_failure(step.told[i]).category);
    ++step.count;
  }
  return step;
}

Result<void> DeadLetterMover::settle_exhausted_at(Queue& queue, const std::shared_ptr<Queue>& target,
                                                  const ExhaustedBatch& step, std::size_t i, Timestamp time) {
  const MessageRef& ref = step.refs[i];
  const ToldFailures& told = step.told[i];
  if (!queue.state.of(ref.seq()).window().is_exhausted(ref.seq()) || !is_current(queue, told)) return {};
  const auto& chunk = step.chunks[i];
  if (!chunk && chunk.error().code == ErrorCode::kMessageNotFound) {
    queue.state.of(ref.seq()).revive(ref.seq());
    return {};
  }
  if (!chunk) return tl::unexpected(chunk.error());
  if (!told.read) return told.read;
  settle_exhausted(queue, target, ref, (*chunk)->message(ref.index), told, time);
  return {};
}

Result<DeadLetterMover::Moved> DeadLetterMover::dead_letter_exhausted(const std::shared_ptr<Queue>& queue,
                                                                      HowMany how) {
  Moved done;
  // A message that cannot be read is tried again later, and holds up no other message.
  Result<void> read;
  Seq from{};
  std::size_t moved = 0;
  std::size_t bytes = 0;
  for (;;) {
    if (how == HowMany::kSome && (moved >= kDeadLetteredAtOnce || bytes >= kDeadLetteredBytesAtOnce)) {
      engine_.scheduler.schedule(queue, engine_.now());
      done.all = false;
      break;
    }
    const ExhaustedBatch step = load_exhausted(*queue, from, done.last);
    if (step.refs.empty()) break;
    // The messages of one category move at a time, because where a message goes depends on the category of
    // its failure.
    for (const std::string& category : step.categories) {
      const LockedWithTarget locked(engine_.pipeline.gate(), *queue, category);
      const std::shared_ptr<Queue>& target = locked.target();
      assert_locked(target);
      const Timestamp time = engine_.now();
      for (std::size_t i = 0; i < step.count; ++i) {
        if (last_failure(step.told[i]).category != category) continue;
        if (auto settled = settle_exhausted_at(*queue, target, step, i, time); !settled) {
          read = settled;
          from = std::max(from, step.refs[i].seq() + 1);
          continue;
        }
        ++moved;
        bytes += step.body_bytes(i);
      }
      done.last = engine_.pipeline.join(queue, Durability::kBuffered);
      dispatcher_.after_change(queue, time);
      if (!target) continue;
      engine_.pipeline.join(target, Durability::kBuffered);
      dispatcher_.after_change(target, time);
    }
  }
  if (read) return done;
  engine_.scheduler.schedule(queue, engine_.now() + EngineContext::kPauseAfterError);
  return tl::unexpected(read.error());
}

bool DeadLetterMover::dead_letter_some(const std::shared_ptr<Queue>& queue) {
  const auto moved = dead_letter_exhausted(queue, HowMany::kSome);
  return moved && moved->last && engine_.pipeline.wait(*moved->last);
}

}  // namespace holdfast
