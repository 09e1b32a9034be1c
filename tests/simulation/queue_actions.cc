// What happens to whole queues in a simulation, and looks at what is there, one step at a time.
#include <algorithm>
#include <utility>
#include <vector>

#include "engine/engine/engine_inside.h"
#include "holdfast/limits.h"
#include "tests/simulation/simulation.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

// These calls change nothing, and what they show is there.
void Simulation::look() {
  const Subject& queue = any_queue(random_.one_in(2));
  Engine& engine = world_->engine();
  note("look", queue.name);
  for (const bool scheduled : {false, true}) {
    const auto page =
        engine.peek(queue.name, {.max = limits::kListPage, .bodies = true, .scheduled = scheduled});
    if (!page) return recover_from("peek", page.error());
    for (const PeekedMessage& message : page->items)
      ledger_.shown(queue.name, {message.body, message.id, message.replays, message.attributes});
    if (page->items.empty()) continue;
    if (auto steps = engine.message_history(random_.pick(page->items).id); !steps)
      return recover_from("message_history", steps.error());
  }
  check_leased();
  const auto info = engine.describe_queue(queue.name);
  if (!info) return recover_from("describe", info.error());
  const auto groups = engine.group_dead_letters(queue.name);
  if (!groups) return recover_from("group", groups.error());
  std::uint64_t dead = 0;
  for (const DeadLetterGroup& group : groups->groups) dead += group.count;
  if (dead != info->counts.dead)
    throw Violation(queue.name + ": its groups have " + std::to_string(dead) + " dead letters, its counts " +
                    std::to_string(info->counts.dead) + ", total " + std::to_string(groups->total));
  if (auto seen = engine.dead_letter_statistics(queue.name); !seen)
    return recover_from("statistics", seen.error());
  if (auto seen = engine.queue_statistics(queue.name); !seen) return recover_from("statistics", seen.error());
  if (auto seen = engine.statistics(); !seen) return recover_from("statistics", seen.error());
}

void Simulation::check_leased() {
  const std::vector<Receipt> receipts(receipts_.begin(), receipts_.end());
  const auto leased = EngineInside::leased(world_->engine(), receipts);
  if (!leased) return recover_from("leased", leased.error());
  for (const Receipt& receipt : receipts) {
    const bool shown = std::ranges::find(*leased, receipt) != leased->end();
    const bool wrong = shown ? !ledger_.may_hold(receipt) : ledger_.surely_holds(receipt, world_->now());
    if (wrong)
      throw Violation("message " + *ledger_.body_of(receipt) + ": a receipt of it is shown as " +
                      (shown ? "valid" : "over"));
  }
}

// While a queue is paused, nothing comes in or goes out, not even after a restart.
void Simulation::pause() {
  const Subject& queue = any_queue(false);
  const Pause all{.deliveries = true, .sends = true};
  if (!must_happen("pause", [&] { return world_->engine().pause_queue(queue.name, all); })) return;
  if (random_.one_in(3)) reopen();
  const auto sent = world_->engine().send(queue.name, {.body = "paused"});
  if (sent || (sent.error().code != ErrorCode::kQueuePaused && sent.error().code != ErrorCode::kDiskFull))
    throw Violation("a paused queue answers a send with " + (sent ? "ok" : to_string(sent.error())));
  const auto received = world_->engine().receive(queue.name);
  if (!received) {
    recover_from("receive", received.error());
  } else if (!received->empty()) {
    throw Violation("a paused queue hands out a message");
  }
  if (!must_happen("resume", [&] { return world_->engine().resume_queue(queue.name, all); }))
    throw Violation("a paused queue stays paused on a full disk");
}

void Simulation::alter() {
  auto queue = std::ranges::find(queues_, any_queue(random_.one_in(3)).name, &Subject::name);
  if (random_.one_in(6)) return purge();
  const QueueChanges changes{.lease = std::chrono::milliseconds(random_.between(50, 5000)),
                             .retry = {.max_deliveries = static_cast<std::uint32_t>(random_.between(1, 4))}};
  // A message may have died by the old limit or by the new one.
  queue->most_deliveries =
      std::max({queue->most_deliveries, queue->options.retry.max_deliveries, *changes.retry.max_deliveries});
  queue->options.retry.max_deliveries =
      std::min(queue->options.retry.max_deliveries, *changes.retry.max_deliveries);
  tell_home(*queue);
  must_happen("alter", [&]() -> Result<void> {
    const auto answer = world_->engine().alter_queue(queue->name, changes, MissingQueues::kCreate);
    return answer ? Result<void>() : tl::unexpected(answer.error());
  });
}

Ledger::Places Simulation::dead_for_good() {
  const auto tasks = redrive_tasks();
  if (!tasks) return {};
  Ledger::Places places;
  for (const Subject& queue : queues_) {
    const auto drains = [&](const TaskStatus& task) {
      return task.queue == queue.name && task.state == TaskState::kRunning;
    };
    const bool stay = queue.dead_letters && queue.options.dead_letters.auto_redrive.every == Duration{0} &&
                      std::ranges::none_of(*tasks, drains);
    if (!stay) continue;
    const auto letters = dead_letters(queue.name, limits::kListPage);
    if (!letters) return {};
    for (const DeadLetter& letter : *letters) places.emplace(letter.body, queue.name);
  }
  return places;
}

void Simulation::purge() {
  const Subject& queue = any_queue(random_.one_in(3));
  const bool done = must_happen("purge", [&]() -> Result<void> {
    const Ledger::Places dead = dead_for_good();
    ledger_.purged(queue.name, dead);
    mark(Mark::kPurgedBesideTheDead, !queue.dead_letters && !dead.empty());
    const auto purged = world_->engine().purge_queue(queue.name);
    return purged ? Result<void>() : tl::unexpected(purged.error());
  });
  if (!done) throw Violation("nothing can be purged on a full disk");
  const auto info = world_->engine().describe_queue(queue.name);
  if (info && info->counts != QueueCounts{}) throw Violation(queue.name + " was purged and is not empty");
}

// Creates a queue, sends it messages, and deletes it with them.
void Simulation::come_and_go() {
  const Subject queue{.name = "brief", .options = {}};
  const bool made = must_happen("create", [&]() -> Result<void> {
    const auto declared = world_->engine().create_queue(queue.name);
    return declared ? Result<void>() : tl::unexpected(declared.error());
  });
  if (!made) return;
  const Message message{.body = std::to_string(++bodies_)};
  const auto sent = world_->engine().send(queue.name, message);
  note("send", queue.name, message.body, sent ? std::string("ok") : to_string(sent.error()));
  note_sent(queue, message, world_->now_at_least(), sent);
  if (!sent && sent.error().code != ErrorCode::kDiskFull) recover_from("send", sent.error());
  const bool done = must_happen("delete", [&]() -> Result<void> {
    const auto deleted = world_->engine().delete_queue(queue.name);
    const bool is_gone = deleted || deleted.error().code == ErrorCode::kQueueNotFound;
    return is_gone ? Result<void>() : deleted;
  });
  if (!done) throw Violation("no queue can be deleted on a full disk");
  ledger_.deleted(message.body);
  ledger_.synced();
}

}  // namespace holdfast::simulation
