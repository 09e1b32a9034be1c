// Engine::import_dead_letters puts dead letters back under their own ids, all of one call in one write. A
// letter that the queue has already is left as it is, so an import that was cut short is simply made again.
// Only the history of a discarded letter gives way.
#include <algorithm>
#include <iterator>
#include <set>

#include "engine/base/helpers/fingerprint.h"
#include "engine/base/validation/validate.h"
#include "engine/codec/rows/replay_row.h"
#include "engine/context/deletion.h"
#include "engine/dead_letters/index/dead_letter_walk.h"
#include "engine/dead_letters/retention.h"
#include "engine/dispatch/dispatcher.h"
#include "engine/engine/engine_impl.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

Result<void> validate_letters(const std::vector<DeadLetter>& letters) {
  if (letters.size() > limits::kListPage) {
    return fail(ErrorCode::kLimitExceeded, "letters: " + std::to_string(letters.size()) +
                                               " entries, the limit is " + std::to_string(limits::kListPage));
  }
  std::size_t bytes = 0;
  for (const DeadLetter& letter : letters) {
    if (auto ok = validate(letter); !ok) {
      return fail(ok.error().code, "dead letter " + letter.id.to_string() + ": " + ok.error().message);
    }
    bytes += byte_size(letter.body, letter.attributes);
    if (letter.original) bytes += byte_size(letter.original->body, letter.original->attributes);
  }
  if (letters.size() == 1 || bytes <= limits::kBatchBytes) return {};
  return fail(ErrorCode::kLimitExceeded, "letters have " + std::to_string(bytes) + " bytes, the limit is " +
                                             std::to_string(limits::kBatchBytes));
}

// The queue has this under a dead letter's id.
struct Known {
  bool stays = false;          // the letter is here, or its history, which was not discarded
  std::vector<Seq> discarded;  // history of letters that were discarded, which an import undoes
};

Result<Known> look_up(const Store& store, QueueId queue, const MessageId& id) {
  Known known;
  const auto scan = store.scan(Family::kDeadLetterIds, keys::id_row(queue, id, Seq{0}),
                               keys::id_row(queue, id, Seq{UINT64_MAX}));
  for (; scan->valid(); scan->next()) {
    const Seq seq = *keys::parse_last_seq(scan->key());
    const auto history = read_dead_letter(store, queue, {.history = true, .seq = seq});
    if (!history) return tl::unexpected(history.error());
    if (*history && (*history)->triage.status == DeadLetterStatus::kAbandoned) {
      known.discarded.push_back(seq);
    } else {
      known.stays = true;
    }
  }
  if (auto ok = scan->status(); !ok) return tl::unexpected(ok.error());
  return known;
}

void put_back(Queue& queue, const Catalog& catalog, DeadLetter letter, Timestamp time)
    HOLDFAST_REQUIRES(queue.mutex) {
  FailureRecord& record = letter.record;
  // The id may mean another queue in this data directory.
  const auto source = catalog.find(record.source_queue);
  record.source_queue_id = source ? (*source)->id : QueueId{};
  // The fingerprint is computed as for the letters that are here. The status counts from now, since retention
  // would take an old letter at once otherwise.
  record.fingerprint = fingerprint_of(record);
  letter.triage.status_since = time;
  ChunkBuilder builder(Seq{1}, ChunkKind::kDeadLetters);
  builder.add(record.message_id, record.sent_at,
              {.body = std::move(letter.body),
               .attributes = std::move(letter.attributes),
               .group = record.group,
               .priority = record.priority});
  const auto chunk = std::move(builder).finish();
  const Lineage lineage{.replays = record.replays,
                        .deaths = record.visits,
                        .first_failed_at = record.first_failed_at,
                        .origin_queue = record.source_queue_id,
                        .origin_seq = record.source_seq};
  std::string original;
  if (letter.original) {
    ChunkBuilder before(Seq{1}, ChunkKind::kMessages);
    before.add(
        record.message_id, record.sent_at,
        {.body = std::move(letter.original->body), .attributes = std::move(letter.original->attributes)});
    original = encode_original(std::move(before).finish()->message(0));
  }
  const Seq seq = queue.append_dead_letter(chunk->message(0), lineage,
                                           {.id = letter.id,
                                            .record = std::move(record),
                                            .triage = std::move(letter.triage),
                                            .has_original = letter.original.has_value()},
                                           std::move(original));
  queue.journal.record(chunk->message(0).id, {.at = time, .kind = StepKind::kImported, .seq = seq});
}

}  // namespace

Result<DeadLettersImported> EngineDeadLetterVerbs::import_dead_letters(std::string_view queue_name,
                                                                       std::vector<DeadLetter> letters) {
  const auto call = impl_->calls.begin();
  if (!call) return tl::unexpected(call.error());
  if (auto ok = validate_letters(letters); !ok) return tl::unexpected(ok.error());
  std::size_t bytes = 0;
  for (const DeadLetter& letter : letters) bytes += letter.body.size();
  const auto space = impl_->space.admit(bytes);
  if (!space) return tl::unexpected(space.error());
  auto found = impl_->catalog.find(queue_name);
  if (!found) return tl::unexpected(found.error());
  const std::shared_ptr<Queue>& queue = *found;

  const sync::Lock records(queue->records_mutex);
  DeadLettersImported done;
  std::set<MessageId> seen;
  std::vector<DeadLetter*> fresh;
  std::vector<Seq> discarded;
  for (DeadLetter& letter : letters) {
    auto known = look_up(*impl_->store, queue->id, letter.id);
    if (!known) return tl::unexpected(known.error());
    if (letter.history) {
      ++done.refused;
    } else if (known->stays || !seen.insert(letter.id).second) {
      ++done.duplicates;
    } else {
      fresh.push_back(&letter);
      std::ranges::copy(known->discarded, std::back_inserter(discarded));
    }
  }
  if (fresh.empty()) return done;
  GroupNumber group{};
  {
    LockedQueue locked(impl_->pipeline.gate(), *queue);
    if (queue->deleted()) {
      locked.unlock();
      return tl::unexpected(after_deletion(impl_->pipeline, *queue));
    }
    const Timestamp time = impl_->now();
    for (const Seq seq : discarded) queue->dead_letters.remove({.history = true, .seq = seq});
    for (DeadLetter* letter : fresh) put_back(*queue, impl_->catalog, std::move(*letter), time);
    group = impl_->pipeline.join(queue, Durability::kFsync);
    impl_->dispatcher.after_change(queue, time);
  }
  if (auto ok = impl_->pipeline.wait(group); !ok) return tl::unexpected(ok.error());
  done.imported = fresh.size();
  impl_->retention.plan(queue);
  return done;
}

}  // namespace holdfast
