#include "tests/model/model.h"

#include <algorithm>
#include <utility>

#include "holdfast/limits.h"
#include "tests/model/compare.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {
namespace {

// Checks the answer to a receipt that holds nothing.
Verdict expect_refusal(const Result<void>& answer) {
  if (answer) return "a receipt whose delivery is over was taken";
  const ErrorCode code = answer.error().code;
  // Which of these errors it is depends on how much the engine remembers. The conformance suite is stricter.
  if (code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound ||
      code == ErrorCode::kQueueNotFound) {
    return {};
  }
  return "a receipt whose delivery is over was answered " + to_string(answer.error());
}

Verdict expect_success(const Result<void>& answer) {
  return answer ? Verdict() : "a valid receipt was answered " + to_string(answer.error());
}

}  // namespace

namespace {

// The driver uses only these kinds of policies, without jitter.
Duration retry_wait(const RetryPolicy& policy, std::uint32_t failures) {
  if (policy.kind == RetryKind::kImmediate) return Duration(0);
  return std::min(policy.cap, policy.base * (std::int64_t{1} << std::min(failures - 1, 20U)));
}

std::string lease_reason(const ModelMessage& message) {
  const auto& [instance, version] = message.consumer;
  std::string who = instance.empty() ? "a consumer without a name" : "'" + instance + "'";
  if (!version.empty()) who += ", version '" + version + "',";
  const auto ms = message.held.count();
  return "the lease ran out: " + who + " had it for " + std::to_string(ms / 1000) + "." +
         std::to_string(ms % 1000 / 100) + " s; extensions of the lease: " + std::to_string(message.extended);
}

}  // namespace

std::size_t Model::message_count() const {
  std::size_t count = 0;
  for (const auto& [name, queue] : queues_) count += queue.messages.size();
  return count;
}

namespace {

bool equivalent_messages(const ModelMessage& a, const ModelMessage& b) {
  if (a.place == MessagePlace::kLeased || b.place == MessagePlace::kLeased) return a == b;
  // What is known of the last delivery is forgotten with the next one.
  ModelMessage c = b;
  c.lease = a.lease;
  c.consumer = a.consumer;
  c.held = a.held;
  c.extended = a.extended;
  if (a.place == MessagePlace::kReady) c.until = a.until;
  return a == c;
}

bool equivalent_queues(const ModelQueue& a, const ModelQueue& b) {
  return a.id == b.id && a.options == b.options && a.totals == b.totals && a.history == b.history &&
         std::ranges::equal(a.messages, b.messages, [](const auto& x, const auto& y) {
           return equivalent_messages(x.second, y.second);
         });
}

}  // namespace

bool Model::equivalent(const Model& other) const {
  return std::ranges::equal(queues_, other.queues_, [](const auto& a, const auto& b) {
    return a.first == b.first && equivalent_queues(a.second, b.second);
  });
}

ModelQueue* Model::by_id(QueueId id) {
  const auto found = std::ranges::find_if(queues_, [&](const auto& queue) { return queue.second.id == id; });
  return found == queues_.end() ? nullptr : &found->second;
}

std::optional<Model::Found> Model::held(const Receipt& receipt) {
  for (auto& [name, queue] : queues_) {
    if (queue.id != receipt.queue) continue;
    for (auto& [place, message] : queue.messages) {
      const bool holds = message.place == MessagePlace::kLeased && message.seq == receipt.seq &&
                         message.lease == receipt.lease;
      if (holds) return Found{name, &queue, place, &message};
    }
  }
  return std::nullopt;
}

// --- queues ---

void Model::created(const std::string& name, QueueId id, const QueueOptions& options) {
  queues_[name] = {.id = id, .options = options};
}

void Model::altered(const std::string& name, const QueueOptions& options) {
  queues_.at(name).options = options;
}

Verdict Model::deleted(const std::string& name, const Result<void>& answer) {
  const bool in_use = std::ranges::any_of(
      queues_, [&](const auto& queue) { return queue.second.options.dead_letters.queue == name; });
  if (in_use) {
    const bool refused = !answer && answer.error().code == ErrorCode::kQueueInUse;
    return refused ? Verdict() : "deleting a dead letter queue in use was not refused";
  }
  if (!answer) return "delete was answered " + to_string(answer.error());
  queues_.erase(name);
  return {};
}

Verdict Model::purged(const std::string& name, std::uint64_t answer) {
  auto& messages = queues_.at(name).messages;
  const std::size_t expected = messages.size();
  messages.clear();
  queues_.at(name).history.clear();
  return differs("purged", answer, expected);
}

// --- messages ---

Verdict Model::sent(const std::string& name, std::shared_ptr<const Content> content, Timestamp visible_at,
                    Timestamp expires_at) {
  ModelQueue& queue = queues_.at(name);
  if (!queue.has_room()) return "a send was accepted though there was no room, and too little to drop";
  ModelMessage message{.content = std::move(content)};
  message.expires_at = expires_at;
  if (visible_at > message.content->sent_at) {
    message.place = MessagePlace::kWaiting;
    message.until = visible_at;
    message.ticket = ++queue.tickets;
  }
  append(queue, std::move(message));
  ++queue.totals.sent;
  return {};
}

Verdict Model::refused(const std::string& name, const Error& error) const {
  const ModelQueue& queue = queues_.at(name);
  if (error.code != ErrorCode::kQueueFull) return "a send was answered " + to_string(error);
  return queue.has_room() ? "a send was refused though there was room, or something to drop" : Verdict();
}

void Model::made_room_for_one(const std::string& name) {
  ModelQueue& queue = queues_.at(name);
  if (queue.messages.size() <= queue.options.limits.max_length) return;
  const auto head = queue.next();
  if (head == queue.messages.end()) return;
  ++queue.totals.overflowed;
  queue.messages.erase(head);
}

Verdict Model::delivered(const std::string& name, const Delivery& delivery, const ReceiveOptions& options,
                         Duration lease) {
  ModelQueue& queue = queues_.at(name);
  const auto next = queue.next(delivery.id);
  if (next == queue.messages.end()) return "a message was delivered that is not ready";
  ModelMessage& message = next->second;
  ++message.deliveries;
  ++queue.totals.delivered;
  if (message.seq && !message.loose && *message.seq != delivery.receipt.seq)
    return "the message was at another place before";
  if (delivery.receipt.queue != queue.id) return "the receipt names another queue";
  if (Verdict verdict = compare(delivery, message); !verdict.empty()) return verdict;
  if (message.record && message.unlisted) message.learn_death(delivery.failure->died_at);
  message.place = MessagePlace::kLeased;
  message.returned = true;
  message.loose = false;
  message.until = delivery.lease_expires_at;
  message.seq = delivery.receipt.seq;
  message.lease = delivery.receipt.lease;
  message.consumer = options.consumer;
  message.renewal = options.prefetch ? lease : Duration(0);
  message.prefetched = options.prefetch;
  if (message.prefetched) --message.deliveries;
  message.held = std::chrono::round<std::chrono::milliseconds>(delivery.lease_left);
  message.extended = 0;
  return {};
}

Verdict Model::had_no_more(const std::string& name) const {
  const std::uint64_t ready = queues_.at(name).counts().ready;
  return ready == 0 ? Verdict() : "receive left " + std::to_string(ready) + " ready messages out";
}

Verdict Model::acked(const Receipt& receipt, Timestamp now, const Result<void>& answer) {
  const auto found = held(receipt);
  if (!found) return expect_refusal(answer);
  conclude(*found->message, ReplayOutcome::kAcked, now);
  if (found->message->record) keep_acked(*found->queue, *found->message, now);
  ++found->queue->totals.acked;
  found->queue->messages.erase(found->place);
  return expect_success(answer);
}

Verdict Model::started(const Receipt& receipt, Timestamp now, const Result<void>& answer) {
  const auto found = held(receipt);
  if (!found) return expect_refusal(answer);
  ModelMessage& message = *found->message;
  if (const Timestamp until = now + message.renewal; message.renewal > Duration(0) && until > message.until)
    message.end_lease_at(until);
  if (std::exchange(message.prefetched, false)) ++message.deliveries;
  return expect_success(answer);
}

Verdict Model::extended(const Receipt& receipt, Timestamp until, const ExtendOptions& options,
                        const Result<void>& answer) {
  const auto found = held(receipt);
  if (!found) return expect_refusal(answer);
  ModelMessage& message = *found->message;
  message.end_lease_at(until);
  message.extended = std::min(message.extended + 1, limits::kCountedExtensions);
  if (options.lets_run_out.empty()) return expect_success(answer);
  message.said = options.lets_run_out;
  if (std::exchange(message.prefetched, false)) ++message.deliveries;
  return expect_success(answer);
}

Verdict Model::released(const Receipt& receipt, const ReleaseOptions& options, Timestamp now,
                        const Result<void>& answer) {
  const auto found = held(receipt);
  if (!found) return expect_refusal(answer);
  if (options.to == ReturnTo::kTail && found->message->record) {
    const bool refused = !answer && answer.error().code == ErrorCode::kInvalidArgument;
    return refused ? Verdict() : "a dead letter was released to the tail";
  }
  // A client that says why a delivery failed has started the message.
  if (!options.failure.empty() && std::exchange(found->message->prefetched, false))
    ++found->message->deliveries;
  const bool prefetched = std::exchange(found->message->prefetched, false);
  if (options.charge && !prefetched) {
    if (!options.failure.empty()) found->message->said = options.failure;
    const Failure failure = std::exchange(found->message->said, {}).value_or(Failure{});
    if (fail_delivery(*found, now, now, failure)) return expect_success(answer);
  } else {
    found->message->said.reset();
    if (!prefetched) --found->message->deliveries;
    found->message->give_back(now, Duration(0));
  }
  if (options.delay) found->message->give_back(now, *options.delay);
  if (options.to == ReturnTo::kTail && !found->message->expired) return_to_tail(*found);
  found->queue->drop_if_expired(found->place);
  return expect_success(answer);
}

Verdict Model::rejected(const Receipt& receipt, const Rejection& rejection, Timestamp now,
                        const Result<void>& answer) {
  const auto found = held(receipt);
  if (!found) return expect_refusal(answer);
  const QueueOptions& options = found->queue->options;
  if (!options.dead_letters.queue.empty()) {
    if (std::exchange(found->message->prefetched, false)) ++found->message->deliveries;
    if (!found->message->first_failed_at) found->message->first_failed_at = now;
    found->message->last_failed_at = now;
    die(*found, DeathCause::kRejected, rejection, now);
    return expect_success(answer);
  }
  if (!options.dead_letters.discard_rejected) {
    const bool refused = !answer && answer.error().code == ErrorCode::kNoDeadLetterQueue;
    return refused ? Verdict() : "a reject with nowhere to go was not refused";
  }
  ++found->queue->totals.discarded;
  found->queue->messages.erase(found->place);
  return expect_success(answer);
}

void Model::time_passed(Timestamp now) {
  for (auto& [name, queue] : queues_) {
    for (auto next = queue.messages.begin(); next != queue.messages.end();) {
      const auto [place, message] = std::pair(next->first, &next->second);
      ++next;  // dying takes the message out of the map
      if (message->place == MessagePlace::kReady || message->ticket != 0 || message->until > now) continue;
      const bool leased = message->place == MessagePlace::kLeased;
      message->place = MessagePlace::kReady;
      if (!leased) continue;
      if (std::exchange(message->prefetched, false)) {
        queue.drop_if_expired(place);
        continue;
      }
      const Failure failure =
          std::exchange(message->said, {}).value_or(Failure{.reason = lease_reason(*message)});
      if (fail_delivery({name, &queue, place, message}, message->until, now, failure)) {
        queues_.at(queue.options.dead_letters.queue).messages.rbegin()->second.fell_due = now;
      } else if (message->until <= now) {
        message->place = MessagePlace::kReady;
      }
      queue.drop_if_expired(place);
    }
    queue.expire(now);
    enter(queue, now);
    queue.expire(now);
  }
}

// Moves sends that waited outside the log to the end of the log.
void Model::enter(ModelQueue& queue, Timestamp now) {
  std::map<std::pair<Timestamp, std::uint64_t>, std::uint64_t> due;
  for (auto& [place, message] : queue.messages) {
    if (message.ticket != 0 && message.until <= now) due[{message.until, message.ticket}] = place;
  }
  for (const auto& [when, place] : due) {
    ModelMessage message = std::move(queue.messages.at(place));
    queue.messages.erase(place);
    message.place = MessagePlace::kReady;
    message.ticket = 0;
    message.fell_due = now;
    append(queue, std::move(message));
  }
}

// --- dying ---

void Model::return_to_tail(const Found& found) {
  ModelMessage message = std::move(*found.message);
  found.queue->messages.erase(found.place);
  message.seq.reset();
  message.fell_due.reset();
  message.returned = false;
  message.loose = false;
  if (message.place == MessagePlace::kWaiting) {
    message.until = std::min(message.until, message.expires_at);
    message.ticket = ++found.queue->tickets;
  }
  append(*found.queue, std::move(message));
}

bool Model::fail_delivery(const Found& found, Timestamp at, Timestamp now, const Failure& failure) {
  ModelMessage& message = *found.message;
  message.failure = failure;
  if (!message.first_failed_at) message.first_failed_at = at;
  message.last_failed_at = at;
  const QueueOptions& options = found.queue->options;
  if (options.dead_letters.queue.empty() || message.deliveries < options.retry.max_deliveries) {
    message.give_back(at, retry_wait(options.retry.policy, message.deliveries));
    return false;
  }
  Failure last = failure;
  if (last.reason.empty()) last.reason = exhausted_reason(message.deliveries);
  die(found, DeathCause::kMaxDeliveries, last, now);
  return true;
}

void Model::die(const Found& found, DeathCause cause, const Failure& rejection, Timestamp now) {
  const ModelMessage& message = *found.message;
  const Content& content = *message.content;
  const bool died_before = message.origin && by_id(message.origin->queue) != nullptr;
  Origin origin = died_before ? *message.origin : Origin{found.queue->id, found.name, message.seq.value()};
  FailureRecord record{
      .message_id = content.id,
      .source_queue_id = origin.queue,
      .source_queue = origin.name,
      .source_seq = origin.seq,
      .sent_at = content.sent_at,
      .cause = cause,
      .category = rejection.category,
      .reason = rejection.reason,
      .code = rejection.code,
      .stack_trace = rejection.stack_trace,
      .deliveries = message.deliveries,
      .replays = message.replays,
      .first_failed_at = message.first_failed_at.value(),
      .last_failed_at = message.last_failed_at,
      .died_at = now,
      .consumer = message.consumer,
      .correlation_id = std::string(find_attribute(content.attributes, kCorrelationIdAttribute)),
      .causes = rejection.causes,
      .partial_output = rejection.partial_output};
  ++found.queue->totals.dead_lettered;
  ModelQueue& target = queues_.at(found.queue->options.dead_letters.queue);
  ModelMessage dead{.content = message.content,
                    .replays = message.replays,
                    .first_failed_at = message.first_failed_at,
                    .record = std::move(record),
                    .origin = std::move(origin),
                    .unlisted = cause == DeathCause::kMaxDeliveries};
  dead.triage.status_since = now;
  if (message.record_at && message.record_at->queue == target.id) {
    adopt_history(target, message, dead);
  } else {
    if (const FailureRecord* before = death_before(message))
      dead.record->first_death = first_death_of(*before);
    conclude(message, ReplayOutcome::kDiedElsewhere, now);
  }
  append(target, std::move(dead));
  found.queue->messages.erase(found.place);
}

// --- what can be seen ---

Verdict Model::described(const QueueInfo& info) const {
  const auto found = queues_.find(info.name);
  if (found == queues_.end()) return "there is no queue " + info.name;
  const ModelQueue& queue = found->second;
  Verdict verdict = differs("id", info.id, queue.id);
  if (verdict.empty()) verdict = differs("options", info.options, queue.options);
  if (verdict.empty()) verdict = differs("counts", info.counts, queue.counts());
  if (verdict.empty()) verdict = differs("bytes", info.bytes, queue.bytes());
  if (verdict.empty()) verdict = differs("totals", info.totals, queue.totals);
  return verdict.empty() ? verdict : info.name + ": " + verdict;
}

Verdict Model::listed(const std::string& name, const std::vector<DeadLetter>& items, bool with_bodies) {
  std::vector<ModelMessage*> expected;
  for (auto& [place, message] : queues_.at(name).messages) {
    if (message.record) expected.push_back(&message);
  }
  // Dead letters are listed by the time of their death. A parked one died before it came to this queue.
  std::ranges::stable_sort(expected, {},
                           [](const ModelMessage* message) { return message->record->died_at; });
  if (items.size() != expected.size())
    return name + ": " + differs("dead letters", items.size(), expected.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    ModelMessage& message = *expected[i];
    for (std::size_t j = i + 1; message.unlisted && j < expected.size() && expected[j]->unlisted; ++j) {
      if (message.content->id == items[i].record.message_id) break;
      std::swap(message, *expected[j]);
    }
    if (Verdict verdict = compare(items[i], message, with_bodies); !verdict.empty()) {
      return verdict.insert(0, name + ", dead letter " + std::to_string(i) + ": ");
    }
    if (message.unlisted) message.triage.status_since = items[i].record.died_at;
    message.record->died_at = items[i].record.died_at;
    message.letter = items[i].id;
    message.seq = items[i].seq;
    message.unlisted = false;
  }
  return {};
}

Verdict Model::listed_history(const std::string& name, const std::vector<DeadLetter>& items) const {
  const auto& history = queues_.at(name).history;
  if (items.size() != history.size())
    return name + ": " + differs("records of history", items.size(), history.size());
  for (const DeadLetter& letter : items) {
    const auto found = history.find(letter.seq);
    if (found == history.end()) return name + ": history of a seq that has none";
    if (Verdict verdict = compare(letter, found->second); !verdict.empty())
      return verdict.insert(0, name + ", history: ");
  }
  return {};
}

}  // namespace holdfast::testing
