// Checks what must hold after every step, and at the end.
#include "holdfast/limits.h"
#include "tests/simulation/simulation.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kStepsPerVerify = 25;

}  // namespace

Simulation::Simulation(std::uint64_t seed, const MakeWorld& make_world, bool breaks)
    : seed_(seed), random_(seed), world_(make_world(random_.below(UINT64_MAX))), breaks_(breaks) {
  declare_queues();
}

void Simulation::run(const Steps& steps) {
  work(steps);
  drain();
}

void Simulation::work(const Steps& steps) {
  for (const std::uint64_t number : steps) {
    step(number);
    audit();
  }
}

std::vector<QueueInfo> Simulation::queue_infos() {
  for (;;) {
    auto infos = world_->engine().list_queues();
    if (infos) return std::move(*infos);
    // Something that was due met a failing write.
    if (infos.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(infos.error()));
    recover();
  }
}

void Simulation::audit() {
  std::uint64_t live = 0;
  for (const QueueInfo& info : queue_infos()) {
    const QueueCounts& counts = info.counts;
    const std::uint64_t here = counts.ready + counts.waiting + counts.leased;
    if (counts.dead > here) throw Violation("queue " + info.name + " has more dead letters than messages");
    if (info.options.limits.max_leased > 0 && counts.leased > info.options.limits.max_leased)
      throw Violation("queue " + info.name + " has more leases than it may");
    live += here;
  }
  const Ledger::Bounds bounds = ledger_.live();
  if (live < bounds.least || live > bounds.most) {
    throw Violation("the queues count " + std::to_string(live) + " messages, there are " +
                    std::to_string(bounds.least) + ".." + std::to_string(bounds.most));
  }
  if (step_ % kStepsPerVerify == 0) verify();
}

void Simulation::verify() {
  world_->mend();
  auto report = world_->engine().verify();
  // What cannot be read is rightly a finding. So the directory is judged once everything can be read.
  if (report && !report->sound() && world_->mend()) report = world_->engine().verify();
  if (!report) return recover_from("verify", report.error());
  check_row();
  (void)redrive_tasks();
  if (!report->sound())
    throw Violation("verify: " + report->findings.front().where + ": " + report->findings.front().what);
}

void Simulation::drain() {
  begin(step_ + 1);
  note("drain");
  world_->set_full(false);
  // A new process shows what is wrong only in the memory of the old one.
  if (random_.one_in(2)) reopen();
  verify();
  do {
    // The first hour is longer than any lease and delay. The second is longer than the waits of messages
    // whose leases ran out.
    for (int i = 0; i < 2; ++i) {
      world_->advance(1h);
      run_until_quiet();
    }
  } while (drain_queues());
  for (const DeadLetter& letter : world_->archive()) {
    mark(Mark::kArchived);
    if (!letter.history) ledger_.archived(letter.body, letter.attributes);
  }
  ledger_.all_found();
  for (const QueueInfo& info : queue_infos()) {
    if (info.counts != QueueCounts{}) throw Violation("queue " + info.name + " is empty, but counts some");
  }
}

void Simulation::run_until_quiet() {
  constexpr int kManyRounds = 10'000;
  for (int rounds = 0; world_->engine().run_due() <= world_->wall(); ++rounds) {
    if (!world_->engine().health().writes) recover();
    if (rounds == kManyRounds) throw Violation("what is due is never done");
  }
}

bool Simulation::drain_queues() {
  bool any = false;
  for (const Subject& queue : queues_) {
    for (bool more = true; more; any |= more) {
      const auto deliveries = world_->engine().receive(queue.name, {.max = 100});
      if (!deliveries) {
        ledger_.may_be_leased(queue.name, world_->now());
        recover_from("receive", deliveries.error());
        continue;
      }
      more = !deliveries->empty();
      take_in(queue, *deliveries, true);
      for (const Delivery& delivery : *deliveries) take_out(delivery);
    }
  }
  return any;
}

void Simulation::take_out(const Delivery& delivery) {
  const Result<void> acked = world_->engine().ack(delivery.receipt, {.durability = Durability::kFsync});
  ledger_.settled(delivery.receipt, Settling::kAck, acked, world_->now());
  if (acked) ledger_.found(std::string(delivery.body));
  recover_if(acked);
}

}  // namespace holdfast::simulation
