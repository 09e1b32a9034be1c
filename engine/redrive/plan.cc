#include "engine/redrive/plan.h"

#include <algorithm>
#include <utility>

#include "engine/base/helpers/saturating.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/core/seq_math.h"
#include "engine/dead_letters/index/dead_letter_messages.h"
#include "engine/dead_letters/index/dead_letter_view.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/redrive/edit.h"
#include "engine/redrive/plan_builder.h"

namespace holdfast {
namespace {

class Planner {
 public:
  Planner(EngineContext& engine, const RedriveJob& job, Queue& from, std::uint64_t max)
      HOLDFAST_REQUIRES(job.step_mutex)
      : engine_(engine),
        job_(job),
        task_(job.task),
        max_(max),
        messages_(*engine.store, job.task.queue),
        plan_(engine, job.task.queue) {
    const LockedQueue locked(engine_.pipeline.gate(), from);
    parking_queue_ = from.targets().parking;
  }

  Result<Plan> run() {
    cursor_ = task_.end;
    auto edit = MessageEdit::make(task_.options.edit);
    if (!edit) return tl::unexpected(edit.error());
    edit_ = std::move(*edit);
    const DeadLetterFilter& filter = task_.options.filter;
    auto ok = !filter.seqs.empty() && filter.ids.empty() ? by_seq() : by_record();
    if (!ok) return tl::unexpected(ok.error());
    return std::move(plan_).finish(cursor_);
  }

 private:
  bool full() const { return plan_.full() || plan_.moves() >= max_; }

  Result<void> by_record() {
    const auto scan = engine_.store->scan(Family::kDeadLetters, keys::queue_seq(task_.queue, task_.cursor),
                                          keys::queue_seq(task_.queue, task_.end));
    for (; scan->valid(); scan->next()) {
      const auto key = keys::parse_queue_seq(scan->key());
      if (!key) return fail(ErrorCode::kCorruption, "a key of dead_letters does not decode");
      if (full()) {
        cursor_ = key->seq;
        return {};
      }
      if (auto ok = consider(key->seq, scan->value()); !ok) return ok;
    }
    return scan->status();
  }

  Result<void> by_seq() {
    const auto& seqs = task_.options.filter.seqs;
    for (auto seq = std::ranges::lower_bound(seqs, task_.cursor); seq != seqs.end() && *seq < task_.end;
         ++seq) {
      if (full()) {
        cursor_ = *seq;
        return {};
      }
      auto row = engine_.store->get(Family::kDeadLetters, keys::queue_seq(task_.queue, *seq));
      if (!row) return tl::unexpected(row.error());
      if (!row->has_value()) continue;
      if (auto ok = consider(*seq, **row); !ok) return ok;
    }
    return {};
  }

  Result<void> consider(Seq seq, std::string_view bytes) {
    plan_.count_seen();
    auto record = StoredRecord::decode(bytes);
    if (!record) return tl::unexpected(record.error());
    const auto wanted = is_meant(seq, **record);
    if (!wanted) return tl::unexpected(wanted.error());
    if (!*wanted) return {};
    if (is_abandoned((*record)->triage())) {
      plan_.count_abandoned();
      return {};
    }
    auto entered = plan_.enter_chunk_of(seq, (*record)->chunk_index());
    if (!entered) return tl::unexpected(entered.error());
    return *entered ? pick(plan_.add(std::move(*record))) : Result<void>();
  }

  Result<bool> is_meant(Seq seq, const StoredRecord& record) {
    const DeadLetterFilter& filter = task_.options.filter;
    if (filter.empty()) return true;
    const auto row = decode_dead_letter_row(record.row());
    if (!row) return tl::unexpected(row.error());
    if (!matches(filter, {.seq = seq}, *row)) return false;
    return messages_.match(filter, {.seq = seq}, *row);
  }

  // Returns whether nobody may redrive the dead letter. An abandoned one is redriven only if the filter asks
  // for it by its status, or names it.
  bool is_abandoned(const Triage& triage) const {
    const DeadLetterFilter& filter = task_.options.filter;
    return task_.options.action == RedriveAction::kRedrive && triage.status == DeadLetterStatus::kAbandoned &&
           !filter.status && filter.ids.empty() && filter.seqs.empty();
  }

  Result<void> pick(Pick& pick) {
    const MessageView& message = pick.message;
    const bool refused =
        task_.options.max_replays != 0 && message.lineage.replays >= task_.options.max_replays;
    const bool named = task_.target != QueueId{};
    const bool parks = task_.options.action == RedriveAction::kPark;
    if (parks || (refused && task_.options.park_refused)) {
      return plan_.park(pick, parks && named ? plan_.queue(task_.target) : plan_.keep(parking_queue_));
    }
    if (refused) {
      pick.left_as = &LeftInPlace::replay_limit;
    } else if (fails_again(*pick.record)) {
      pick.left_as = &LeftInPlace::version;
    } else if (!make_edited(pick)) {
      pick.left_as = &LeftInPlace::edit;
    } else {
      if (pick.edited && !pick.record->has_original()) pick.original = encode_original(message);
      plan_.set_target(pick, plan_.queue(named ? task_.target : message.lineage.origin_queue));
    }
    return {};
  }

  bool fails_again(const StoredRecord& record) const {
    const std::string& version = task_.options.unless_version;
    return !version.empty() && record.indexed().consumer_version == version;
  }

  // Makes the edited message of a pick. Returns false if the edit does not fit the message.
  bool make_edited(Pick& pick) const {
    if (!job_.transform && edit_.empty()) return true;
    auto edited = edit_.apply(pick.message, {.from_dlq = task_.queue_name,
                                             .time = engine_.now(),
                                             .replays = one_more(pick.message.lineage.replays)});
    if (edited && job_.transform) edited = transformed(pick, std::move(*edited));
    if (!edited) return false;
    edited->group = pick.message.group;
    edited->priority = pick.message.priority;
    pick.edited = std::make_unique<const Message>(std::move(*edited));
    return true;
  }

  Result<Message> transformed(const Pick& pick, Message edited) const {
    auto row = decode_dead_letter_row(pick.record->row());
    if (!row) return tl::unexpected(row.error());
    const Timestamp died_at = row->record.died_at;
    DeadLetter letter = view_of({.died_at = died_at, .seq = plan_.seq(pick)}, std::move(*row));
    letter.body = std::move(edited.body);
    letter.attributes = std::move(edited.attributes);
    letter.without_body = false;
    auto result = job_.transform(letter);
    if (!result) return result;
    if (auto ok = validate(*result); !ok) return tl::unexpected(ok.error());
    return result;
  }

  EngineContext& engine_;
  const RedriveJob& job_;
  const RedriveTask& task_;
  const std::uint64_t max_;
  MessageEdit edit_;
  std::shared_ptr<Queue> parking_queue_;
  DeadLetterMessages messages_;
  PlanBuilder plan_;
  Seq cursor_{};
};

}  // namespace

std::vector<Queue*> Plan::queues(Queue& from) const {
  std::vector<Queue*> queues{&from};
  for (const auto& target : targets) queues.push_back(target.get());
  return queues;
}

bool has_target(const Pick& pick) {
  if (!pick.target) return false;
  assert_locked(pick.target);
  return !pick.target->deleted();
}

bool moves(const Pick& pick, ReceiptCheck check, LeftInPlace& left) {
  if (check == ReceiptCheck::kGone) return false;
  const bool has_place = has_target(pick);
  if (has_place && check != ReceiptCheck::kStale) return true;
  ++(has_place ? left.leased : left.*pick.left_as);
  return false;
}

Result<Plan> plan_step(EngineContext& engine, const RedriveJob& job, Queue& from, std::uint64_t max) {
  return Planner(engine, job, from, max).run();
}

}  // namespace holdfast
