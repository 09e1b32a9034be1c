// Redrives what is due by the queue's own policy, parks what was redriven too often, and hands to retention
// what failed for too long and is to be archived. There is no task: each round is one atomic write, and what
// it leaves is there for the next round.
#include "engine/redrive/auto_redriver.h"

#include <utility>
#include <vector>

#include "engine/codec/dead_letters/dead_letter_row.h"
#include "engine/policies/redrive_verdict.h"
#include "engine/redrive/plan_builder.h"

namespace holdfast {
namespace {

struct Round {
  AutoRedrive policy;
  std::shared_ptr<Queue> parking_queue;
  Seq from{};
  RedriveMoment now;
  bool archives = false;
};

// Puts a dead letter into the plan if the policy moves it, or among those that are given up for the archive.
Result<void> consider(PlanBuilder& plan, std::vector<Seq>& given_up, const Round& round, Seq seq,
                      std::string_view bytes) {
  const auto row = decode_dead_letter_row(bytes);
  if (!row) return tl::unexpected(row.error());
  const RedriveVerdict verdict = judge(round.policy, row->record, row->triage, round.now);
  if (verdict == RedriveVerdict::kArchive && round.archives) given_up.push_back(seq);
  const bool moves = verdict == RedriveVerdict::kRedrive ||
                     (verdict == RedriveVerdict::kPark && round.parking_queue != nullptr);
  if (!moves) return {};
  const auto entered = plan.enter_chunk_of(seq, row->chunk_index);
  if (!entered) return tl::unexpected(entered.error());
  if (!*entered) return {};
  auto record = StoredRecord::decode(bytes);
  if (!record) return tl::unexpected(record.error());
  Pick& pick = plan.add(std::move(*record));
  if (verdict == RedriveVerdict::kPark) return plan.park(pick, plan.keep(round.parking_queue));
  plan.set_target(pick, plan.queue(pick.message.lineage.origin_queue));
  return {};
}

struct PlannedRound {
  Plan plan;
  std::vector<Seq> given_up;  // for the archive
  Result<void> read;          // the first error of reading; what it concerns is left for a later round
};

// Plans the next dead letters that the policy moves. The cursor of the plan is where the next round begins:
// at the first one again once a round has reached the end.
PlannedRound plan_round(EngineContext& engine, QueueId queue, const Round& round) {
  PlanBuilder plan(engine, queue);
  std::vector<Seq> given_up;
  Result<void> read;
  const auto scan = engine.store->scan(Family::kDeadLetters, keys::dead_letter(queue, {.seq = round.from}),
                                       keys::dead_letter(queue, {.history = true}));
  for (; scan->valid(); scan->next()) {
    const auto key = keys::parse_dead_letter(scan->key());
    if (key && (plan.full() || plan.moves() + given_up.size() >= round.policy.max))
      return {std::move(plan).finish(key->seq), std::move(given_up), read};
    plan.count_seen();
    const Result<void> considered =
        key ? consider(plan, given_up, round, key->seq, scan->value())
            : fail(ErrorCode::kCorruption, "a key of dead_letters does not decode");
    if (read) read = considered;
  }
  if (read) read = scan->status();
  return {std::move(plan).finish(Seq{0}), std::move(given_up), read};
}

}  // namespace

Result<void> AutoRedriver::auto_redrive(const std::shared_ptr<Queue>& queue) {
  const sync::Lock one_of_queue(queue->records_mutex);
  Round round;
  round.now = {.opened_at = engine_.opened_at, .time = engine_.now()};
  round.archives = engine_.archiving.on();
  round.from = queue->auto_redrive_from;
  {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    round.policy = queue->options().dead_letters.auto_redrive;
    round.parking_queue = queue->targets().parking;
    // The queue may have been deleted, or its policy turned off, while another call held its records.
    if (queue->deleted() || round.policy.every == Duration{0}) return {};
  }
  auto [plan, given_up, read] = plan_round(engine_, queue->id, round);
  if (!given_up.empty()) {
    const LockedQueue locked(engine_.pipeline.gate(), *queue);
    if (queue->deleted()) return {};
    // The archive may have failed since earlier rounds. What waits for it must not grow without a bound.
    if (queue->given_up.size() < round.policy.max)
      queue->given_up.insert(queue->given_up.end(), given_up.begin(), given_up.end());
    retention_.expect(*queue, round.now.time);
  }
  const auto claim = engine_.space.admit(plan.bytes);
  if (!claim) return read;  // a later round tries again
  queue->auto_redrive_from = plan.cursor;
  if (plan.moves == 0) return read;
  RedriveTask no_task;
  no_task.options.actor = "automatic redrive";
  no_task.end = Seq{UINT64_MAX};  // no cursor reaches this end, so the step does not end the task
  // The policy may have been altered since it was read.
  const auto still_wanted = [&] {
    assert_locked(queue);
    return queue->options().dead_letters.auto_redrive == round.policy &&
           queue->targets().parking == round.parking_queue;
  };
  if (auto ok = task_stepper_.commit_step(std::nullopt, queue, plan, no_task, still_wanted); !ok) return ok;
  retention_.plan(queue);
  if (round.parking_queue) retention_.plan(round.parking_queue);
  return read;
}

}  // namespace holdfast
