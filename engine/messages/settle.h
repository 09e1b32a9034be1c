// These functions are shared by the verbs that take receipts.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/helpers/content_hash.h"
#include "engine/context/context.h"
#include "engine/core/lane_state.h"
#include "holdfast/error.h"

namespace holdfast {

// Returns the error for a receipt that is not valid.
Result<void> refuse(ReceiptCheck check);
// Returns the group that an answer must wait for if it says that a message of the queue is gone: until what
// took the message away is committed, as durably as the answer is asked to be, a crash may bring it back.
// Returns nothing if that is so already.
std::optional<GroupNumber> group_of_loss(CommitPipeline& pipeline, const Queue& queue, Durability asked)
    HOLDFAST_REQUIRES(queue.mutex) HOLDFAST_REQUIRES_SHARED(inside_gate);
// Returns whether any of the answers says that a message is gone.
bool any_gone(std::span<const Result<void>> results);

// Checks whether the leased message may be released with these options.
Result<void> check_release(const Queue& queue, Seq seq, const ReleaseOptions& options)
    HOLDFAST_REQUIRES(queue.mutex);
LaneState::Return return_of(const ReleaseOptions& options, Timestamp time);

// Answers a repetition for the receipts of one queue. `results` begins with the part-th result of the call.
// Fills in what an earlier call with this request id answered in this part, or the error of looking for it,
// and returns how many results these are.
std::size_t answer_again(const HeldRequest& request, std::uint32_t part, std::span<Result<void>> results);
// Records the answers of a part. The caller holds the locks under which any of the results came to be. `more`
// says that the queue has receipts after these.
void record_answer(const HeldRequest& request, std::uint32_t part, std::span<const Result<void>> results,
                   Durability durability, bool more = false) HOLDFAST_REQUIRES_SHARED(inside_gate);

// Says what the call is about, before it has any effect. The call is refused as a whole if another call has
// used its request id.
template <class Content>
Result<void> begin_request(const HeldRequest& request, const Content& content, EngineClock& clock) {
  if (!request) return {};
  request.begin(content().value(), clock.stored_now());
  if (auto earlier = request.answered(); !earlier) return tl::unexpected(earlier.error());
  return {};
}

// Returns the hash of what counts for the content of a request about receipts.
ContentHash content_of(std::string_view verb, std::span<const Receipt> receipts,
                       std::optional<Durability> durability);

// Answers receipts of a queue that is gone, from the part-th of the call on. What an earlier call with this
// request id did before the queue was deleted has been done.
void answer_without_queue(const HeldRequest& request, std::uint32_t part, std::span<Result<void>> results);

// Calls visit(queue, receipts, results, part) for each run of receipts of one queue, which begins with the
// part-th receipt. Receipts of an unknown queue are answered here.
template <class Visit>
void for_each_queue(const Catalog& catalog, const HeldRequest& request, std::span<const Receipt> receipts,
                    std::span<Result<void>> results, Visit&& visit) {
  for (std::size_t begin = 0, end = 0; begin < receipts.size(); begin = end) {
    const QueueId id = receipts[begin].queue;
    for (end = begin; end < receipts.size() && receipts[end].queue == id;) ++end;
    const auto run = receipts.subspan(begin, end - begin);
    const auto run_results = results.subspan(begin, end - begin);
    const auto part = static_cast<std::uint32_t>(begin);
    if (const auto queue = catalog.find(id)) {
      visit(queue, run, run_results, part);
    } else {
      answer_without_queue(request, part, run_results);
    }
  }
}

}  // namespace holdfast
