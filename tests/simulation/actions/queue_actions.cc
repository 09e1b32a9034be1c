#include "tests/simulation/actions/queue_actions.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "holdfast/limits.h"

namespace holdfast::simulation {

// These calls change nothing, and what they show is there.
void QueueActions::look() {
  const Subject& queue = run_.any_queue(run_.random.one_in(2));
  Engine& engine = run_.world->engine();
  run_.note("look", queue.name);
  for (const bool scheduled : {false, true}) {
    const auto page =
        engine.peek(queue.name, {.max = limits::kListPage, .bodies = true, .scheduled = scheduled});
    if (!page) return recovery_.recover_from("peek", page.error());
    for (const PeekedMessage& message : page->items)
      run_.ledger.shown(queue.name, {message.body, message.id, message.replays, message.attributes});
    if (page->items.empty()) continue;
    if (auto steps = engine.message_history(run_.random.pick(page->items).id); !steps)
      return recovery_.recover_from("message_history", steps.error());
  }
  check_leased();
  const auto info = engine.describe_queue(queue.name);
  if (!info) return recovery_.recover_from("describe", info.error());
  const auto groups = engine.group_dead_letters(queue.name);
  if (!groups) return recovery_.recover_from("group", groups.error());
  std::uint64_t dead = 0;
  for (const DeadLetterGroup& group : groups->groups) dead += group.count;
  if (dead != info->counts.dead)
    throw Violation(queue.name + ": its groups have " + std::to_string(dead) + " dead letters, its counts " +
                    std::to_string(info->counts.dead) + ", total " + std::to_string(groups->total));
  if (auto seen = engine.dead_letter_statistics(queue.name); !seen)
    return recovery_.recover_from("statistics", seen.error());
  if (auto seen = engine.queue_statistics(queue.name); !seen)
    return recovery_.recover_from("statistics", seen.error());
  if (auto seen = engine.statistics(); !seen) return recovery_.recover_from("statistics", seen.error());
}

void QueueActions::check_leased() {
  const std::vector<Receipt> receipts(deliveries_.receipts().begin(), deliveries_.receipts().end());
  const auto leased = EngineInside::leased(run_.world->engine(), receipts);
  if (!leased) return recovery_.recover_from("leased", leased.error());
  for (const Receipt& receipt : receipts) {
    const bool shown = std::ranges::find(*leased, receipt) != leased->end();
    const bool wrong =
        shown ? !run_.ledger.may_hold(receipt) : run_.ledger.surely_holds(receipt, run_.world->now());
    if (wrong)
      throw Violation("message " + *run_.ledger.body_of(receipt) + ": a receipt of it is shown as " +
                      (shown ? "valid" : "over"));
  }
}

// While a queue is paused, nothing comes in or goes out, not even after a restart.
void QueueActions::pause() {
  const Subject& queue = run_.any_queue(false);
  const Pause all{.deliveries = true, .sends = true};
  if (!recovery_.must_happen("pause", [&] { return run_.world->engine().pause_queue(queue.name, all); }))
    return;
  if (run_.random.one_in(3)) recovery_.reopen();
  const auto sent = run_.world->engine().send(queue.name, {.body = "paused"});
  if (sent || (sent.error().code != ErrorCode::kQueuePaused && sent.error().code != ErrorCode::kDiskFull))
    throw Violation("a paused queue answers a send with " + (sent ? "ok" : to_string(sent.error())));
  const auto received = run_.world->engine().receive(queue.name);
  if (!received) {
    recovery_.recover_from("receive", received.error());
  } else if (!received->empty()) {
    throw Violation("a paused queue hands out a message");
  }
  if (!recovery_.must_happen("resume", [&] { return run_.world->engine().resume_queue(queue.name, all); }))
    throw Violation("a paused queue stays paused on a full disk");
}

void QueueActions::alter() {
  auto queue = std::ranges::find(run_.queues, run_.any_queue(run_.random.one_in(3)).name, &Subject::name);
  if (run_.random.one_in(6)) return purge();
  const QueueChanges changes{
      .lease = std::chrono::milliseconds(run_.random.between(50, 5000)),
      .retry = {.max_deliveries = static_cast<std::uint32_t>(run_.random.between(1, 4))}};
  // A message may have died by the old limit or by the new one.
  queue->most_deliveries =
      std::max({queue->most_deliveries, queue->options.retry.max_deliveries, *changes.retry.max_deliveries});
  queue->options.retry.max_deliveries =
      std::min(queue->options.retry.max_deliveries, *changes.retry.max_deliveries);
  run_.ledger.declare(queue->name, home_of(*queue));
  recovery_.must_happen("alter", [&]() -> Result<void> {
    const auto answer = run_.world->engine().alter_queue(queue->name, changes, MissingQueues::kCreate);
    return answer ? Result<void>() : tl::unexpected(answer.error());
  });
}

void QueueActions::purge() {
  const Subject& queue = run_.any_queue(run_.random.one_in(3));
  const bool done = recovery_.must_happen("purge", [&]() -> Result<void> {
    const Ledger::Places dead = dead_.dead_for_good();
    run_.ledger.purged(queue.name, dead);
    run_.mark(Mark::kPurgedBesideTheDead, !queue.dead_letters && !dead.empty());
    const auto purged = run_.world->engine().purge_queue(queue.name);
    return purged ? Result<void>() : tl::unexpected(purged.error());
  });
  if (!done) throw Violation("nothing can be purged on a full disk");
  const auto info = run_.world->engine().describe_queue(queue.name);
  if (info && info->counts != QueueCounts{}) throw Violation(queue.name + " was purged and is not empty");
}

// Creates a queue, sends it messages, and deletes it with them.
void QueueActions::come_and_go() {
  const Subject queue{.name = "brief", .options = {}};
  const bool made = recovery_.must_happen("create", [&]() -> Result<void> {
    const auto declared = run_.world->engine().create_queue(queue.name);
    return declared ? Result<void>() : tl::unexpected(declared.error());
  });
  if (!made) return;
  const Message message{.body = std::to_string(++run_.bodies)};
  const auto sent = run_.world->engine().send(queue.name, message);
  run_.note("send", queue.name, message.body, sent ? std::string("ok") : to_string(sent.error()));
  sent_.note_sent(queue, message, run_.world->now_at_least(), sent);
  if (!sent && sent.error().code != ErrorCode::kDiskFull) recovery_.recover_from("send", sent.error());
  const bool done = recovery_.must_happen("delete", [&]() -> Result<void> {
    const auto deleted = run_.world->engine().delete_queue(queue.name);
    const bool is_gone = deleted || deleted.error().code == ErrorCode::kQueueNotFound;
    return is_gone ? Result<void>() : deleted;
  });
  if (!done) throw Violation("no queue can be deleted on a full disk");
  run_.ledger.deleted(message.body);
  run_.ledger.synced();
}

}  // namespace holdfast::simulation
