#include "engine/dead_letters/index/dead_letter_view.h"

#include <utility>

#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/codec/rows/replay_row.h"
#include "holdfast/limits.h"

namespace holdfast {

DeadLetter view_of(const DeadLetterCursor& place, DeadLetterRow row) {
  DeadLetter letter;
  letter.seq = place.seq;
  letter.id = row.id;
  letter.record = std::move(row.record);
  letter.triage = std::move(row.triage);
  letter.history = place.history;
  letter.without_body = !place.history;
  return letter;
}

Result<Replay> read_replay(const Store& store, QueueId queue, Seq seq) {
  const auto row = store.get(Family::kHistory, keys::outcome(queue, seq));
  if (!row) return tl::unexpected(row.error());
  return row->has_value() ? decode_replay(**row) : Result<Replay>(Replay{});
}

Result<void> add_replay(const Store& store, QueueId queue, DeadLetter& letter) {
  if (!letter.history || letter.triage.status != DeadLetterStatus::kReplayed) return {};
  auto replay = read_replay(store, queue, letter.seq);
  if (!replay) return tl::unexpected(replay.error());
  letter.replay = *replay;
  return {};
}

Result<void> add_original(const Store& store, QueueId queue, DeadLetter& letter) {
  const auto row = store.get(Family::kHistory, keys::original(queue, letter.seq));
  if (!row) return tl::unexpected(row.error());
  if (!row->has_value()) return {};  // the record left meanwhile
  auto original = decode_original(**row);
  if (!original) return tl::unexpected(original.error());
  letter.original = std::move(*original);
  return {};
}

Result<void> validate_page(std::size_t max) {
  if (max == 0) return fail(ErrorCode::kInvalidArgument, "max must be at least 1");
  if (max <= limits::kListPage) return {};
  return fail(ErrorCode::kLimitExceeded,
              "max is " + std::to_string(max) + ", the limit is " + std::to_string(limits::kListPage));
}

}  // namespace holdfast
