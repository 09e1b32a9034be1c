// Deletes messages and changes their visibility as SQS does. More deletes succeed than acks do: those of
// messages that are gone, and in a standard queue those with an older handle.
#include <algorithm>

#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_names.h"
#include "server/sqs/format/sqs_values.h"
#include "server/sqs/operations/batches.h"
#include "server/sqs/operations/operation_table.h"
#include "server/sqs/operations/queue_attributes.h"

namespace holdfast::server::sqs {
namespace {

// Settled is the outcome for a delivery that a client wants to settle.
using Settled = Outcome<void>;

// In a standard queue an older handle succeeds. In every queue, a handle whose message is gone succeeds.
Settled deleted(const Result<void>& acked, const std::string& handle, bool is_fifo) {
  if (acked || acked.error().code == ErrorCode::kMessageNotFound) return {};
  if (acked.error().code != ErrorCode::kReceiptStale) return tl::unexpected(fault_of(acked.error()));
  if (!is_fifo) return {};
  return invalid_value(handle, "ReceiptHandle", "The receipt handle has expired.");
}

Settled changed(const Result<void>& changed, const std::string& handle) {
  if (changed) return {};
  switch (changed.error().code) {
    case ErrorCode::kReceiptStale:
      return refuse(FaultCode::kMessageNotInflight, "The message referred to is not in flight.");
    case ErrorCode::kMessageNotFound:
      return invalid_value(handle, "ReceiptHandle",
                           "Message does not exist or is not available for visibility timeout change.");
    default:
      return tl::unexpected(fault_of(changed.error()));
  }
}

Outcome<Json> empty_answer(const Settled& settled) {
  if (!settled) return tl::unexpected(settled.error());
  return Json(Json::object());
}

// A receipt that settles nothing does not tell whether its queue exists. So if a receipt settled nothing, the
// queue is looked for, and the whole call fails if it is gone.
Promised<EntryOutcomes> unless_gone(SqsCall& call, const std::string& queue, EntryOutcomes outcomes,
                                    bool all_settled) {
  if (all_settled) return Outcome<EntryOutcomes>(std::move(outcomes));
  return call.broker.describe(queue).then(
      [outcomes = std::move(outcomes)](const Outcome<QueueInfo>& found) mutable -> Outcome<EntryOutcomes> {
        if (!found && found.error().code == FaultCode::kQueueDoesNotExist)
          return tl::unexpected(found.error());
        return std::move(outcomes);
      });
}

struct DeletePlan {
  EntryOutcomes outcomes = {};
  std::vector<Receipt> receipts = {};
  std::vector<std::string> handles = {};
  std::vector<std::size_t> places = {};  // where the receipts are among the entries
};

DeletePlan plan_of(const std::string& queue, const std::vector<Json>& entries) {
  DeletePlan plan;
  for (const Json& entry : entries) {
    std::string handle = text_in(entry, "ReceiptHandle");
    const auto receipt = receipt_in(handle, queue);
    if (!receipt) {
      plan.outcomes.emplace_back(tl::unexpected(receipt.error()));
      continue;
    }
    plan.places.push_back(plan.outcomes.size());
    plan.outcomes.emplace_back(Json::object());
    plan.receipts.push_back(*receipt);
    plan.handles.push_back(std::move(handle));
  }
  return plan;
}

EntryOutcomes outcomes_of(DeletePlan plan, const std::vector<Result<void>>& acked, bool is_fifo) {
  for (std::size_t i = 0; i < acked.size(); ++i)
    plan.outcomes[plan.places[i]] = empty_answer(deleted(acked[i], plan.handles[i], is_fifo));
  return std::move(plan.outcomes);
}

// Deletes messages. A queue that cannot be looked at may be FIFO, so no message that was not deleted is
// reported as deleted.
Promised<EntryOutcomes> delete_all(SqsCall& call, const std::string& queue,
                                   const std::vector<Json>& entries) {
  if (auto ok = call.broker.check_consume(queue); !ok) return fail_with<EntryOutcomes>(ok.error());
  DeletePlan plan = plan_of(queue, entries);
  if (plan.receipts.empty()) return unless_gone(call, queue, std::move(plan.outcomes), false);
  auto acks = call.broker.ack(plan.receipts);
  return acks.then([&call, queue, plan = std::move(plan)](
                       const std::vector<Result<void>>& acked) mutable -> Promised<EntryOutcomes> {
    const bool all_settled = acked.size() == plan.outcomes.size() &&
                             std::ranges::all_of(acked, [](const auto& one) { return one.has_value(); });
    if (all_settled) return Outcome<EntryOutcomes>(std::move(plan.outcomes));
    return call.broker.describe(queue).then(
        [plan = std::move(plan), acked](const Outcome<QueueInfo>& found) mutable -> Outcome<EntryOutcomes> {
          if (!found && found.error().code == FaultCode::kQueueDoesNotExist)
            return tl::unexpected(found.error());
          const bool is_fifo = !found || is_fifo_queue(found->name, found->options);
          return outcomes_of(std::move(plan), acked, is_fifo);
        });
  });
}

kj::Promise<Outcome<Json>> change_one(SqsCall& call, const std::string& queue, const Json& entry) {
  if (!has(entry, "VisibilityTimeout")) return Outcome<Json>(missing("VisibilityTimeout"));
  const auto timeout = number_in(entry, "VisibilityTimeout", limits::kVisibility);
  if (!timeout) return fail_with<Json>(timeout.error());
  std::string handle = text_in(entry, "ReceiptHandle");
  const auto receipt = receipt_in(handle, queue);
  if (!receipt) return fail_with<Json>(receipt.error());
  const std::chrono::seconds length(**timeout);
  auto done = length.count() == 0 ? call.broker.release({*receipt}) : call.broker.extend({*receipt}, length);
  return done.then([handle = std::move(handle)](const std::vector<Result<void>>& results) {
    return empty_answer(changed(results.front(), handle));
  });
}

Promised<EntryOutcomes> change_all(SqsCall& call, const std::string& queue,
                                   const std::vector<Json>& entries) {
  if (auto ok = call.broker.check_consume(queue); !ok) return fail_with<EntryOutcomes>(ok.error());
  auto changes = kj::heapArrayBuilder<kj::Promise<Outcome<Json>>>(entries.size());
  for (const Json& entry : entries) changes.add(change_one(call, queue, entry));
  return kj::joinPromises(changes.finish()).then([&call, queue](kj::Array<Outcome<Json>> outcomes) {
    const bool all_settled = std::ranges::all_of(outcomes, [](const auto& one) { return one.has_value(); });
    return unless_gone(call, queue, EntryOutcomes(outcomes.begin(), outcomes.end()), all_settled);
  });
}

using SettleAll = Promised<EntryOutcomes> (*)(SqsCall&, const std::string&, const std::vector<Json>&);

Promised<Json> settle_batch(SqsCall& call, const Json& input, SettleAll settle_all) {
  auto entries = read_entries(input);
  if (!entries) return fail_with<Json>(entries.error());
  auto settled = settle_all(call, queue_in_url(text_in(input, "QueueUrl")), *entries);
  return then_if_good(kj::mv(settled), [entries = *std::move(entries)](EntryOutcomes outcomes) {
    return Outcome<Json>(batch_answer(entries, std::move(outcomes)));
  });
}

}  // namespace

Promised<Json> delete_message(SqsCall& call, const Json& input) {
  return then_if_good(delete_all(call, queue_in_url(text_in(input, "QueueUrl")), {input}), answer_of_one);
}

Promised<Json> delete_message_batch(SqsCall& call, const Json& input) {
  return settle_batch(call, input, delete_all);
}

Promised<Json> change_message_visibility(SqsCall& call, const Json& input) {
  return then_if_good(change_all(call, queue_in_url(text_in(input, "QueueUrl")), {input}), answer_of_one);
}

Promised<Json> change_message_visibility_batch(SqsCall& call, const Json& input) {
  return settle_batch(call, input, change_all);
}

}  // namespace holdfast::server::sqs
