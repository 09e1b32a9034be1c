// These functions are shared by the verbs that take receipts.
#include "engine/messages/settle.h"

#include <algorithm>
#include <iterator>

#include "engine/base/validation/validate.h"
#include "engine/messages/kept.h"

namespace holdfast {

Result<void> refuse(ReceiptCheck check) {
  switch (check) {
    case ReceiptCheck::kValid:
      return {};
    case ReceiptCheck::kStale:
      return fail(ErrorCode::kReceiptStale, "the delivery is over: its lease ran out or it was settled");
    case ReceiptCheck::kGone:
      break;
  }
  return fail(ErrorCode::kMessageNotFound, "the message is gone");
}

std::optional<GroupNumber> group_of_loss(CommitPipeline& pipeline, const Queue& queue, Durability asked) {
  // Whatever took the message away had the queue join its group.
  const GroupNumber last = queue.joined_group();
  if (asked == Durability::kBuffered) return pipeline.committed(last) ? std::nullopt : std::optional(last);
  if (pipeline.durability_of(last) == Durability::kFsync) return std::nullopt;
  pipeline.gate().assert_inside();
  return pipeline.join(Durability::kFsync);
}

bool any_gone(std::span<const Result<void>> results) {
  return std::ranges::any_of(results, [](const Result<void>& result) {
    return !result && result.error().code == ErrorCode::kMessageNotFound;
  });
}

void answer_without_queue(const HeldRequest& request, std::uint32_t part, std::span<Result<void>> results) {
  while (!results.empty()) {
    const std::size_t answered = answer_again(request, part, results);
    if (answered == 0) break;
    part += static_cast<std::uint32_t>(answered);
    results = results.subspan(answered);
  }
  for (Result<void>& result : results)
    result = fail(ErrorCode::kMessageNotFound, "the message is gone, with its queue");
}

std::size_t answer_again(const HeldRequest& request, std::uint32_t part, std::span<Result<void>> results) {
  if (!request) return 0;
  const auto earlier = request.answered(part);
  if (earlier && !*earlier) return 0;
  if (!earlier) {
    std::ranges::fill(results, Result<void>(tl::unexpected(earlier.error())));
    return results.size();
  }
  const RequestRow& row = **earlier;
  const std::span answered =
      results.first(std::min<std::size_t>(row.entries.value_or(UINT32_MAX), results.size()));
  std::ranges::fill(answered, Result<void>());
  for (const auto& [index, error] : row.failed) {
    if (index < answered.size()) answered[index] = tl::unexpected(error);
  }
  return answered.size();
}

void record_answer(const HeldRequest& request, std::uint32_t part, std::span<const Result<void>> results,
                   Durability durability, bool more) {
  if (!request) return;
  RequestRow row;
  if (more) row.entries = static_cast<std::uint32_t>(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) row.failed.emplace_back(static_cast<std::uint32_t>(i), results[i].error());
  }
  request.record(part, std::move(row), durability);
}

ContentHash content_of(std::string_view verb, std::span<const Receipt> receipts,
                       std::optional<Durability> durability) {
  ContentHash content;
  content.add(verb).add(static_cast<std::uint64_t>(durability.value_or(Durability{})));
  for (const Receipt& receipt : receipts) content.add(receipt);
  return content;
}

}  // namespace holdfast
