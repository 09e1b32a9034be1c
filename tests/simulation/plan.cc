#include "tests/simulation/plan.h"

#include <algorithm>
#include <string>

#include "holdfast/limits.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

namespace {

std::string bounds_of(const QueueOptions& options) {
  return "length " + std::to_string(options.limits.max_length) + ", bytes " +
         std::to_string(options.limits.max_bytes) + ", on overflow " +
         std::to_string(static_cast<int>(options.limits.on_overflow));
}

QueueOptions any_options(testing::Random& random) {
  QueueOptions options;
  options.retry.max_deliveries = static_cast<std::uint32_t>(random.between(1, 4));
  options.lease = std::chrono::milliseconds(random.between(50, 5000));
  options.durability = random.one_in(2) ? Durability::kFsync : Durability::kBuffered;
  if (random.one_in(3)) options.journal.max_entries = limits::kJournalEntriesMin;  // verify() checks it
  return options;
}

RetryPolicy any_retry(testing::Random& random) {
  static const std::vector<RetryPolicy> policies{
      {.kind = RetryKind::kFixed, .base = 300ms},
      {.kind = RetryKind::kExponential, .base = 100ms, .cap = 500ms},
      {.kind = RetryKind::kStages, .stages = {200ms, 0ms, 700ms}},
  };
  RetryPolicy retry = random.pick(policies);
  if (random.one_in(2)) retry.jitter = 0.5;
  return retry;
}

void add_semantics(testing::Random& random, QueueOptions& options) {
  if (random.one_in(2)) options.grouping.mode = random.one_in(3) ? Grouping::kFair : Grouping::kOrdered;
  if (random.one_in(3)) {
    options.deduplication.mode = random.one_in(2) ? Deduplication::kByContent : Deduplication::kById;
    options.deduplication.window = std::chrono::seconds(random.between(1, 60));
  }
  if (random.one_in(8)) {
    random.one_in(2) ? options.limits.max_length = random.between(3, 20)
                     : options.limits.max_bytes = random.between(16, 100);
    options.limits.on_overflow = random.one_in(2) ? OverflowPolicy::kRejectSend : OverflowPolicy::kDropHead;
  }
  if (random.one_in(6)) options.limits.max_leased = random.between(2, 10);
  if (random.one_in(4)) options.retry.policy = any_retry(random);
  if (options.grouping.mode == Grouping::kNone && random.one_in(2)) {
    options.priority.levels = static_cast<std::uint32_t>(random.between(2, 4));
    if (random.one_in(2)) options.priority.aging = 1s;
  }
}

}  // namespace

void declare_queues(Run& run, Recovery& recovery) {
  run.queues.push_back({.name = "parked", .options = any_options(run.random), .dead_letters = true});
  const std::uint64_t chain = run.random.between(1, 2);
  for (std::uint64_t i = chain; i > 0; --i) {
    Subject queue{
        .name = "dead" + std::to_string(i), .options = any_options(run.random), .dead_letters = true};
    queue.options.dead_letters.parking_queue = "parked";
    if (run.random.one_in(3)) queue.options.retention.replayed = 30s;
    if (run.random.one_in(3)) queue.options.retention.abandoned = 1min;
    if (run.random.one_in(2)) queue.options.dead_letters.searched_attributes = {"customer"};
    if (i < chain) queue.options.dead_letters.queue = "dead" + std::to_string(i + 1);
    if (run.random.one_in(4)) {
      queue.options.dead_letters.auto_redrive = {
          .every = 10s, .max = 5, .backoff = 1s, .backoff_max = 1min, .max_replays = 2};
      if (run.random.one_in(2)) queue.options.dead_letters.auto_redrive.give_up_after = 20s;
      if (run.random.one_in(2)) queue.options.dead_letters.auto_redrive.on_give_up = OnGiveUp::kArchive;
    }
    run.queues.push_back(queue);
  }
  for (std::uint64_t i = run.random.between(1, 3); i > 0; --i) {
    Subject queue{.name = "queue" + std::to_string(i), .options = any_options(run.random)};
    add_semantics(run.random, queue.options);
    if (!run.random.one_in(4)) queue.options.dead_letters.queue = "dead1";
    const bool dies = !queue.options.dead_letters.queue.empty();
    queue.options.dead_letters.discard_rejected = !dies && run.random.one_in(2);
    if (dies && run.random.one_in(4))
      queue.options.dead_letters.routes = {{.category = "c", .queue = "dead" + std::to_string(chain)}};
    if (dies && run.random.one_in(5)) queue.options.retry.budget = 2s;
    if (dies && run.random.one_in(4)) queue.options.brake = {.deaths_per_minute = 3, .delay = 2s};
    if (dies && is_bounded(queue.options) && run.random.one_in(2))
      queue.options.limits.on_overflow = OverflowPolicy::kDeadLetterHead;
    if (!dies || run.random.one_in(2)) queue.options.expiry.policy = ExpiryPolicy::kDrop;
    run.queues.push_back(queue);
  }
  for (const Subject& queue : run.queues) {
    run.ledger.declare(queue.name, home_of(queue));
    run.note("create", queue.name, queue.options, bounds_of(queue.options));
    while (true) {
      const auto declared =
          run.world->engine().create_queue(queue.name, queue.options, MissingQueues::kCreate);
      if (declared) break;
      if (declared.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(declared.error()));
      recovery.recover();
    }
  }
}

}  // namespace holdfast::simulation
