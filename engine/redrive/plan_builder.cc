#include "engine/redrive/plan_builder.h"

#include <algorithm>
#include <utility>

#include "engine/base/validation/validate.h"
#include "engine/codec/dead_letters/dead_letter_index.h"
#include "engine/core/seq_math.h"

namespace holdfast {
namespace {

std::size_t bytes_of(const MessageView& message) {
  return message.body.size() + message.attribute_bytes.size();
}

}  // namespace

void PlanBuilder::begin_piece(Seq first, std::shared_ptr<const Chunk> chunk) {
  Piece& piece = plan_.pieces.emplace_back();
  piece.span = chunk->span_at(first);
  piece.picks.reserve(piece.span.count);
  piece.chunk = std::move(chunk);
}

Result<bool> PlanBuilder::enter_chunk_of(Seq seq, std::uint32_t chunk_index) {
  const Seq first{static_cast<std::uint64_t>(seq) - chunk_index};
  if (!plan_.pieces.empty() && plan_.pieces.back().span.first == first)
    return plan_.pieces.back().chunk->holds(chunk_index);
  if (unread_ && unread_->first == first) return tl::unexpected(unread_->error);
  auto chunk = engine_.chunk_loader.load(from_, first);
  if (!chunk && chunk.error().code == ErrorCode::kMessageNotFound) return false;
  if (!chunk) {
    unread_ = {first, chunk.error()};
    return tl::unexpected(chunk.error());
  }
  // A chunk that was made smaller since the record was read lacks the messages that are done.
  if (!(*chunk)->holds(chunk_index)) return false;
  begin_piece(first, std::move(*chunk));
  return true;
}

Pick& PlanBuilder::add(std::unique_ptr<const StoredRecord> record) {
  Piece& piece = plan_.pieces.back();
  Pick& pick = piece.picks.emplace_back();
  pick.index = record->chunk_index();
  pick.message = piece.chunk->message(pick.index);
  pick.record = std::move(record);
  bytes_ += bytes_of(pick.message) + pick.record->row().size();
  return pick;
}

void PlanBuilder::set_target(Pick& pick, Queue* target) {
  const std::size_t edited = pick.edited ? byte_size(*pick.edited) : 0;
  bytes_ += edited + pick.original.size();
  pick.target = target;
  if (target == nullptr) return;
  ++plan_.moves;
  plan_.bytes +=
      (pick.edited ? edited : bytes_of(pick.message)) + pick.record->row().size() + pick.original.size();
}

Result<void> PlanBuilder::park(Pick& pick, Queue* target) {
  auto row = decode_dead_letter_row(pick.record->row());
  if (!row) return tl::unexpected(row.error());
  if (row->has_original) {
    auto original = engine_.store->get(Family::kHistory, keys::original(from_, seq(pick)));
    if (!original) return tl::unexpected(original.error());
    row->has_original = original->has_value();
    if (*original) pick.original = std::move(**original);
  }
  pick.parked = std::make_unique<DeadLetterRow>(std::move(*row));
  set_target(pick, target);
  return {};
}

Queue* PlanBuilder::queue(QueueId id) {
  if (last_ == nullptr || last_->id != id) last_ = keep(engine_.catalog.find(id));
  return last_;
}

Queue* PlanBuilder::keep(const std::shared_ptr<Queue>& queue) {
  if (queue && std::ranges::find(plan_.targets, queue) == plan_.targets.end()) plan_.targets.push_back(queue);
  return queue.get();
}

Plan PlanBuilder::finish(Seq cursor) && {
  plan_.cursor = cursor;
  return std::move(plan_);
}

}  // namespace holdfast
