#include "runtime/redrive/plan.h"

#include <algorithm>
#include <utility>

#include "base/validate.h"
#include "codec/replay_row.h"
#include "core/seq_math.h"
#include "runtime/dead_letter_view.h"
#include "runtime/dead_letter_walk.h"
#include "runtime/redrive/edit.h"
#include "runtime/redrive/plan_builder.h"

namespace holdfast {
namespace {

class Planner {
 public:
  Planner(Engine::Impl& engine, const RedriveJob& job, std::uint64_t max)
      : engine_(engine), job_(job), task_(job.task), max_(max), plan_(engine, job.task.queue) {}

  Result<Plan> run() {
    cursor_ = task_.end;
    auto edit = MessageEdit::make(task_.options.edit);
    if (!edit) return tl::unexpected(edit.error());
    edit_ = std::move(*edit);
    if (const auto from = engine_.catalog.find(task_.queue)) {
      const LockedQueue locked(engine_.pipeline.gate(), *from);
      parking_queue_ = from->parking_queue();
    }
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
    auto row = decode_dead_letter_row(bytes);
    if (!row) return tl::unexpected(row.error());
    if (!matches(task_.options.filter, {.seq = seq}, *row)) return {};
    if (is_abandoned(*row)) {
      plan_.count_abandoned();
      return {};
    }
    const std::uint32_t index = row->chunk_index;
    auto entered = plan_.enter_chunk_of(seq, index);
    if (!entered) return tl::unexpected(entered.error());
    return *entered ? pick(index, std::move(*row)) : Result<void>();
  }

  // To be redriven by nobody: unless it is asked for by its status, or by name.
  bool is_abandoned(const DeadLetterRow& row) const {
    const DeadLetterFilter& filter = task_.options.filter;
    return task_.kind == TaskKind::kRedrive && row.triage.status == DeadLetterStatus::kAbandoned &&
           !filter.status && filter.ids.empty() && filter.seqs.empty();
  }

  Result<void> pick(std::uint32_t index, DeadLetterRow letter) {
    Pick& pick = plan_.add(index);
    pick.row = std::make_unique<DeadLetterRow>(std::move(letter));
    const DeadLetterRow& row = *pick.row;
    const MessageView message = plan_.message(pick);
    const bool refused =
        task_.options.max_replays != 0 && message.lineage.replays >= task_.options.max_replays;
    const bool named = task_.target != QueueId{};
    if (task_.kind == TaskKind::kPark || (refused && task_.options.park_refused)) {
      if (auto ok = plan_.keep_original(pick); !ok) return ok;
      pick.park = true;
      plan_.set_target(pick, task_.kind == TaskKind::kPark && named ? plan_.queue(task_.target)
                                                                    : plan_.keep(parking_queue_));
    } else if (refused) {
      pick.left_as = &LeftInPlace::replay_limit;
    } else if (fails_again(row)) {
      pick.left_as = &LeftInPlace::version;
    } else if (!make_edited(message, row, pick)) {
      pick.left_as = &LeftInPlace::edit;
    } else {
      if (pick.edited && !row.has_original) pick.original = encode_original(message);
      plan_.set_target(pick, plan_.queue(named ? task_.target : message.lineage.origin_queue));
    }
    return {};
  }

  bool fails_again(const DeadLetterRow& row) const {
    const std::string& version = task_.options.unless_version;
    return !version.empty() && row.record.consumer.version == version;
  }

  // False if the edit does not fit the message.
  bool make_edited(const MessageView& message, const DeadLetterRow& row, Pick& pick) const {
    if (!job_.transform && edit_.empty()) return true;
    auto edited = edit_.apply(message);
    if (edited && job_.transform) {
      DeadLetter letter = view_of({.died_at = row.record.died_at, .seq = plan_.seq(pick)}, row);
      letter.body = std::move(edited->body);
      letter.attributes = std::move(edited->attributes);
      edited = job_.transform(letter);
      if (edited) {
        if (auto ok = validate(*edited); !ok) edited = tl::unexpected(ok.error());
      }
    }
    if (edited) edited->group = message.group;
    if (edited) edited->priority = message.priority;
    if (edited) pick.edited = std::make_unique<const Message>(std::move(*edited));
    return edited.has_value();
  }

  Engine::Impl& engine_;
  const RedriveJob& job_;
  const RedriveTask& task_;
  const std::uint64_t max_;
  MessageEdit edit_;
  std::shared_ptr<Queue> parking_queue_;
  PlanBuilder plan_;
  Seq cursor_{};
};

}  // namespace

Result<Plan> plan_step(Engine::Impl& engine, const RedriveJob& job, std::uint64_t max) {
  return Planner(engine, job, max).run();
}

}  // namespace holdfast
