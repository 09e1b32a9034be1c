// Brings back what is due by the queue's own policy, and parks what was brought back too often. No task: each
// round is one atomic write, and what it did not get to is there for the next one.
#include <algorithm>

#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/engine/engine_impl.h"
#include "engine/redrive/plan_builder.h"

namespace holdfast {
namespace {

enum class Verdict : std::uint8_t { kLeave, kRedrive, kPark };

struct Round {
  AutoRedrive policy;
  std::shared_ptr<Queue> parking_queue;
  Seq from{};
  Timestamp opened_at{};
  Timestamp time{};
};

Duration backoff(const AutoRedrive& policy, std::uint32_t replays) {
  Duration wait = policy.backoff;
  if (wait == Duration{0}) return wait;  // which no doubling ends
  for (; replays > 0 && wait < policy.backoff_max; --replays) wait *= 2;
  return std::min(wait, policy.backoff_max);
}

// What is stamped with a time to come was so by a clock that was set back before the engine was opened: it is
// at least as old as the opening.
Timestamp no_later(Timestamp stamp, const Round& round) {
  return stamp > round.time ? std::min(stamp, round.opened_at) : stamp;
}

Verdict judge(const AutoRedrive& policy, const DeadLetterRow& row, const Round& round) {
  const FailureRecord& record = row.record;
  // What people look into is theirs.
  const bool of_people = row.triage.status == DeadLetterStatus::kInvestigating ||
                         row.triage.status == DeadLetterStatus::kAbandoned;
  const bool retryable = policy.categories.empty() ||
                         std::ranges::find(policy.categories, record.category) != policy.categories.end();
  if (of_people || !retryable) return Verdict::kLeave;
  if (record.replays >= policy.max_replays) return Verdict::kPark;
  // What expired or made room may never have failed.
  const Timestamp failing_since =
      record.first_failed_at == Timestamp{} ? first_death_of(record).died_at : record.first_failed_at;
  if (policy.max_lifetime != Duration{0} &&
      no_later(failing_since, round) + policy.max_lifetime <= round.time)
    return Verdict::kPark;
  const Timestamp due = no_later(record.died_at, round) + backoff(policy, record.replays);
  return due <= round.time ? Verdict::kRedrive : Verdict::kLeave;
}

// Puts a dead letter into the plan if the policy moves it.
Result<void> consider(PlanBuilder& plan, const Round& round, Seq seq, std::string_view bytes) {
  const auto row = decode_dead_letter_row(bytes);
  if (!row) return tl::unexpected(row.error());
  const Verdict verdict = judge(round.policy, *row, round);
  if (verdict == Verdict::kLeave || (verdict == Verdict::kPark && !round.parking_queue)) return {};
  const auto entered = plan.enter_chunk_of(seq, row->chunk_index);
  if (!entered) return tl::unexpected(entered.error());
  if (!*entered) return {};
  auto record = StoredRecord::decode(bytes);
  if (!record) return tl::unexpected(record.error());
  Pick& pick = plan.add(std::move(*record));
  if (verdict == Verdict::kPark) return plan.park(pick, plan.keep(round.parking_queue));
  plan.set_target(pick, plan.queue(pick.message.lineage.origin_queue));
  return {};
}

struct PlannedRound {
  Plan plan;
  Result<void> read;  // the first error of what could not be read, and is left for a later round
};

// The next dead letters that the policy moves. The plan's cursor is where the next round looks on: from the
// beginning again once it has seen all.
PlannedRound plan_round(EngineContext& engine, QueueId queue, const Round& round) {
  PlanBuilder plan(engine, queue);
  Result<void> read;
  const auto scan = engine.store->scan(Family::kDeadLetters, keys::dead_letter(queue, {.seq = round.from}),
                                       keys::dead_letter(queue, {.history = true}));
  for (; scan->valid(); scan->next()) {
    const auto key = keys::parse_dead_letter(scan->key());
    if (key && (plan.full() || plan.moves() >= round.policy.max))
      return {std::move(plan).finish(key->seq), read};
    plan.count_seen();
    const Result<void> considered =
        key ? consider(plan, round, key->seq, scan->value())
            : fail(ErrorCode::kCorruption, "a key of dead_letters does not decode");
    if (read) read = considered;
  }
  if (read) read = scan->status();
  return {std::move(plan).finish(Seq{0}), read};
}

}  // namespace

Result<void> Engine::Impl::auto_redrive(const std::shared_ptr<Queue>& queue) {
  const sync::Lock one_of_queue(queue->records_mutex);
  Round round;
  round.opened_at = opened_at;
  round.time = now();
  round.from = queue->auto_redrive_from;
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    round.policy = queue->options().auto_redrive;
    round.parking_queue = queue->parking_queue();
  }
  auto [plan, read] = plan_round(*this, queue->id, round);
  const auto claim = space.admit(plan.bytes);
  if (!claim) return read;  // a later round has the space again
  queue->auto_redrive_from = plan.cursor;
  if (plan.moves == 0) return read;
  RedriveTask no_task;
  no_task.options.actor = "automatic redrive";
  no_task.end = Seq{UINT64_MAX};  // it has no end, so the step does not end it
  // The policy may have been altered since it was read.
  const auto still_wanted = [&] {
    assert_locked(queue);
    return queue->options().auto_redrive == round.policy && queue->parking_queue() == round.parking_queue;
  };
  if (auto ok = commit_step(std::nullopt, queue, plan, no_task, still_wanted); !ok) return ok;
  plan_retention(queue);
  return read;
}

}  // namespace holdfast
