// Sends and receives messages as SQS does. A standard queue becomes fair with the first message that has a
// group, and a client that repeats an attempt to receive gets the same messages again.
#include <algorithm>
#include <array>
#include <optional>

#include "holdfast/limits.h"
#include "server/sqs/format/sqs_limits.h"
#include "server/sqs/format/sqs_names.h"
#include "server/sqs/format/sqs_values.h"
#include "server/sqs/operations/batches.h"
#include "server/sqs/operations/messages.h"
#include "server/sqs/operations/operation_table.h"
#include "server/sqs/operations/queue_attributes.h"

namespace holdfast::server::sqs {
namespace {

constexpr auto kSystemAttributes = std::to_array<std::string_view>({
    "All",
    "SenderId",
    "SentTimestamp",
    "ApproximateReceiveCount",
    "ApproximateFirstReceiveTimestamp",
    kSequenceNumber,
    "MessageDeduplicationId",
    "MessageGroupId",
    "AWSTraceHeader",
    "DeadLetterQueueSourceArn",
});

// Messages that are given back with the answer are leased for this time, which is long enough to make an
// answer.
constexpr Duration kUntilAnswered = std::chrono::seconds(30);

constexpr std::string_view kAttemptId = "ReceiveRequestAttemptId";

bool has_group(const Json& entry) { return has(entry, "MessageGroupId"); }

// --- sending ---

// Returns whether the queue's groups take turns from the first message with a group on: its options do not
// say otherwise.
bool can_become_fair(const QueueInfo& queue) {
  return !has_fifo_name(queue.name) && queue.options.grouping.mode == Grouping::kNone &&
         queue.options.priority.levels <= 1;
}

Promised<Done> make_fair(SqsCall& call, const std::string& queue) {
  return call.broker.alter(queue, {.grouping = {.mode = Grouping::kFair}})
      .then([](const Outcome<Done>& /*made*/) {
        // A client that may send but not alter still sends: the messages keep their groups.
        return Outcome<Done>(Done{});
      });
}

Promised<SendRequirements> requirements_of(SqsCall& call, const std::string& queue,
                                           const std::vector<Json>& entries) {
  SendRequirements requirements{.queue = queue, .sender = call.sender};
  const bool is_named_fifo = has_fifo_name(queue);
  const bool has_groups = std::ranges::any_of(entries, has_group);
  if (!is_named_fifo && !has_groups) return Outcome<SendRequirements>(requirements);
  return then_if_good(
      call.broker.describe(queue),
      [requirements, is_named_fifo](const QueueInfo& info) mutable -> Outcome<SendRequirements> {
        requirements.is_fifo = is_fifo_queue(info.name, info.options);
        requirements.is_fifo_by_name_alone = is_named_fifo && !requirements.is_fifo;
        requirements.becomes_fair = can_become_fair(info);
        requirements.is_by_content = info.options.deduplication.mode == Deduplication::kByContent;
        requirements.is_by_group = counts_ids_by_group(info.options);
        requirements.most_bytes =
            std::min<std::size_t>(limits::kMessageBytes, info.options.limits.max_body_bytes);
        return requirements;
      });
}

struct SendPlan {
  EntryOutcomes outcomes;  // by entry; the outcomes of entries that are sent lack only the ids
  std::vector<Message> messages = {};
  std::vector<std::size_t> places = {};  // where the messages are among the entries
  bool is_fifo = false;
};

Outcome<SendPlan> plan_of(const std::vector<Json>& entries, const SendRequirements& requirements) {
  SendPlan plan{.outcomes = {}, .is_fifo = requirements.is_fifo};
  std::size_t bytes = 0;
  for (const Json& entry : entries) {
    auto outgoing = read_message(entry, requirements);
    if (!outgoing) {
      bytes += text_in(entry, "MessageBody").size();
      plan.outcomes.emplace_back(tl::unexpected(outgoing.error()));
      continue;
    }
    bytes += outgoing->bytes;
    plan.places.push_back(plan.outcomes.size());
    plan.outcomes.emplace_back(std::move(outgoing->answer));
    plan.messages.push_back(std::move(outgoing->message));
  }
  // One message that is too long is refused for itself.
  if (bytes > limits::kMessageBytes && entries.size() > 1) {
    return refuse(FaultCode::kBatchRequestTooLong,
                  "Batch requests cannot be longer than " + std::to_string(limits::kMessageBytes) +
                      " bytes. You have sent " + std::to_string(bytes) + " bytes.");
  }
  return plan;
}

EntryOutcomes outcomes_of(SendPlan plan, const std::vector<Result<Sent>>& sent) {
  for (std::size_t i = 0; i < sent.size(); ++i) {
    Outcome<Json>& outcome = plan.outcomes[plan.places[i]];
    if (!sent[i]) {
      outcome = tl::unexpected(fault_of(sent[i].error()));
      continue;
    }
    (*outcome)["MessageId"] = sent[i]->id.to_string();
    if (plan.is_fifo) (*outcome)["SequenceNumber"] = sequence_number(sent[i]->id);
  }
  return std::move(plan.outcomes);
}

Promised<EntryOutcomes> send_planned(SqsCall& call, const std::string& queue, SendPlan plan) {
  auto sending = call.broker.send(queue, plan.messages);
  plan.messages.clear();
  return then_if_good(kj::mv(sending),
                      [plan = std::move(plan)](const std::vector<Result<Sent>>& sent) mutable {
                        return Outcome<EntryOutcomes>(outcomes_of(std::move(plan), sent));
                      });
}

// Only a message that is sent makes the queue fair: a call that is refused changes nothing.
Promised<EntryOutcomes> send_all(SqsCall& call, const std::string& queue, std::vector<Json> entries) {
  auto requirements = requirements_of(call, queue, entries);
  return then_if_good(
      kj::mv(requirements),
      [&call, queue, entries = std::move(entries)](const SendRequirements& found) -> Promised<EntryOutcomes> {
        auto plan = plan_of(entries, found);
        if (!plan) return fail_with<EntryOutcomes>(plan.error());
        if (plan->messages.empty()) return Outcome<EntryOutcomes>(std::move(plan->outcomes));
        const bool has_groups = std::ranges::any_of(
            plan->messages, [](const Message& message) { return !message.group.empty(); });
        if (!found.becomes_fair || !has_groups) return send_planned(call, queue, *std::move(plan));
        return then_if_good(make_fair(call, queue), [&call, queue, plan = *std::move(plan)](Done) mutable {
          return send_planned(call, queue, std::move(plan));
        });
      });
}

// --- receiving ---

struct ReceivePlan {
  std::string queue;
  ReceiveOptions options;
  bool says_wait = false;
  bool gives_back = false;  // the visibility timeout is 0: the messages are given back with the answer
  std::optional<QueueInfo> described = {};  // the queue, once it was asked for
  std::string attempt = {};                 // the ReceiveRequestAttemptId
  Wanted wanted;
};

Outcome<Wanted> read_wanted(const Json& input) {
  Wanted wanted;
  for (const std::string_view member : {"AttributeNames", "MessageSystemAttributeNames"}) {
    if (!has(input, member)) continue;
    for (const Json& name : input[std::string(member)]) {
      const auto& text = name.get_ref<const std::string&>();
      if (std::ranges::find(kSystemAttributes, text) == kSystemAttributes.end())
        return refuse(FaultCode::kInvalidAttributeName, "Unknown Attribute " + text + ".");
      wanted.system.insert(text);
    }
  }
  if (has(input, "MessageAttributeNames")) {
    for (const Json& name : input["MessageAttributeNames"]) wanted.names.insert(name.get<std::string>());
  }
  return wanted;
}

Outcome<std::string> read_attempt(const Json& input) {
  if (!has(input, kAttemptId)) return std::string();
  std::string id = text_in(input, kAttemptId);
  if (auto ok = check_id(id, kAttemptId); !ok) return tl::unexpected(ok.error());
  return id;
}

Outcome<ReceivePlan> read_receive(const SqsCall& call, const Json& input) {
  const auto most = number_in(input, "MaxNumberOfMessages", limits::kReceive);
  if (!most) return tl::unexpected(most.error());
  const auto visibility = number_in(input, "VisibilityTimeout", limits::kVisibility);
  if (!visibility) return tl::unexpected(visibility.error());
  const auto wait = number_in(input, "WaitTimeSeconds", limits::kWait);
  if (!wait) return tl::unexpected(wait.error());
  auto wanted = read_wanted(input);
  if (!wanted) return tl::unexpected(wanted.error());

  ReceivePlan plan{.queue = queue_in_url(text_in(input, "QueueUrl")),
                   .options = {.max = static_cast<std::size_t>(most->value_or(1)), .consumer = call.consumer},
                   .says_wait = wait->has_value(),
                   .wanted = *std::move(wanted)};
  plan.options.wait = std::chrono::seconds(wait->value_or(0));
  auto attempt = read_attempt(input);
  if (!attempt) return tl::unexpected(attempt.error());
  plan.attempt = *std::move(attempt);
  // With a visibility timeout of 0, the lease would end before the answer is made, and could take the last
  // delivery that the message is allowed.
  plan.gives_back = *visibility == 0;
  if (*visibility) plan.options.lease = plan.gives_back ? kUntilAnswered : std::chrono::seconds(**visibility);
  return plan;
}

Promised<ReceivePlan> with_description(SqsCall& call, ReceivePlan plan) {
  if (plan.described) return Outcome<ReceivePlan>(std::move(plan));
  auto described = call.broker.describe(plan.queue);
  return then_if_good(kj::mv(described), [plan = std::move(plan)](QueueInfo queue) mutable {
    plan.described = std::move(queue);
    return Outcome<ReceivePlan>(std::move(plan));
  });
}

// Adds what the plan leaves to the queue. The queue is looked at only where it matters.
Promised<ReceivePlan> with_what_the_queue_says(SqsCall& call, ReceivePlan plan) {
  const bool may_be_numbered = has_fifo_name(plan.queue) && plan.wanted.wants_system(kSequenceNumber);
  if (plan.says_wait && plan.attempt.empty() && !may_be_numbered)
    return Outcome<ReceivePlan>(std::move(plan));
  auto described = with_description(call, std::move(plan));
  return then_if_good(kj::mv(described), [](ReceivePlan ready) -> Outcome<ReceivePlan> {
    const QueueInfo& queue = *ready.described;
    if (!ready.says_wait) ready.options.wait = default_wait(queue.options);
    const bool is_fifo = is_fifo_queue(queue.name, queue.options);
    if (!ready.attempt.empty() && !is_fifo) {
      return invalid_value(ready.attempt, kAttemptId,
                           "The request includes a parameter that is not valid for this queue type.");
    }
    ready.wanted.has_numbers = is_fifo;
    return ready;
  });
}

Json answer_of(const SqsCall& call, const ReceivePlan& plan, const Deliveries& deliveries) {
  Json messages = Json::array();
  for (const Delivery& delivery : deliveries)
    messages.push_back(write_message(delivery, plan.wanted, plan.queue, call.options()));
  Json answer = Json::object();
  if (!messages.empty()) answer["Messages"] = std::move(messages);
  return answer;
}

std::vector<Receipt> receipts_of(const Deliveries& deliveries) {
  std::vector<Receipt> receipts;
  for (const Delivery& delivery : deliveries) receipts.push_back(delivery.receipt);
  return receipts;
}

Json remember(SqsCall& call, const ReceivePlan& plan, const Deliveries& deliveries, Json answer) {
  if (plan.attempt.empty() || deliveries.empty()) return answer;
  call.shared.attempts.remember(plan.queue, plan.attempt, {receipts_of(deliveries), answer}, call.now);
  return answer;
}

// Gives the messages back. Their receipts are over then, as if a timeout had run out. A message that cannot
// be given back has been handed out, and waits for the end of its lease.
Promised<Json> with_messages_back(SqsCall& call, const std::vector<Receipt>& receipts, const Json& answer) {
  return call.broker.release(receipts).then(
      [answer](const std::vector<Result<void>>& /*released*/) { return Outcome<Json>(answer); },
      [answer](kj::Exception&& /*why*/) { return Outcome<Json>(answer); });
}

// Answers a receive that got nothing. If it does not wait, it is told when a standard queue already has all
// messages in flight that it may have. A receive that waits, or that is from a FIFO queue, just gets nothing.
// A description from before the receive is good enough: the request was under way at that moment too.
Promised<Json> nothing(SqsCall& call, ReceivePlan plan) {
  if (plan.options.wait > Duration{0}) return Outcome<Json>(Json::object());
  return then_if_good(with_description(call, std::move(plan)), [](const ReceivePlan& ready) -> Outcome<Json> {
    const QueueInfo& queue = *ready.described;
    const std::uint64_t most = queue.options.limits.max_leased;
    const bool is_fifo = is_fifo_queue(queue.name, queue.options);
    if (is_fifo || most == 0 || queue.counts.leased < most) return Json(Json::object());
    return refuse(FaultCode::kOverLimit,
                  "There are " + std::to_string(queue.counts.leased) +
                      " messages in flight, and no more are allowed: delete some, or let them time out.");
  });
}

// The answer is made and the attempt is remembered in the same turn of the loop in which the messages come.
// If a client could hang up in between, messages that nobody got would stay charged and hidden.
Promised<Json> receive(SqsCall& call, ReceivePlan plan) {
  auto received = call.broker.receive(plan.queue, plan.options);
  return then_if_good(
      kj::mv(received),
      [&call, plan = std::move(plan)](const Deliveries& deliveries) mutable -> Promised<Json> {
        if (deliveries.empty()) return nothing(call, std::move(plan));
        Json answer = answer_of(call, plan, deliveries);
        if (plan.gives_back) return with_messages_back(call, receipts_of(deliveries), answer);
        return Outcome<Json>(remember(call, plan, deliveries, std::move(answer)));
      });
}

// Returns whether all was done; false if a message was deleted or its client lost it. Every other error is a
// fault: it says nothing about the messages.
Outcome<bool> all_done(const std::vector<Result<void>>& settled) {
  bool all = true;
  for (const Result<void>& one : settled) {
    if (one) continue;
    const ErrorCode code = one.error().code;
    if (code != ErrorCode::kReceiptStale && code != ErrorCode::kMessageNotFound)
      return tl::unexpected(fault_of(one.error()));
    all = false;
  }
  return all;
}

// Hides all messages of an attempt anew, or none if one of them was deleted or its client lost it: the others
// stay hidden for as long as they were, since their client works on them. If a lease runs out between the
// look and the change, the result is false too, and the other messages are hidden for longer.
Promised<bool> hide_again(SqsCall& call, const std::vector<Receipt>& receipts, Duration lease) {
  return call.broker.start(receipts).then(
      [&call, receipts, lease](const std::vector<Result<void>>& held) -> Promised<bool> {
        const auto all = all_done(held);
        if (!all || !*all) return all;
        return call.broker.extend(receipts, lease).then([](const std::vector<Result<void>>& extended) {
          return all_done(extended);
        });
      });
}

// Returns the answer to an earlier attempt if it is still true, and receives otherwise. An attempt whose
// messages are given back is over with its answer.
Promised<Json> receive_again(SqsCall& call, ReceivePlan plan, ReceiveAttempt attempt) {
  const Duration lease = plan.options.lease.value_or(plan.described->options.lease);
  auto hidden = hide_again(call, attempt.receipts, lease);
  return then_if_good(
      kj::mv(hidden),
      [&call, plan = std::move(plan), attempt = std::move(attempt)](bool all) -> Promised<Json> {
        if (all && !plan.gives_back) return Outcome<Json>(attempt.answer);
        call.shared.attempts.forget(plan.queue, plan.attempt);
        return all ? with_messages_back(call, attempt.receipts, attempt.answer) : receive(call, plan);
      });
}

using Turn = std::shared_ptr<ReceiveAttempts::Turn>;

kj::Promise<Turn> turn_of(SqsCall& call, const std::string& queue, const std::string& attempt) {
  if (Turn turn = call.shared.attempts.take_turn(queue, attempt)) return turn;
  auto freed = call.broker.promises().make<bool>();
  call.shared.attempts.when_free(queue, attempt, [done = freed.done] { done(true); });
  return freed.promise.then([&call, queue, attempt](bool) { return turn_of(call, queue, attempt); });
}

// Shortens the wait by the time for which this receive has already waited for another one.
void shorten_wait(const SqsCall& call, ReceivePlan& plan) {
  const auto waited = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - call.now);
  plan.options.wait = std::max(plan.options.wait - waited, Duration{0});
}

// Receives under one id follow each other, so that each finds the answer of the one before it.
Promised<Json> receive_once(SqsCall& call, ReceivePlan plan) {
  if (plan.attempt.empty()) return receive(call, std::move(plan));
  // Who may not receive must not touch the attempt of somebody who may.
  if (auto ok = call.broker.check_consume(plan.queue); !ok) return fail_with<Json>(ok.error());
  auto turn_comes = turn_of(call, plan.queue, plan.attempt);
  return turn_comes.then([&call, plan = std::move(plan)](Turn turn) mutable -> Promised<Json> {
    shorten_wait(call, plan);
    auto earlier = call.shared.attempts.find(plan.queue, plan.attempt, call.now);
    auto answer =
        earlier ? receive_again(call, std::move(plan), *std::move(earlier)) : receive(call, std::move(plan));
    return answer.attach(std::move(turn));
  });
}

}  // namespace

Promised<Json> send_message(SqsCall& call, const Json& input) {
  return then_if_good(send_all(call, queue_in_url(text_in(input, "QueueUrl")), {input}), answer_of_one);
}

Promised<Json> send_message_batch(SqsCall& call, const Json& input) {
  auto entries = read_entries(input);
  if (!entries) return fail_with<Json>(entries.error());
  auto sending = send_all(call, queue_in_url(text_in(input, "QueueUrl")), *entries);
  return then_if_good(kj::mv(sending), [entries = *std::move(entries)](EntryOutcomes outcomes) {
    return Outcome<Json>(batch_answer(entries, std::move(outcomes)));
  });
}

Promised<Json> receive_message(SqsCall& call, const Json& input) {
  auto plan = read_receive(call, input);
  if (!plan) return fail_with<Json>(plan.error());
  return then_if_good(with_what_the_queue_says(call, *std::move(plan)),
                      [&call](ReceivePlan ready) { return receive_once(call, std::move(ready)); });
}

}  // namespace holdfast::server::sqs
