#include "tests/simulation/actions/repeats.h"

#include <utility>

#include "holdfast/limits.h"

namespace holdfast::simulation {

void Repeats::remember(const Subject& queue, const std::vector<Message>& messages, const SendOptions& options,
                       const std::vector<Result<Sent>>& answers) {
  Call call{&queue, messages, options, run_.world->lived(), {}, recovery_.life()};
  for (const Result<Sent>& answer : answers) {
    if (!answer || answer->duplicate) return;
    call.ids.push_back(answer->id);
  }
  last_send_ = std::move(call);
}

// Repeats a send long after its answer, perhaps in another life of the process. What the death of the machine
// has undone is sent anew. What is there is answered as it was, and is there once.
void Repeats::repeat_send() {
  if (!last_send_) return;
  const Call& call = *last_send_;
  if (run_.world->lived() >= call.at + limits::kRequestWindow) return last_send_.reset();
  const auto again = run_.world->engine().send_batch(call.queue->name, call.messages, call.options);
  calls_.check_durability(call.queue->name, call.options, again);
  std::vector<std::string> bodies;
  for (const Message& message : call.messages) bodies.push_back(message.body);
  run_.note("send again", call.queue->name, bodies, again ? std::string("ok") : to_string(again.error()));
  if (again) sent_.note_synced(*again);
  for (std::size_t i = 0; i < call.messages.size(); ++i) {
    const Message& message = call.messages[i];
    const bool is_known = again && (*again)[i] && (*again)[i]->id == call.ids[i];
    run_.mark(Mark::kRepeatedInAnotherLife, is_known && call.life != recovery_.life());
    run_.mark(Mark::kRepeatedAfterStandstill, is_known && call.life != recovery_.life() && call.stood_still);
    if (is_known) continue;
    const bool is_there = run_.ledger.account(message.body).sent == Certainty::kYes;
    if (again && is_there) throw Violation("message " + message.body + " was repeated and is there twice");
    if (is_there) continue;
    sent_.note_sent(*call.queue, message, run_.world->now_at_least() + message.delay.value_or(Duration{0}),
                    again ? (*again)[i] : Result<Sent>(tl::unexpected(again.error())));
    run_.ledger.lost_its_place(message.body);
    if (again && (*again)[i]) last_send_->ids[i] = (*again)[i]->id;
  }
  if (!again && !(run_.full && again.error().code == ErrorCode::kDiskFull))
    recovery_.recover_from("send again", again.error());
}

void Repeats::repeat_redrive(const std::string& queue, const RedriveOptions& options,
                             const Result<Redriven>& first) {
  const auto again = run_.world->engine().redrive(queue, options);
  recovery_.note_answer("redrive again", queue, again, true);
  if (first && again && (again->task != first->task || again->moved != first->moved))
    throw Violation("a redrive was repeated and moved more");
}

void Repeats::check_repeated(const std::vector<Result<void>>& first, const std::vector<Result<void>>& again) {
  bool failed = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool storage = !again[i] && again[i].error().code == ErrorCode::kStorageFailed;
    failed |= storage;
    if (!storage && first[i].has_value() != again[i].has_value())
      throw Violation("repeated, a call is answered " + (again[i] ? "ok" : to_string(again[i].error())));
  }
  if (failed) recovery_.recover();
}

}  // namespace holdfast::simulation
