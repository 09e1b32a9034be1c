#include "tests/simulation/audit.h"

#include "holdfast/limits.h"

namespace holdfast::simulation {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t kStepsPerVerify = 25;

}  // namespace

void Audit::audit() {
  std::uint64_t live = 0;
  for (const QueueInfo& info : queue_infos()) {
    const QueueCounts& counts = info.counts;
    const std::uint64_t here = counts.ready + counts.waiting + counts.leased;
    if (counts.dead > here) throw Violation("queue " + info.name + " has more dead letters than messages");
    if (info.options.limits.max_leased > 0 && counts.leased > info.options.limits.max_leased)
      throw Violation("queue " + info.name + " has more leases than it may");
    live += here;
  }
  const Ledger::Bounds bounds = run_.ledger.live();
  if (live < bounds.least || live > bounds.most) {
    throw Violation("the queues count " + std::to_string(live) + " messages, there are " +
                    std::to_string(bounds.least) + ".." + std::to_string(bounds.most));
  }
  if (run_.step % kStepsPerVerify == 0) verify();
}

std::vector<QueueInfo> Audit::queue_infos() {
  for (;;) {
    auto infos = run_.world->engine().list_queues();
    if (infos) return std::move(*infos);
    // Something that was due met a failing write.
    if (infos.error().code != ErrorCode::kStorageFailed) throw Violation(to_string(infos.error()));
    recovery_.recover();
  }
}

void Audit::verify() {
  run_.world->mend();
  auto report = run_.world->engine().verify();
  // What cannot be read is rightly a finding. So the directory is judged once everything can be read.
  if (report && !report->sound() && run_.world->mend()) report = run_.world->engine().verify();
  if (!report) return recovery_.recover_from("verify", report.error());
  transactions_.check_row();
  (void)dead_.redrive_tasks();
  if (!report->sound())
    throw Violation("verify: " + report->findings.front().where + ": " + report->findings.front().what);
}

void Audit::drain() {
  run_.begin(run_.step + 1);
  run_.note("drain");
  run_.world->set_full(false);
  // A new process shows what is wrong only in the memory of the old one.
  if (run_.random.one_in(2)) recovery_.reopen();
  verify();
  do {
    // The first hour is longer than any lease and delay. The second is longer than the waits of messages
    // whose leases ran out.
    for (int i = 0; i < 2; ++i) {
      run_.world->advance(1h);
      run_until_quiet();
    }
  } while (drain_queues());
  for (const DeadLetter& letter : run_.world->archive()) {
    run_.mark(Mark::kArchived);
    if (!letter.history) run_.ledger.archived(letter.body, letter.attributes);
  }
  run_.ledger.all_found();
  for (const QueueInfo& info : queue_infos()) {
    if (info.counts != QueueCounts{}) throw Violation("queue " + info.name + " is empty, but counts some");
  }
}

void Audit::run_until_quiet() {
  constexpr int kManyRounds = 10'000;
  for (int rounds = 0; run_.world->engine().run_due() <= run_.world->wall(); ++rounds) {
    if (!run_.world->engine().health().writes) recovery_.recover();
    if (rounds == kManyRounds) throw Violation("what is due is never done");
  }
}

bool Audit::drain_queues() {
  bool any = false;
  for (const Subject& queue : run_.queues) {
    for (bool more = true; more; any |= more) {
      const auto deliveries = run_.world->engine().receive(queue.name, {.max = 100});
      if (!deliveries) {
        run_.ledger.may_be_leased(queue.name, run_.world->now());
        recovery_.recover_from("receive", deliveries.error());
        continue;
      }
      more = !deliveries->empty();
      deliveries_.take_in(queue, *deliveries, true);
      for (const Delivery& delivery : *deliveries) take_out(delivery);
    }
  }
  return any;
}

void Audit::take_out(const Delivery& delivery) {
  const Result<void> acked = run_.world->engine().ack(delivery.receipt, {.durability = Durability::kFsync});
  run_.ledger.settled(delivery.receipt, Settling::kAck, acked, run_.world->now());
  if (acked) run_.ledger.found(std::string(delivery.body));
  recovery_.recover_if(acked);
}

}  // namespace holdfast::simulation
