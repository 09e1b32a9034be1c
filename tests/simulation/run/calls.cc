#include "tests/simulation/run/calls.h"

#include <algorithm>

#include "engine/base/helpers/batch_result.h"
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

std::string Calls::any_request_id() {
  return run_.random.one_in(3) ? "call " + std::to_string(++calls_) : std::string();
}

bool Calls::calls_back() { return run_.random.one_in(4); }

void Calls::check_durability(Durability asked, Durability said) {
  const std::string wrong = checker::Promises::judge_durability(asked, said);
  if (!wrong.empty()) throw Violation("a call " + wrong);
}

void Calls::check_durability(const std::string& queue, const SendOptions& options,
                             const Sends& answers) const {
  const Subject& subject = *std::ranges::find(run_.queues, queue, &Subject::name);
  const Durability asked = options.durability.value_or(subject.options.durability);
  if (!answers) return;
  for (const Result<Sent>& sent : *answers) {
    if (sent) check_durability(asked, sent->durability);
  }
}

Calls::Sends Calls::call_send(const std::string& queue, const std::vector<Message>& messages,
                              const SendOptions& options) {
  Engine& engine = run_.world->engine();
  auto answers =
      calls_back()
          ? answer_of<Sends>([&](auto done) { engine.async_send_batch(queue, messages, options, done); })
          : engine.send_batch(queue, messages, options);
  check_durability(queue, options, answers);
  return answers;
}

Calls::Outcomes Calls::call_ack(Receipts receipts, const SettleOptions& options) {
  Engine& engine = run_.world->engine();
  if (!calls_back()) return by_entry(engine.ack_batch(receipts, options), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_ack_batch(receipts, options, done); });
}

Calls::Outcomes Calls::call_release(Receipts receipts, const ReleaseOptions& options) {
  Engine& engine = run_.world->engine();
  if (!calls_back()) return by_entry(engine.release_batch(receipts, options), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_release_batch(receipts, options, done); });
}

Calls::Outcomes Calls::call_reject(Receipts receipts, const Rejection& rejection,
                                   const SettleOptions& options) {
  Engine& engine = run_.world->engine();
  if (!calls_back()) return by_entry(engine.reject_batch(receipts, rejection, options), receipts.size());
  return outcomes_of(receipts,
                     [&](auto done) { engine.async_reject_batch(receipts, rejection, options, done); });
}

Calls::Outcomes Calls::call_start(Receipts receipts) {
  Engine& engine = run_.world->engine();
  if (!calls_back()) return by_entry(engine.start_batch(receipts), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_start_batch(receipts, done); });
}

Calls::Outcomes Calls::call_extend(Receipts receipts, Duration lease, const ExtendOptions& options) {
  Engine& engine = run_.world->engine();
  if (!calls_back()) return by_entry(engine.extend_batch(receipts, lease, options), receipts.size());
  return outcomes_of(receipts, [&](auto done) { engine.async_extend_batch(receipts, lease, options, done); });
}

Result<Committed> Calls::call_commit(const Transaction& transaction, const TransactionOptions& options) {
  Engine& engine = run_.world->engine();
  auto committed =
      calls_back()
          ? answer_of<Result<Committed>>([&](auto done) { engine.async_commit(transaction, options, done); })
          : engine.commit(transaction, options);
  if (committed) check_durability(options.durability, committed->durability);
  return committed;
}

Result<Redriven> Calls::call_redrive(const std::string& queue, const RedriveOptions& options) {
  Engine& engine = run_.world->engine();
  if (!calls_back()) return engine.redrive(queue, options);
  return answer_of<Result<Redriven>>([&](auto done) { engine.async_redrive(queue, options, done); });
}

}  // namespace holdfast::simulation
