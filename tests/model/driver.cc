#include "tests/model/driver.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/model/note.h"
#include "tests/support/result_matchers.h"

namespace holdfast::testing {

using namespace std::chrono_literals;

Driver::Driver(std::uint64_t seed, Backing& backing)
    : random_(seed),
      choices_(random_, backing.loses_unsynced()),
      backing_(backing),
      belief_(backing.loses_unsynced()) {
  engine_.emplace(backing_.open(clock_));
  declare("parked", {.lease = 10s, .retry = {.max_deliveries = 3}});
  declare("dead", {.durability = Durability::kBuffered,
                   .retry = {.max_deliveries = 3},
                   .dead_letters = {.queue = "parked"}});
  declare("spare", {.lease = 10s, .durability = Durability::kBuffered});
  declare("a", {.lease = 10s,
                .durability = Durability::kBuffered,
                .retry = {.max_deliveries = 2},
                .dead_letters = {.queue = "dead"}});
  declare("b", {.lease = 20s,
                .retry = {.max_deliveries = 3,
                          .policy = {.kind = RetryKind::kExponential, .base = 4s, .cap = 90s}},
                .dead_letters = {.queue = "dead"},
                .journal = {.max_entries = 100}});
  declare("c", {.durability = Durability::kBuffered,
                .retry = {.max_deliveries = 2},
                .dead_letters = {.discard_rejected = true},
                .expiry = {.policy = ExpiryPolicy::kDrop}});
  declare("d", {.durability = Durability::kBuffered,
                .retry = {.max_deliveries = 2,
                          .policy = {.kind = RetryKind::kExponential, .base = 40s, .cap = 100s}}});
  declare("e", {.lease = 10s,
                .durability = Durability::kBuffered,
                .retry = {.max_deliveries = 2},
                .limits = {.max_length = 8, .on_overflow = OverflowPolicy::kDropHead}});
  check_all();
}

void Driver::step() {
  ++steps_;
  const bool crowded = belief_.any().message_count() > 150;
  const std::uint64_t choice = random_.below(200);
  if (choice < 45) {
    crowded ? purge() : send();
  } else if (choice < 90) {
    receive();
  } else if (choice < 110) {
    ack();
  } else if (choice < 114) {
    extend();
  } else if (choice < 118) {
    begin();
  } else if (choice < 140) {
    release();
  } else if (choice < 160) {
    reject();
  } else if (choice < 173) {
    pass_time();
  } else if (choice < 181) {
    redrive();
  } else if (choice < 183) {
    park();
  } else if (choice < 185) {
    triage();
  } else if (choice < 186) {
    discard();
  } else if (choice < 190) {
    alter();
  } else if (choice < 192) {
    purge();
  } else if (choice < 194) {
    remove_and_declare();
  } else if (choice < 196 || !backing_.can_crash()) {
    close_and_open();
  } else {
    if (backing_.loses_unsynced() && random_.one_in(2)) fail_a_write();
    crash_and_open();
  }
  while (handed_.size() > 400) handed_.pop_front();
  check_all();
  belief_.merge();
}

void Driver::drain() {
  note("drain");
  verify();
  clock_.advance(24h * 30);  // shorter than any retention
  let_fall_due();
  check_all();
  for (const auto& [name, options] : options_) {
    do {
      receive_from(name, {.max = 10'000});
    } while (must(engine_->describe_queue(name)).counts.ready > 0);
    while (!handed_.empty()) ack();
    check_all();
  }
  verify();
  if (belief_.any().message_count() != 0) throw std::runtime_error("messages are left after draining");
}

// --- the model ---

void Driver::judge(const Verdict& verdict) const {
  if (!verdict.empty()) throw std::runtime_error(verdict);
}

void Driver::synced_if(bool synced) {
  if (synced) belief_.synced();
}

void Driver::check_all() {
  for (const QueueInfo& info : must(engine_->list_queues())) {
    judge(belief_.check([info](Model& model) { return model.described(info); }));
  }
  for (const char* name : {"dead", "parked", "spare"}) check_queue(name);
}

void Driver::verify() {
  for (const Finding& finding : must(engine_->verify()).findings) {
    throw std::runtime_error("verify: " + finding.kind + ": " + finding.where + ": " + finding.what);
  }
}

void Driver::check_queue(const std::string& name) {
  const bool with_bodies = random_.one_in(4);
  const std::size_t page_size = random_.one_in(8) ? random_.between(1, 5) : 1000;
  auto items = std::make_shared<std::vector<DeadLetter>>();
  std::optional<DeadLetterCursor> after;
  do {
    DeadLetterPage page =
        must(engine_->list_dead_letters(name, {.after = after, .max = page_size, .bodies = with_bodies}));
    std::ranges::move(page.items, std::back_inserter(*items));
    after = page.next;
  } while (after);
  judge(belief_.check(
      [name, items, with_bodies](Model& model) { return model.listed(name, *items, with_bodies); }));
  auto history = std::make_shared<std::vector<DeadLetter>>();
  after.reset();
  do {
    DeadLetterPage page = must(engine_->list_dead_letters(
        name, {.filter = {.history = true}, .after = after, .max = page_size, .bodies = with_bodies}));
    std::ranges::copy_if(page.items, std::back_inserter(*history), &DeadLetter::history);
    after = page.next;
  } while (after);
  judge(belief_.check([name, history](Model& model) { return model.listed_history(name, *history); }));
}

std::string Driver::last_operations() const {
  std::string text;
  for (const std::string& line : last_operations_) text += line + "\n";
  return text;
}

// --- choices ---

Durability Driver::effective(const std::string& queue, std::optional<Durability> asked) const {
  return asked.value_or(options_.at(queue).durability);
}

std::vector<Driver::Handed> Driver::some_receipts() {
  std::vector<Handed> result;
  if (handed_.empty()) return result;
  const std::string queue = handed_[random_.below(handed_.size())].queue;
  const std::size_t most = random_.one_in(2) ? 1 : random_.between(1, 30);
  std::erase_if(handed_, [&](const Handed& handed) {
    if (handed.queue != queue || result.size() == most || random_.one_in(3)) return false;
    result.push_back(handed);
    // Some receipts are kept, to be used again when they are stale.
    return !random_.one_in(5);
  });
  if (!result.empty() && random_.one_in(10)) result.push_back(result.front());
  return result;
}

}  // namespace holdfast::testing
