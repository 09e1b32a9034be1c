// Decides which queues a simulation has.
#include "holdfast/limits.h"
#include "tests/simulation/simulation.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

namespace {

std::string bounds_of(const QueueOptions& options) {
  return "length " + std::to_string(options.limits.max_length) + ", bytes " +
         std::to_string(options.limits.max_bytes) + ", on overflow " +
         std::to_string(static_cast<int>(options.limits.on_overflow));
}

bool is_given_up_to_the_archive(const AutoRedrive& policy) {
  return policy.every > Duration{0} && policy.give_up_after > Duration{0} &&
         policy.on_give_up == OnGiveUp::kArchive;
}

}  // namespace

QueueOptions Simulation::any_options() {
  QueueOptions options;
  options.retry.max_deliveries = static_cast<std::uint32_t>(random_.between(1, 4));
  options.lease = std::chrono::milliseconds(random_.between(50, 5000));
  options.durability = random_.one_in(2) ? Durability::kFsync : Durability::kBuffered;
  if (random_.one_in(3)) options.journal.max_entries = limits::kJournalEntriesMin;  // verify() checks it
  return options;
}

void Simulation::add_semantics(QueueOptions& options) {
  if (random_.one_in(2)) options.grouping.mode = random_.one_in(3) ? Grouping::kFair : Grouping::kOrdered;
  if (random_.one_in(3)) {
    options.deduplication.mode = random_.one_in(2) ? Deduplication::kByContent : Deduplication::kById;
    options.deduplication.window = std::chrono::seconds(random_.between(1, 60));
  }
  if (random_.one_in(8)) {
    random_.one_in(2) ? options.limits.max_length = random_.between(3, 20)
                      : options.limits.max_bytes = random_.between(16, 100);
    options.limits.on_overflow = random_.one_in(2) ? OverflowPolicy::kRejectSend : OverflowPolicy::kDropHead;
  }
  if (random_.one_in(6)) options.limits.max_leased = random_.between(2, 10);
  if (random_.one_in(4)) options.retry.policy = any_retry();
  if (options.grouping.mode == Grouping::kNone && random_.one_in(2)) {
    options.priority.levels = static_cast<std::uint32_t>(random_.between(2, 4));
    if (random_.one_in(2)) options.priority.aging = 1s;
  }
}

RetryPolicy Simulation::any_retry() {
  static const std::vector<RetryPolicy> policies{
      {.kind = RetryKind::kFixed, .base = 300ms},
      {.kind = RetryKind::kExponential, .base = 100ms, .cap = 500ms},
      {.kind = RetryKind::kStages, .stages = {200ms, 0ms, 700ms}},
  };
  RetryPolicy retry = random_.pick(policies);
  if (random_.one_in(2)) retry.jitter = 0.5;
  return retry;
}

bool Simulation::is_bounded(const QueueOptions& options) {
  return options.limits.max_length > 0 || options.limits.max_bytes > 0;
}

std::uint32_t Simulation::fewest_until_death(const QueueOptions& options) {
  return options.retry.budget > Duration{0} ? 1 : options.retry.max_deliveries;
}

void Simulation::tell_home(const Subject& queue) {
  Home home{.max_deliveries = fewest_until_death(queue.options),
            .dead_letters = queue.dead_letters,
            .brakes = queue.options.brake.deaths_per_minute > 0,
            .retry = queue.options.retry.policy,
            .archives = is_given_up_to_the_archive(queue.options.dead_letters.auto_redrive)};
  if (!queue.options.dead_letters.queue.empty())
    home.promised.most_deliveries = std::max(queue.most_deliveries, queue.options.retry.max_deliveries);
  for (const std::string& next :
       {queue.options.dead_letters.queue, queue.options.dead_letters.parking_queue}) {
    if (!next.empty()) home.promised.next.push_back(next);
  }
  for (const DeadLetterRoute& route : queue.options.dead_letters.routes)
    home.promised.next.push_back(route.queue);
  ledger_.declare(queue.name, std::move(home));
}

void Simulation::declare_queues() {
  queues_.push_back({.name = "parked", .options = any_options(), .dead_letters = true});
  const std::uint64_t chain = random_.between(1, 2);
  for (std::uint64_t i = chain; i > 0; --i) {
    Subject queue{.name = "dead" + std::to_string(i), .options = any_options(), .dead_letters = true};
    queue.options.dead_letters.parking_queue = "parked";
    if (random_.one_in(3)) queue.options.retention.replayed = 30s;
    if (random_.one_in(3)) queue.options.retention.abandoned = 1min;
    if (random_.one_in(2)) queue.options.dead_letters.searched_attributes = {"customer"};
    if (i < chain) queue.options.dead_letters.queue = "dead" + std::to_string(i + 1);
    if (random_.one_in(4)) {
      queue.options.dead_letters.auto_redrive = {
          .every = 10s, .max = 5, .backoff = 1s, .backoff_max = 1min, .max_replays = 2};
      if (random_.one_in(2)) queue.options.dead_letters.auto_redrive.give_up_after = 20s;
      if (random_.one_in(2)) queue.options.dead_letters.auto_redrive.on_give_up = OnGiveUp::kArchive;
    }
    queues_.push_back(queue);
  }
  for (std::uint64_t i = random_.between(1, 3); i > 0; --i) {
    Subject queue{.name = "queue" + std::to_string(i), .options = any_options()};
    add_semantics(queue.options);
    if (!random_.one_in(4)) queue.options.dead_letters.queue = "dead1";
    const bool dies = !queue.options.dead_letters.queue.empty();
    queue.options.dead_letters.discard_rejected = !dies && random_.one_in(2);
    if (dies && random_.one_in(4))
      queue.options.dead_letters.routes = {{.category = "c", .queue = "dead" + std::to_string(chain)}};
    if (dies && random_.one_in(5)) queue.options.retry.budget = 2s;
    if (dies && random_.one_in(4)) queue.options.brake = {.deaths_per_minute = 3, .delay = 2s};
    if (dies && is_bounded(queue.options) && random_.one_in(2))
      queue.options.limits.on_overflow = OverflowPolicy::kDeadLetterHead;
    if (!dies || random_.one_in(2)) queue.options.expiry.policy = ExpiryPolicy::kDrop;
    queues_.push_back(queue);
  }
  for (const Subject& queue : queues_) {
    tell_home(queue);
    note("create", queue.name, queue.options, bounds_of(queue.options));
    while (true) {
      const auto declared = world_->engine().create_queue(queue.name, queue.options, MissingQueues::kCreate);
      if (declared) break;
      if (declared.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(declared.error()));
      recover();
    }
  }
  declare_family();
}

const Simulation::Subject& Simulation::any_queue(bool dead_letters) {
  for (;;) {
    const Subject& queue = random_.pick(queues_);
    if (queue.dead_letters == dead_letters) return queue;
  }
}

}  // namespace holdfast::simulation
