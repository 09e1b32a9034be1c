#include "tests/simulation/actions/send_actions.h"

#include <optional>
#include <string>
#include <vector>

namespace holdfast::simulation {

void SendActions::send() {
  const Subject& queue = run_.any_queue(false);
  if (queue.options.deduplication.mode == Deduplication::kByContent && run_.random.one_in(4))
    return send_known_body(queue);
  send_to(queue);
}

void SendActions::send_to(const Subject& queue) {
  // All messages share one delay, so that they share rows.
  const std::optional<Duration> delay = run_.random.one_in(4) ? std::optional(run_.any_wait()) : std::nullopt;
  std::vector<Message> messages;
  std::vector<std::string> bodies;
  for (std::uint64_t n = run_.random.between(1, 5); n > 0; --n) {
    messages.push_back(run_.any_message(queue));
    messages.back().delay = delay;
    const auto& ttl = messages.back().time_to_live;
    bodies.push_back(messages.back().body + (ttl ? ", expires after " + format_duration(*ttl) : ""));
  }
  SendOptions options{.request_id = calls_.any_request_id()};
  if (run_.random.one_in(2)) options.durability = Durability::kFsync;
  for (bool again = true, repeated = false; again; repeated = true) {
    const auto answer = calls_.call_send(queue.name, messages, options);
    const Result<void> outcome = answer ? Result<void>() : Result<void>(tl::unexpected(answer.error()));
    run_.note("send", queue.name, bodies, outcome);
    const Timestamp visible_at = run_.world->now_at_least() + delay.value_or(Duration{0});
    for (std::size_t i = 0; i < messages.size(); ++i) {
      sent_.note_sent(queue, messages[i], visible_at,
                      answer ? (*answer)[i] : Result<Sent>(tl::unexpected(answer.error())));
    }
    // A repetition is not checked: it may only be answered, and what its first try sent before a crash stays
    // until the next send.
    if (answer && !repeated) sent_.check_bounds(queue, messages, *answer);
    if (answer) sent_.note_synced(*answer);
    if (answer && !options.request_id.empty()) repeats_.remember(queue, messages, options, *answer);
    recovery_.recover_if(outcome);
    again = !answer && answer.error().code == ErrorCode::kStorageFailed && !options.request_id.empty();
  }
}

// Sends a body again that surely is a duplicate: the ledger names messages by their bodies, so another
// message with the body would confuse it.
void SendActions::send_known_body(const Subject& queue) {
  const std::vector<std::string> bodies = sent_.known_bodies(queue);
  if (bodies.empty()) return send_to(queue);
  const std::vector<Message> messages{{.body = run_.random.pick(bodies)}};
  const auto answers = calls_.call_send(queue.name, messages, {});
  const Result<Sent> answer = answers ? (*answers)[0] : Result<Sent>(tl::unexpected(answers.error()));
  run_.note("send a known body", queue.name, messages[0].body, answer);
  if (!answer) {
    const bool refused = (run_.full && answer.error().code == ErrorCode::kDiskFull) ||
                         (is_bounded(queue.options) && answer.error().code == ErrorCode::kQueueFull);
    return refused ? void() : recovery_.recover_from("send a known body", answer.error());
  }
  sent_.note_synced(*answers);
  sent_.note_named(queue, messages[0], SentMessages::kNamedByBody + messages[0].body, answer);
  run_.mark(Mark::kKnownBody);
}

}  // namespace holdfast::simulation
