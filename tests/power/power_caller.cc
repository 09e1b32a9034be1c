#include "tests/power/power_caller.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "engine/base/helpers/batch_result.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

const std::vector<PowerQueue>& power_queues() {
  static const std::vector<PowerQueue> queues{
      {"work", {.lease = 2s, .retry = {.max_deliveries = 4}, .dead_letters = {.queue = "dead"}}},
      {"ordered",
       {.lease = 2s,
        .durability = Durability::kBuffered,
        .retry = {.max_deliveries = 4},
        .dead_letters = {.queue = "dead"},
        .grouping = {.mode = Grouping::kOrdered}}},
      {"dead", {.lease = 2s}}};
  return queues;
}

namespace {

Durability default_of(const std::string& queue) {
  return std::ranges::find(power_queues(), queue, &PowerQueue::name)->options.durability;
}

}  // namespace

std::optional<std::uint64_t> message_in(std::string_view body) {
  std::optional<std::uint64_t> number;
  for_each_mark(body, [&](const Mark& mark) { number = mark.number; });
  return number;
}

std::vector<Held> HeldReceipts::take(Random& random) {
  const std::scoped_lock lock(mutex_);
  std::vector<Held> some;
  for (std::uint64_t n = random.between(1, 3); n > 0 && !held_.empty(); --n) {
    some.push_back(held_.front());
    held_.pop_front();
    if (random.one_in(8)) held_.push_back(some.back());
  }
  // A call settles each receipt once.
  std::ranges::sort(some, {}, &Held::receipt);
  const auto is_same = [](const Held& one, const Held& other) { return one.receipt == other.receipt; };
  some.erase(std::unique(some.begin(), some.end(), is_same), some.end());
  return some;
}

void PowerCaller::run() {
  while (!ledger_.is_over()) {
    while (under_way_ >= most_ && !ledger_.is_over()) std::this_thread::yield();
    step();
  }
}

void PowerCaller::await_answers() const {
  while (under_way_ > 0) std::this_thread::yield();
}

void PowerCaller::step() {
  const std::uint64_t choice = random_.below(100);
  if (choice < 35) return send();
  if (choice < 60) return receive();
  if (choice < 92) return settle();
  commit();
}

std::optional<Durability> PowerCaller::any_durability() {
  if (random_.one_in(2)) return std::nullopt;
  return random_.one_in(3) ? Durability::kBuffered : Durability::kFsync;
}

template <class T>
bool PowerCaller::is_refusal(const char* verb, const Result<T>& answer) {
  if (answer) return false;
  const ErrorCode code = answer.error().code;
  if (code == ErrorCode::kReceiptStale || code == ErrorCode::kMessageNotFound) return true;
  ledger_.failed(verb, answer.error());
  return false;
}

void PowerCaller::send() {
  const std::string& queue = any_queue().name;
  const SendOptions options{.durability = any_durability()};
  const Durability asked = options.durability.value_or(default_of(queue));
  std::vector<Message> messages;
  std::vector<std::pair<PromiseLedger::CallId, Mark>> calls;
  for (std::uint64_t n = random_.between(1, 2); n > 0; --n) {
    const Mark mark{MarkKind::kMessage, ledger_.new_number()};
    messages.push_back({.body = to_string(mark), .group = "g" + std::to_string(random_.below(3))});
    calls.emplace_back(ledger_.begins({{Deed::Kind::kSent, mark.number, {queue, 0}}}), mark);
  }
  ++under_way_;
  way_->send(queue, std::move(messages), options, [this, calls, asked](const auto& answers) {
    if (!answers) ledger_.failed("send", answers.error());
    for (std::size_t i = 0; answers && i < calls.size(); ++i) {
      const Result<Sent>& sent = answers->at(i);
      if (!sent) {
        ledger_.failed("send", sent.error());
        continue;
      }
      ledger_.answered(calls[i].first,
                       {.verb = "send", .asked = asked, .said = sent->durability, .mark = calls[i].second});
    }
    --under_way_;
  });
}

void PowerCaller::receive() {
  const std::string& queue = random_.pick(power_queues()).name;
  const ReceiveOptions options{.max = random_.between(1, 4),
                               .wait = random_.one_in(3) ? Duration(200ms) : Duration(0),
                               .prefetch = random_.one_in(4)};
  shared_.machine.call_begins();
  ++under_way_;
  way_->receive(queue, options, [this, queue, started = !options.prefetch](const auto& deliveries) {
    took(queue, deliveries, started);
    --under_way_;
  });
}

void PowerCaller::took(const std::string& queue, const Result<Deliveries>& deliveries, bool charged) {
  if (!deliveries) return ledger_.failed("receive", deliveries.error());
  std::vector<Deed> deeds;
  for (const Delivery& delivery : *deliveries) {
    const auto message = message_in(delivery.body);
    if (!message) {
      ledger_.complain("a message that nobody sent is in " + queue);
      continue;
    }
    const MessageLife life{queue, delivery.replays};
    deeds.push_back({charged ? Deed::Kind::kCharged : Deed::Kind::kThere, *message, life, delivery.receipt});
    shared_.receipts.add({delivery.receipt, *message, life});
  }
  if (!deeds.empty()) ledger_.delivered(std::move(deeds));
}

Way::Settles PowerCaller::settled(const char* verb, Calls calls, std::optional<Mark> mark) {
  ++under_way_;
  return [this, verb, calls = std::move(calls), mark](BatchResult<void> answered) {
    const auto answers = by_entry(std::move(answered), calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const Result<void>& answer = answers.at(i);
      if (answer || is_refusal(verb, answer))
        ledger_.answered(
            calls[i].first,
            {.verb = verb, .done = answer.has_value(), .asked = calls[i].second, .said = {}, .mark = mark});
    }
    --under_way_;
  };
}

void PowerCaller::settle() {
  const std::vector<Held> some = shared_.receipts.take(random_);
  if (some.empty()) return;
  const bool dead = std::ranges::any_of(some, [](const Held& held) { return held.life.queue == "dead"; });
  std::vector<Receipt> receipts;
  for (const Held& held : some) receipts.push_back(held.receipt);
  SettleOptions options{.durability = any_durability()};
  const auto begin = [&](bool buffered, const auto& deeds_of) {
    Calls calls;
    for (const Held& held : some) {
      const Durability asked =
          buffered ? Durability::kBuffered : options.durability.value_or(default_of(held.life.queue));
      calls.emplace_back(ledger_.begins(deeds_of(held)), asked);
    }
    return calls;
  };
  const auto nothing = [](const Held&) { return std::vector<Deed>(); };

  const std::uint64_t choice = random_.below(100);
  if (choice < 45) {
    std::optional<Mark> mark;
    if (random_.one_in(2)) mark = {MarkKind::kRequest, ledger_.new_number()};
    if (mark) options.request_id = to_string(*mark);
    const auto gone = [](const Held& held) {
      return std::vector<Deed>{{Deed::Kind::kGone, held.message, {}}};
    };
    way_->ack(receipts, options, settled("ack", begin(false, gone), mark));
  } else if (choice < 60 && !dead) {
    const Mark mark{MarkKind::kReason, ledger_.new_number()};
    const auto dies = [](const Held& held) {
      return std::vector<Deed>{{Deed::Kind::kThere, held.message, {"dead", held.life.replays}}};
    };
    way_->reject(receipts, {.category = "c", .reason = to_string(mark)}, options,
                 settled("reject", begin(false, dies), mark));
  } else if (choice < 70) {
    const auto uncharged = [](const Held& held) {
      return std::vector<Deed>{{Deed::Kind::kUncharged, held.message, held.life, held.receipt}};
    };
    way_->release(receipts, {.charge = false}, settled("release", begin(true, uncharged)));
  } else if (choice < 80) {
    way_->release(receipts, {.delay = random_.one_in(2) ? 300ms : 0ms},
                  settled("release", begin(true, nothing)));
  } else if (choice < 90) {
    way_->extend(receipts, 3s, settled("extend", begin(true, nothing)));
  } else {
    const auto charged = [](const Held& held) {
      return std::vector<Deed>{{Deed::Kind::kCharged, held.message, held.life, held.receipt}};
    };
    way_->start(receipts, settled("start", begin(true, charged)));
  }
}

// Acknowledges one message and sends another, with a row that says so.
void PowerCaller::commit() {
  const std::vector<Held> some = shared_.receipts.take(random_);
  if (some.empty()) return;
  const Held& held = some.front();
  const std::string& queue = any_queue().name;
  const std::uint64_t number = ledger_.new_number();
  const Mark sent{MarkKind::kMessage, number};
  const Mark row{MarkKind::kTransaction, number};
  Transaction transaction;
  transaction.ack(held.receipt)
      .send(queue, {.body = to_string(sent), .group = "g"})
      .put(shared_.rows, to_string(row), std::to_string(held.message));
  const TransactionOptions options{.durability =
                                       random_.one_in(3) ? Durability::kBuffered : Durability::kFsync};
  const auto call = ledger_.begins(
      {{Deed::Kind::kSent, number, {queue, 0}}, {Deed::Kind::kGone, held.message, {}}}, number);
  ++under_way_;
  const bool started = way_->commit(transaction, options, [=, this](const Result<Committed>& done) {
    if (done) {
      ledger_.answered(
          call, {.verb = "commit", .asked = options.durability, .said = done->durability, .mark = row});
    } else if (is_refusal("commit", done)) {
      ledger_.answered(call, {.verb = "commit", .done = false});
    }
    --under_way_;
  });
  if (started) return;
  ledger_.answered(call, {.verb = "commit", .done = false});
  --under_way_;
}

}  // namespace holdfast::testing
