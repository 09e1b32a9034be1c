#include "tools/examples/demo/scenario.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "tools/cli/texts/table.h"
#include "tools/examples/demo/packages/rules.h"
#include "tools/examples/demo/producer.h"

namespace holdfast::demo {
namespace {

constexpr auto kTick = std::chrono::milliseconds(50);
constexpr std::uint32_t kMaxDeliveries = 3;
// The lease is short, so that the messages that a crashed worker had in flight come back soon.
constexpr auto kLease = std::chrono::seconds(3);

std::size_t left_in(const QueueCounts& counts) { return counts.ready + counts.waiting + counts.leased; }

Result<void> show_dead_letters(Broker& broker, Narrator& narrator) {
  const auto found = broker.group_dead_letters(kDeadLetterQueue, {.by = DeadLetterGrouping::kFingerprint});
  if (!found) return tl::unexpected(found.error());
  command::Table table(
      {{"DEAD LETTERS", true}, {"CATEGORY"}, {"CAUSE"}, {"REASON"}, {"FOR EXAMPLE", false, 1}});
  for (const DeadLetterGroup& group : found->groups) {
    const FailureRecord& record = group.sample.record;
    const std::string& package = record.correlation_id;
    table.add({grouped(group.count), record.category.empty() ? "-" : record.category,
               std::string(to_string(record.cause)), record.reason, package.substr(package.find('/') + 1)});
  }
  narrator.say("");
  for (const std::string& line : table.lines(narrator.screen()).lines) narrator.out() << line << '\n';
  narrator.say("");
  return {};
}

}  // namespace

Result<void> create_queues(Broker& broker) {
  auto created = broker.create_queue(
      kQueue, {.max_deliveries = kMaxDeliveries, .dead_letter_queue = kDeadLetterQueue, .lease = kLease},
      MissingQueues::kCreate);
  if (!created) return tl::unexpected(created.error());
  return {};
}

Bars sending_bars(std::size_t total) {
  return [total](const QueueInfo& info) {
    return std::vector<Bar>{
        {"sent", std::min(info.totals.sent, total), total},
        {"settled", std::min(info.totals.acked + info.totals.dead_lettered, total), total}};
  };
}

Result<void> work_off(Broker& broker, Workers& workers, Narrator& narrator, const Bars& bars,
                      const IsSent& is_sent) {
  for (;;) {
    auto info = broker.describe_queue(kQueue);
    if (!info && !is_passing(info.error().code)) return tl::unexpected(info.error());
    if (info) {
      narrator.show(bars(*info));
      auto sent = is_sent(*info);
      if (!sent) return tl::unexpected(sent.error());
      if (*sent && left_in(info->counts) == 0) break;
    }
    if (auto tended = workers.tend(); !tended) return tended;
    std::this_thread::sleep_for(kTick);
  }
  narrator.settle();
  return {};
}

Result<Outcome> bring_back(Broker& broker, Workers& workers, Narrator& narrator, const Setting& setting) {
  const std::size_t crashes = workers.crashes();
  narrator.say(fmt::format("All is settled; workers crashed {} times. The dead letters:", grouped(crashes)));
  if (auto shown = show_dead_letters(broker, narrator); !shown) return tl::unexpected(shown.error());

  auto redriven = broker.redrive(kDeadLetterQueue, {.filter = {.category = kHomepageCategory}});
  if (!redriven) return tl::unexpected(redriven.error());
  narrator.say(
      fmt::format("Redrove category '{}': {} messages go back, to workers of version 2 that accept http.",
                  kHomepageCategory, grouped(redriven->moved)));
  if (auto started = workers.start(true); !started) return tl::unexpected(started.error());
  const auto bars = [moved = redriven->moved](const QueueInfo& info) {
    return std::vector<Bar>{{"settled", moved - std::min<std::size_t>(moved, left_in(info.counts)), moved}};
  };
  auto worked = work_off(broker, workers, narrator, bars, [](const QueueInfo&) { return true; });
  workers.stop();
  if (!worked) return tl::unexpected(worked.error());
  narrator.say("The dead letters that remain:");
  if (auto shown = show_dead_letters(broker, narrator); !shown) return tl::unexpected(shown.error());

  auto reconciliation = balance(broker, setting.index.size(), setting.ledgers());
  if (!reconciliation) return tl::unexpected(reconciliation.error());
  return Outcome{.reconciliation = *reconciliation, .redriven = redriven->moved};
}

void print_reconciliation(Narrator& narrator, const Reconciliation& reconciliation) {
  const auto line = [&narrator](const char* what, std::size_t count) {
    narrator.say(fmt::format("  {:<66}{:>9}", what, grouped(count)));
  };
  narrator.say("The accounts, in packages (the tables above count messages):");
  line("sent", reconciliation.sent);
  line("processed", reconciliation.processed);
  line("dead letters", reconciliation.dead);
  line("lost", reconciliation.lost);
  narrator.say("What happened more than once, as delivery at least once allows:");
  line("sent twice: the reply to the first send was lost in the kill", reconciliation.sent_twice);
  line("handed out again: a worker gave it back unstarted, not charged", reconciliation.given_back);
  line("handed out again: its worker or the server went down",
       reconciliation.redelivered - std::min(reconciliation.redelivered, reconciliation.given_back));
  line("processed again: it was done, but its ack was lost or too late", reconciliation.processed_again);
  if (reconciliation.both > 0)
    line("processed, and a dead letter too: its acks came too late", reconciliation.both);
  line("messages the broker accepted", reconciliation.accepted);
  line("messages accounted for, by ledgers and dead letters", reconciliation.accounted);
  if (reconciliation.left_behind > 0) line("messages left in the queue", reconciliation.left_behind);
  narrator.say(reconciliation.balanced()
                   ? "The accounts balance: sent = processed + dead letters, nothing is lost."
                   : "THE ACCOUNTS DO NOT BALANCE.");
}

}  // namespace holdfast::demo
