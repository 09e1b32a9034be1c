// A message history says where a message has been: it puts together what the journals have of it.
#include <algorithm>
#include <set>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/journal_row.h"
#include "engine/engine/engine_impl.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

struct Numbered {
  std::uint64_t order = 0;
  HistoryStep step;
};

// Reads the newest steps of a message in one queue's journal, at most limits::kHistorySteps + 1.
Result<void> read_journal(EngineContext& engine, Queue& queue, const MessageId& id,
                          std::vector<Numbered>& steps) {
  std::vector<JournalBucket> buckets;
  {
    const LockedQueue locked(engine.pipeline.gate(), queue);
    buckets = queue.journal.buckets();
  }
  const std::size_t most = steps.size() + limits::kHistorySteps + 1;
  for (auto bucket = buckets.rbegin(); bucket != buckets.rend(); ++bucket) {
    const auto scan =
        engine.store->scan_down(Family::kJournal, keys::journal(queue.id, bucket->number, id, 0),
                                keys::journal(queue.id, bucket->number, id, UINT64_MAX));
    for (; scan->valid() && steps.size() < most; scan->next()) {
      const auto place = keys::parse_journal(scan->key());
      auto step = decode_journal_row(scan->value());
      if (!place) return fail(ErrorCode::kCorruption, "a key of a journal does not decode");
      if (!step) return tl::unexpected(step.error());
      if (step->queue.empty()) step->queue = queue.name;
      steps.push_back({place->order, std::move(*step)});
    }
    if (auto status = scan->status(); !status) return status;
  }
  return {};
}

// Returns the queue that a message is in after a step, or nothing if it is in none.
std::string place_after(const HistoryStep& step) {
  switch (step.kind) {
    case StepKind::kSent:
    case StepKind::kDelivered:
    case StepKind::kExtended:
    case StepKind::kReleased:
    case StepKind::kLeaseExpired:
    case StepKind::kStarted:
    case StepKind::kImported:
      return step.queue;
    case StepKind::kDeadLettered:
    case StepKind::kRedriven:
    case StepKind::kParked:
      return step.to;
    case StepKind::kAcked:
    case StepKind::kDiscarded:
    case StepKind::kExpired:
    case StepKind::kOverflowed:
    case StepKind::kPurged:
    case StepKind::kArchived:
      break;
  }
  return {};
}

// Adds the purges that a message met. A journal has a purge once, for all messages. Of the purges of queues
// in which the message was, those remain that found it there. `steps` are sorted by their order afterwards.
Result<void> add_purges(EngineContext& engine, std::vector<Numbered>& steps) {
  std::set<std::string> places;
  for (const Numbered& each : steps) places.insert(place_after(each.step));
  for (const std::string& place : places) {
    const auto queue = engine.catalog.find(place);
    if (!queue) continue;
    if (auto ok = read_journal(engine, **queue, MessageId{}, steps); !ok) return ok;
  }
  std::ranges::sort(steps, {}, &Numbered::order);
  std::string place;
  std::erase_if(steps, [&](const Numbered& each) {
    if (each.step.kind == StepKind::kPurged && each.step.queue != place) return true;
    place = place_after(each.step);
    return false;
  });
  return {};
}

}  // namespace

Result<MessageHistory> EngineMessageVerbs::message_history(const MessageId& id) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  std::vector<Numbered> steps;
  for (const auto& queue : impl_->catalog.all()) {
    if (auto ok = read_journal(*impl_, *queue, id, steps); !ok) return tl::unexpected(ok.error());
  }
  std::ranges::sort(steps, {}, &Numbered::order);
  if (auto ok = add_purges(*impl_, steps); !ok) return tl::unexpected(ok.error());
  MessageHistory history;
  history.truncated = steps.size() > limits::kHistorySteps;
  const std::size_t first = history.truncated ? steps.size() - limits::kHistorySteps : 0;
  for (std::size_t i = first; i < steps.size(); ++i) history.steps.push_back(std::move(steps[i].step));
  return history;
}

}  // namespace holdfast
