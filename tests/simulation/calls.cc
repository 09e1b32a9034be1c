// Verbs that a simulation sometimes calls with a callback.
#include <algorithm>

#include "engine/base/helpers/batch_result.h"
#include "tests/simulation/simulation.h"
#include "tests/support/answer.h"

namespace holdfast::simulation {
namespace {

template <class T, class Start>
T answer_of(const Start& start) {
  testing::Answer<T> answer;
  start(answer.callback());
  return answer.get();
}

// An error of the whole call becomes the error of each entry, as the ledger wants it.
template <class Start>
std::vector<Result<void>> outcomes_of(std::span<const Receipt> receipts, const Start& start) {
  return by_entry(answer_of<BatchResult<void>>(start), receipts.size());
}

}  // namespace

bool Simulation::calls_back() { return random_.one_in(4); }

void Simulation::check_durability(Durability asked, Durability said) {
  const std::string wrong = checker::Promises::judge_durability(asked, said);
  if (!wrong.empty()) throw Violation("a call " + wrong);
}

void Simulation::check_durability(const std::string& queue, const SendOptions& options,
                                  const Sends& answers) const {
  const Subject& subject = *std::ranges::find(queues_, queue, &Subject::name);
  const Durability asked = options.durability.value_or(subject.options.durability);
  if (!answers) return;
  for (const Result<Sent>& sent : *answers) {
    if (sent) check_durability(asked, sent->durability);
  }
}

Simulation::Sends Simulation::call_send(const std::string& queue, const std::vector<Message>& messages,
                                        const SendOptions& options) {
  Engine& engine = world_->engine();
  auto answers =
      calls_back()
          ? answer_of<Sends>([&](auto done) { engine.async_send_batch(queue, messages, options, done); })
          : engine.send_batch(queue, messages, options);
  check_durability(queue, options, answers);
  return answers;
}

Simulation::Outcomes Simulation::call_ack(Receipts receipts, const SettleOptions& options) {
  Engine& engine = world_->engine();
  if (!calls_back()) return by_entry(engine.ack_batch(receipts, options), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_ack_batch(receipts, options, done); });
}

Simulation::Outcomes Simulation::call_release(Receipts receipts, const ReleaseOptions& options) {
  Engine& engine = world_->engine();
  if (!calls_back()) return by_entry(engine.release_batch(receipts, options), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_release_batch(receipts, options, done); });
}

Simulation::Outcomes Simulation::call_reject(Receipts receipts, const Rejection& rejection,
                                             const SettleOptions& options) {
  Engine& engine = world_->engine();
  if (!calls_back()) return by_entry(engine.reject_batch(receipts, rejection, options), receipts.size());
  return outcomes_of(receipts,
                     [&](auto done) { engine.async_reject_batch(receipts, rejection, options, done); });
}

Simulation::Outcomes Simulation::call_start(Receipts receipts) {
  Engine& engine = world_->engine();
  if (!calls_back()) return by_entry(engine.start_batch(receipts), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_start_batch(receipts, done); });
}

Simulation::Outcomes Simulation::call_extend(Receipts receipts, Duration lease,
                                             const ExtendOptions& options) {
  Engine& engine = world_->engine();
  if (!calls_back()) return by_entry(engine.extend_batch(receipts, lease, options), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_extend_batch(receipts, lease, options, done); });
}

Result<Committed> Simulation::call_commit(const Transaction& transaction, const TransactionOptions& options) {
  Engine& engine = world_->engine();
  auto committed =
      calls_back()
          ? answer_of<Result<Committed>>([&](auto done) { engine.async_commit(transaction, options, done); })
          : engine.commit(transaction, options);
  if (committed) check_durability(options.durability, committed->durability);
  return committed;
}

Result<Redriven> Simulation::call_redrive(const std::string& queue, const RedriveOptions& options) {
  Engine& engine = world_->engine();
  if (!calls_back()) return engine.redrive(queue, options);
  return answer_of<Result<Redriven>>([&](auto done) { engine.async_redrive(queue, options, done); });
}

}  // namespace holdfast::simulation
