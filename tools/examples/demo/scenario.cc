// The scenario of the demo, with a server and without, and the reconciliation at its end.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <future>
#include <thread>
#include <unordered_set>
#include <utility>

#include "holdfast/buffered_sender.h"
#include "holdfast/limits.h"
#include "tools/cli/texts/table.h"
#include "tools/examples/demo/demo.h"

namespace holdfast::demo {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Keys = std::unordered_set<std::string>;

// Sends the packages that the queue does not have yet. They are sent in order, so the queue's own count tells
// how far an earlier process came before it was killed.
void send_rest(Broker& broker, const Packages& packages) {
  Result<void> outcome;
  auto sender =
      value_or_throw(BufferedSender::make(broker, {.queue = kQueue, .durability = Durability::kFsync}));
  const auto note = [&outcome](const Result<Sent>& sent) {
    if (!sent && outcome) outcome = tl::unexpected(sent.error());
  };
  for (auto i = value_or_throw(broker.describe_queue(kQueue)).totals.sent; i < packages.size(); ++i) {
    Attributes attributes{{std::string(kCorrelationIdAttribute), key_of(packages, i)}};
    sender.send({.body = packages[i], .attributes = std::move(attributes)}, note);
  }
  sender.close();
  value_or_throw(outcome);
}

// Tends the workers, and tells of the progress now and then, until `all_sent` returns true and the queue is
// empty. `all_sent` is called many times a second. Returns how often workers crashed.
std::size_t work_off(Broker& broker, Workers& workers, std::FILE* out,
                     const std::function<bool(const QueueInfo&)>& all_sent) {
  for (auto told = Clock::now();; std::this_thread::sleep_for(50ms)) {
    const QueueInfo info = value_or_throw(broker.describe_queue(kQueue));
    const std::size_t left = info.counts.ready + info.counts.waiting + info.counts.leased;
    const bool done = all_sent(info) && left == 0;
    if (done || Clock::now() - told >= 2s) {
      told = Clock::now();
      fmt::print(out, "  sent {}, left in the queue {}\n", grouped(info.totals.sent), grouped(left));
    }
    if (const std::size_t crashes = workers.tend(); done) return crashes;
  }
}

void show_dead_letters(Broker& broker, std::FILE* out) {
  command::Table table(
      {{"DEAD LETTERS", true}, {"CATEGORY"}, {"CAUSE"}, {"REASON"}, {"FOR EXAMPLE", false, 1}});
  const auto found =
      value_or_throw(broker.group_dead_letters(kDeadLetterQueue, {.by = DeadLetterGrouping::kFingerprint}));
  for (const DeadLetterGroup& group : found.groups) {
    const FailureRecord& record = group.sample.record;
    const std::string& key = record.correlation_id;
    table.add({grouped(group.count), record.category.empty() ? "-" : record.category,
               std::string(to_string(record.cause)), record.reason, key.substr(key.find('/') + 1)});
  }
  const auto screen = command::screen_of(::fileno(out), command::ColorChoice::kAuto);
  fmt::print(out, "\n{}\n\n", fmt::join(table.lines(screen).lines, "\n"));
}

Keys keys_of_dead_letters(Broker& broker) {
  Keys keys;
  ListDeadLettersOptions options{.max = limits::kListPage};
  do {
    const auto page = value_or_throw(broker.list_dead_letters(kDeadLetterQueue, options));
    for (const DeadLetter& letter : page.items) keys.insert(letter.record.correlation_id);
    options.after = page.next;
  } while (options.after);
  return keys;
}

Reconciliation reconcile(Broker& broker, const Packages& packages, const Options& options,
                         std::size_t redriven) {
  Reconciliation result{.sent = packages.size(), .redriven = redriven};
  Keys processed;
  for (const auto& ledger : std::filesystem::directory_iterator(options.ledgers())) {
    std::ifstream in(ledger.path());
    for (std::string key; std::getline(in, key);)
      result.processed_again += processed.insert(key).second ? 0 : 1;
  }
  const Keys dead = keys_of_dead_letters(broker);
  for (std::size_t i = 0; i < packages.size(); ++i) {
    const std::string key = key_of(packages, i);
    ++(processed.contains(key) ? result.processed : dead.contains(key) ? result.dead : result.lost);
  }
  const QueueTotals totals = value_or_throw(broker.describe_queue(kQueue)).totals;
  result.accepted = totals.sent;
  result.redelivered = totals.delivered - std::min(totals.delivered, totals.sent + redriven);
  return result;
}

}  // namespace

std::string grouped(std::size_t number) {
  if (number < 1000) return std::to_string(number);
  return fmt::format("{},{:03}", grouped(number / 1000), number % 1000);
}

Reconciliation run_scenario(Broker& broker, const StartWorkers& start_workers, const Packages& packages,
                            const Options& options, std::function<void()> at_half) {
  std::FILE* out = options.out();
  // A power loss could undo what workers did, but no send. So it could only make messages be handled again.
  const QueueOptions queue_options{.durability = Durability::kBuffered,
                                   .retry = {.max_deliveries = 3},
                                   .dead_letters = {.queue = kDeadLetterQueue}};
  value_or_throw(broker.create_queue(kQueue, queue_options, MissingQueues::kCreate));
  auto workers = start_workers(false);
  auto producer = std::async(std::launch::async, [&] { send_rest(broker, packages); });
  const std::size_t crashes = work_off(broker, *workers, out, [&](const QueueInfo& info) {
    if (at_half && info.totals.sent >= packages.size() / 2) std::exchange(at_half, nullptr)();
    if (producer.valid() && producer.wait_for(0s) == std::future_status::ready) producer.get();
    return !producer.valid() && info.totals.sent >= packages.size();
  });
  workers.reset();
  fmt::print(out, "All is settled; workers crashed {} times. The dead letters:\n", grouped(crashes));
  show_dead_letters(broker, out);

  const std::size_t redriven =
      value_or_throw(broker.redrive(kDeadLetterQueue, {.filter = {.category = kHomepageCategory}})).moved;
  fmt::print(out, "Redrove category '{}': {} messages go back, to workers of version 2 that accept http.\n",
             kHomepageCategory, grouped(redriven));
  workers = start_workers(true);
  work_off(broker, *workers, out, [](const QueueInfo&) { return true; });
  workers.reset();
  fmt::print(out, "The dead letters that remain:\n");
  show_dead_letters(broker, out);
  return reconcile(broker, packages, options, redriven);
}

}  // namespace holdfast::demo
