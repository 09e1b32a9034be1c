// This file has the driver's operations. Each makes a call and tells the model what was answered, entry by
// entry, since a crash may keep some entries of a batch and lose the rest.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tests/checker/promises.h"
#include "tests/model/driver.h"
#include "tests/model/note.h"
#include "tests/support/engine_time.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

void Driver::declare(const std::string& name, const QueueOptions& options) {
  must(engine_->create_queue(name, options, MissingQueues::kCreate));
  const QueueId id = must(engine_->describe_queue(name)).id;
  note("create", name, options, "->", id);
  options_[name] = options;
  apply([=](Model& model) {
    model.created(name, id, options);
    return Verdict();
  });
  synced_if(true);
}

void Driver::send() {
  const std::string name = choices_.any_source();
  std::vector<Message> messages(random_.one_in(60) ? random_.between(100, 200) : random_.between(1, 6));
  for (Message& message : messages) {
    message.body = choices_.any_body();
    if (random_.one_in(3))
      message.attributes.push_back({"correlation-id", std::to_string(choices_.bodies())});
    if (random_.one_in(5)) message.attributes.push_back({random_.bytes(5) + "x", random_.bytes(20)});
  }
  std::optional<Duration> delay;
  if (Choices::is_plain(name) && random_.one_in(5)) delay = std::chrono::seconds(random_.between(0, 100));
  for (Message& message : messages) message.delay = random_.one_in(8) ? std::nullopt : delay;
  if (options_.at(name).expiry.policy == ExpiryPolicy::kDrop) {
    for (Message& message : messages) {
      if (random_.one_in(4)) message.time_to_live = std::chrono::seconds(random_.between(1, 120));
    }
  }
  const std::vector<Message> copies = messages;
  const SendOptions options{.durability = choices_.any_durability()};
  note("send", messages.size(), "to", name, options.durability, "delay", delay);
  const auto answers = must(engine_->send_batch(name, std::move(messages), options));
  if (answers.size() != copies.size()) throw std::runtime_error("send_batch did not answer each entry");
  bool synced = false;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) {
      judge(belief_.check(
          [=, error = answers[i].error()](Model& model) { return model.refused(name, error); }));
      continue;
    }
    const Sent sent = must(answers[i]);
    const std::string wrong =
        checker::Promises::judge_durability(effective(name, options.durability), sent.durability);
    if (!wrong.empty()) throw std::runtime_error("a send " + wrong);
    synced = synced || sent.durability == Durability::kFsync;
    const Timestamp visible_at = clock_.now() + copies[i].delay.value_or(Duration(0));
    const Timestamp expires_at =
        copies[i].time_to_live ? visible_at + *copies[i].time_to_live : Timestamp::max();
    apply([=, content = std::make_shared<const Content>(
                  Content{sent.id, clock_.now(), copies[i].body, copies[i].attributes})](Model& model) {
      return model.sent(name, content, visible_at, expires_at);
    });
  }
  synced_if(synced);
  // Messages leave in later writes, of which a crash may keep some: those that the queue has not read yet
  // leave after the rest. At most all messages of the queue leave. A send that is refused makes no room, also
  // where a crash has kept too many messages.
  const std::uint64_t max_length = options_.at(name).limits.max_length;
  const bool makes_room =
      max_length > 0 && std::ranges::any_of(answers, [](const auto& answer) { return answer.has_value(); });
  for (std::size_t i = 0; makes_room && i < max_length + copies.size(); ++i) {
    apply([=](Model& model) {
      model.made_room_for_one(name);
      return Verdict();
    });
  }
}

void Driver::receive() {
  ReceiveOptions options{.max = random_.one_in(10) ? random_.between(50, 300) : random_.between(1, 8)};
  if (random_.one_in(2)) options.lease = std::chrono::seconds(random_.between(1, 60));
  if (random_.one_in(2))
    options.consumer = {.instance = "w" + std::to_string(random_.below(3)), .version = "1"};
  options.prefetch = random_.one_in(5);
  receive_from(choices_.any_queue(), options);
}

void Driver::receive_from(const std::string& name, const ReceiveOptions& options) {
  const Duration lease = options.lease.value_or(options_.at(name).lease);
  const Timestamp until = clock_.now() + lease;
  const Deliveries deliveries = must(engine_->receive(name, options));
  note(options.prefetch ? "prefetch" : "receive", options.max, "of", name, "for", options.lease, "->",
       deliveries.size());
  if (options_.at(name).expiry.policy == ExpiryPolicy::kDrop) {
    apply([name, now = clock_.now()](Model& model) {
      model.looked_for_expired(name, now);
      return Verdict();
    });
  }
  if (deliveries.size() > options.max) throw std::runtime_error("received more than asked for");
  for (const Delivery& delivery : deliveries) {
    if (!receipts_.insert(delivery.receipt).second) throw std::runtime_error("a receipt was used before");
    if (delivery.lease_expires_at != until) throw std::runtime_error("the lease does not end when asked");
    handed_.push_back({delivery.receipt, name});
    apply([=](Model& model) { return model.delivered(name, delivery, options, lease); });
  }
  if (deliveries.empty()) {
    judge(belief_.check([=](Model& model) { return model.had_no_more(name); }));
  }
}

namespace {

std::vector<Receipt> receipts_of(const auto& handed) {
  std::vector<Receipt> result;
  result.reserve(handed.size());
  for (const auto& each : handed) result.push_back(each.receipt);
  return result;
}

std::size_t successes(const std::vector<Result<void>>& answers) {
  std::size_t count = 0;
  for (const auto& answer : answers) count += answer ? 1 : 0;
  return count;
}

}  // namespace

void Driver::ack() {
  const std::vector<Handed> handed = some_receipts();
  if (handed.empty()) return;
  const SettleOptions options{.durability = choices_.any_durability()};
  const std::vector<Receipt> batch = receipts_of(handed);
  const auto answers = must(engine_->ack_batch(batch, options));
  note("ack", batch, options.durability, "->", answers);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    tell(answers.at(i), [receipt = batch[i], now = clock_.now(), answer = answers.at(i)](Model& model) {
      return model.acked(receipt, now, answer);
    });
  }
  synced_if(successes(answers) > 0 &&
            effective(handed.front().queue, options.durability) == Durability::kFsync);
}

void Driver::begin() {
  const std::vector<Receipt> batch = receipts_of(some_receipts());
  const auto answers = must(engine_->start_batch(batch));
  note("start", batch, "->", answers);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    tell(answers.at(i), [receipt = batch[i], now = clock_.now(), answer = answers.at(i)](Model& model) {
      return model.started(receipt, now, answer);
    });
  }
}

void Driver::extend() {
  const std::vector<Receipt> batch = receipts_of(some_receipts());
  const Duration lease = std::chrono::seconds(random_.between(1, 60));
  const Timestamp until = clock_.now() + lease;
  ExtendOptions options;
  if (random_.one_in(4)) options.lets_run_out = choices_.any_failure(steps_);
  const auto answers = must(engine_->extend_batch(batch, lease, options));
  note("extend", batch, lease.count(), options.lets_run_out.reason, "->", answers);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    tell(answers.at(i), [=, receipt = batch[i], answer = answers.at(i)](Model& model) {
      return model.extended(receipt, until, options, answer);
    });
  }
}

void Driver::release() {
  std::vector<Handed> handed = some_receipts();
  ReleaseOptions options{.charge = !random_.one_in(3)};
  if (random_.one_in(4)) {
    options.to = ReturnTo::kTail;
    if (handed.size() > 1) handed.resize(1);  // several messages would go there in the order of their places
  }
  const std::vector<Receipt> batch = receipts_of(handed);
  if (random_.one_in(3)) options.delay = std::chrono::seconds(random_.between(1, 40));
  // Such a delay is beyond the horizon.
  if (!handed.empty() && Choices::is_plain(handed.front().queue) && handed.front().queue != "c" &&
      handed.front().queue != "e" && random_.one_in(6)) {
    options.delay = std::chrono::seconds(random_.between(50, 150));
  }
  if (options.charge && random_.one_in(2)) options.failure = choices_.any_failure(steps_);
  const Timestamp now = clock_.now();
  const auto answers = must(engine_->release_batch(batch, options));
  note("release", batch, options.delay, options.charge ? "charged" : "uncharged", options.failure.reason,
       options.to ? "to the tail" : "", "->", answers);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    tell(answers.at(i), [=, receipt = batch[i], answer = answers.at(i)](Model& model) {
      return model.released(receipt, options, now, answer);
    });
  }
}

void Driver::reject() {
  const std::vector<Handed> handed = some_receipts();
  if (handed.empty()) return;
  const Rejection rejection = choices_.any_failure(steps_);
  const SettleOptions options{.durability = choices_.any_durability()};
  const Timestamp now = clock_.now();
  const std::vector<Receipt> batch = receipts_of(handed);
  const auto answers = must(engine_->reject_batch(batch, rejection, options));
  note("reject", batch, rejection.category, options.durability, "->", answers);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    tell(answers.at(i), [=, receipt = batch[i], answer = answers.at(i)](Model& model) {
      return model.rejected(receipt, rejection, now, answer);
    });
  }
  synced_if(successes(answers) > 0 &&
            effective(handed.front().queue, options.durability) == Durability::kFsync);
}

void Driver::pass_time() {
  const auto seconds = std::chrono::seconds(random_.between(0, 15));
  clock_.advance(seconds);
  // Things fall due only in run_due(), so the clock alone changes nothing.
  if (random_.one_in(4)) return note("clock", seconds.count());
  note("time", seconds.count());
  let_fall_due();
}

void Driver::let_fall_due() {
  run_due_until_quiet(*engine_, clock_);
  apply([now = clock_.now()](Model& model) {
    model.time_passed(now);
    return Verdict();
  });
}

void Driver::redrive() {
  const std::string name = choices_.any_dead_letter_queue();
  RedriveOptions options{.filter = choices_.any_category(), .actor = "ada"};
  // The messages do not go to queues that drop messages.
  static const std::vector<std::string> targets{"a", "b", "d", "spare"};
  if (random_.one_in(4)) options.to = random_.pick(targets);
  if (options.to == name) options.to.clear();
  const Redriven answer = must(engine_->redrive(name, options));
  note("redrive", name, options.filter.category, "to", options.to, "->", answer.moved,
       to_string(answer.left));
  apply([=, now = clock_.now()](Model& model) { return model.redriven(name, options, now, answer); });
  synced_if(true);
}

void Driver::park() {
  const std::string name = random_.one_in(2) ? "dead" : "parked";
  const RedriveOptions options{.action = RedriveAction::kPark,
                               .filter = choices_.any_category(),
                               .to = name == "dead" ? "parked" : "spare"};
  const Redriven answer = must(engine_->redrive(name, options));
  note("park", name, options.filter.category, "->", answer.parked, to_string(answer.left));
  apply([=, now = clock_.now()](Model& model) { return model.parked(name, options, now, answer); });
  synced_if(true);
}

void Driver::triage() {
  const std::string name = choices_.any_dead_letter_queue();
  DeadLetterSelection selection{.filter = choices_.any_category(), .all = true, .actor = "ann"};
  selection.filter.history = random_.one_in(2);
  DeadLetterChanges changes;
  constexpr DeadLetterStatus kSettable[] = {DeadLetterStatus::kNew, DeadLetterStatus::kInvestigating,
                                            DeadLetterStatus::kFixed, DeadLetterStatus::kAbandoned};
  if (random_.one_in(2)) changes.status = kSettable[random_.below(4)];
  if (random_.one_in(3)) changes.assignee = random_.one_in(3) ? "" : "ann";
  if (!changes.status && !changes.assignee) changes.note = "note " + std::to_string(steps_);
  const DeadLettersChanged answer = must(engine_->change_dead_letters(name, selection, changes));
  note("triage", name, selection.filter.category, "->", answer.changed, answer.refused);
  apply(
      [=, now = clock_.now()](Model& model) { return model.triaged(name, selection, changes, now, answer); });
  synced_if(answer.changed > 0);
}

void Driver::discard() {
  const std::string name = choices_.any_dead_letter_queue();
  const DeadLetterSelection selection{.filter = choices_.any_category(), .all = true, .actor = "ann"};
  const DeadLettersChanged answer = must(engine_->discard_dead_letters(name, selection));
  note("discard", name, selection.filter.category, "->", answer.changed, answer.refused);
  apply([=, now = clock_.now()](Model& model) { return model.discarded(name, selection, now, answer); });
  synced_if(answer.changed > 0);
}

void Driver::purge() {
  const std::string name = choices_.any_queue();
  const std::uint64_t answer = must(engine_->purge_queue(name));
  note("purge", name, "->", answer);
  apply([=](Model& model) { return model.purged(name, answer); });
  synced_if(true);
}

void Driver::alter() {
  const std::string name = random_.one_in(2) ? "a" : "b";
  QueueOptions& options = options_.at(name);
  options.retry.max_deliveries = static_cast<std::uint32_t>(random_.between(1, 4));
  options.dead_letters.queue = random_.one_in(4) ? "" : choices_.any_dead_letter_queue();
  note("alter", name, options);
  must(engine_->alter_queue(name,
                            {.retry = {.max_deliveries = options.retry.max_deliveries},
                             .dead_letters = {.queue = options.dead_letters.queue}},
                            MissingQueues::kCreate));
  apply([name, altered = options](Model& model) {
    model.altered(name, altered);
    return Verdict();
  });
  synced_if(true);
}

void Driver::remove_and_declare() {
  const std::string name = random_.one_in(2) ? "b" : choices_.any_dead_letter_queue();
  const auto answer = engine_->delete_queue(name);
  note("delete", name, "->", answer);
  tell(answer, [=](Model& model) { return model.deleted(name, answer); });
  if (!answer) return;
  synced_if(true);
  declare(name, options_.at(name));
}

void Driver::close_and_open() {
  const bool politely = random_.one_in(2);
  note(politely ? "close and open" : "drop and open");
  if (politely) must(engine_->close());
  engine_.reset();
  synced_if(true);
  open();
}

// A call whose write fails returns an error, and has no effect.
void Driver::fail_a_write() {
  backing_.cut_power();
  const std::string name = choices_.any_queue();
  const std::vector<Handed> handed = some_receipts();
  const std::uint64_t choice = random_.below(handed.empty() ? 2 : 4);
  if (choice == 0) {
    const auto received = engine_->receive(name, {.max = 10});
    note("receive of", name, "without power ->", received);
    if (received) {
      judge(received->empty() ? Verdict() : "a message was delivered that could not be counted");
      judge(belief_.check([=](Model& model) { return model.had_no_more(name); }));
    }
    return;
  }
  const auto failed = choice == 1
                          ? Result<void>(engine_->send(name, {.body = "never"}).map([](const auto&) {}))
                      : choice == 2 ? engine_->ack(handed.front().receipt)
                                    : engine_->release(handed.front().receipt);
  note(choice == 1 ? "send to" : choice == 2 ? "ack in" : "release in", name, "without power ->", failed);
  if (failed) throw std::runtime_error("a call succeeded that could not be written");
}

void Driver::crash_and_open() {
  note("crash and open");
  backing_.crash(engine_);
  belief_.crashed();
  open();
}

// The fact that something fell due is not stored by itself: it falls due again after an opening.
void Driver::open() {
  engine_.emplace(backing_.open(clock_));
  let_fall_due();
}

}  // namespace holdfast::testing
