// Brings back what is due by the queue's own policy, and parks what was brought back too often. No task: each
// round is one atomic write, and what it did not get to is there for the next one.
#include <algorithm>

#include "codec/dead_letter_row.h"
#include "runtime/redrive/plan_builder.h"

namespace holdfast {
namespace {

enum class Verdict : std::uint8_t { kLeave, kRedrive, kPark };

Duration backoff(const AutoRedrive& policy, std::uint32_t replays) {
  Duration wait = policy.backoff;
  for (; replays > 0 && wait < policy.backoff_max; --replays) wait *= 2;
  return std::min(wait, policy.backoff_max);
}

Verdict judge(const AutoRedrive& policy, const DeadLetterRow& row, Timestamp time) {
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
  if (policy.max_lifetime != Duration{0} && failing_since + policy.max_lifetime <= time)
    return Verdict::kPark;
  return record.died_at + backoff(policy, record.replays) <= time ? Verdict::kRedrive : Verdict::kLeave;
}

struct Round {
  AutoRedrive policy;
  std::shared_ptr<Queue> parking_queue;
  Seq from{};
  Timestamp time{};
};

// The next dead letters that the policy moves. The plan's cursor is where the next round looks on: from the
// beginning again once it has seen all.
Result<Plan> plan_round(Engine::Impl& engine, QueueId queue, const Round& round) {
  PlanBuilder plan(engine, queue);
  const auto scan = engine.store->scan(Family::kDeadLetters, keys::dead_letter(queue, {.seq = round.from}),
                                       keys::dead_letter(queue, {.history = true}));
  for (; scan->valid(); scan->next()) {
    const auto key = keys::parse_dead_letter(scan->key());
    auto row = decode_dead_letter_row(scan->value());
    if (!key || !row) return fail(ErrorCode::kCorruption, "a failure record does not decode");
    if (plan.full() || plan.moves() >= round.policy.max) return std::move(plan).finish(key->seq);
    plan.count_seen();
    const Verdict verdict = judge(round.policy, *row, round.time);
    if (verdict == Verdict::kLeave || (verdict == Verdict::kPark && !round.parking_queue)) continue;
    const auto entered = plan.enter_chunk_of(key->seq, row->chunk_index);
    if (!entered) return tl::unexpected(entered.error());
    if (!*entered) continue;
    auto record = StoredRecord::decode(scan->value());
    if (!record) return tl::unexpected(record.error());
    Pick& pick = plan.add(std::move(*record));
    if (verdict == Verdict::kRedrive) {
      plan.set_target(pick, plan.queue(pick.message.lineage.origin_queue));
    } else if (auto ok = plan.park(pick, plan.keep(round.parking_queue)); !ok) {
      return tl::unexpected(ok.error());
    }
  }
  if (auto status = scan->status(); !status) return tl::unexpected(status.error());
  return std::move(plan).finish(Seq{0});
}

}  // namespace

Result<void> Engine::Impl::auto_redrive(const std::shared_ptr<Queue>& queue) {
  if (!space.admit(0)) return {};  // a later round has the space again
  const std::scoped_lock one_of_queue(queue->records_mutex);
  Round round;
  round.time = now();
  round.from = queue->auto_redrive_from;
  {
    const LockedQueue locked(pipeline.gate(), *queue);
    round.policy = queue->options().auto_redrive;
    round.parking_queue = queue->parking_queue();
  }
  auto plan = plan_round(*this, queue->id, round);
  if (!plan) return tl::unexpected(plan.error());
  queue->auto_redrive_from = plan->cursor;
  if (plan->moves == 0) return {};
  RedriveTask no_task;
  no_task.options.actor = "automatic redrive";
  no_task.end = Seq{UINT64_MAX};  // it has no end, so the step does not end it
  if (auto ok = commit_step(std::nullopt, queue, *plan, no_task); !ok) return ok;
  plan_retention(queue);
  return {};
}

}  // namespace holdfast
