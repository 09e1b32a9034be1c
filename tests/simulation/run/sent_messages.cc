#include "tests/simulation/run/sent_messages.h"

#include <algorithm>

#include "tests/support/result_matchers.h"

namespace holdfast::simulation {
namespace {

std::size_t bytes_of(const Message& message) {
  std::size_t bytes = message.body.size();
  for (const Attribute& attribute : message.attributes)
    bytes += attribute.name.size() + attribute.value.size();
  return bytes;
}

}  // namespace

void SentMessages::note_synced(const std::vector<Result<Sent>>& answers) {
  const auto sent = std::ranges::find_if(answers, &Result<Sent>::has_value);
  if (sent != answers.end() && (*sent)->durability == Durability::kFsync) run_.ledger.synced();
}

void SentMessages::note_sent(const Subject& queue, const Message& message, Timestamp visible_at,
                             const Result<Sent>& answer) {
  if (!answer) {
    run_.mark(Mark::kDiskFull, answer.error().code == ErrorCode::kDiskFull);
    run_.mark(Mark::kQueueFull, answer.error().code == ErrorCode::kQueueFull);
    if (answer.error().code == ErrorCode::kDiskFull && run_.full) return;
    if (answer.error().code == ErrorCode::kQueueFull && is_bounded(queue.options)) return;
    if (answer.error().code != ErrorCode::kStorageFailed)
      throw Violation("send: " + to_string(answer.error()));
  }
  const auto name = name_of(queue, message);
  if (name) note_named(queue, message, *name, answer);
  if (!answer) return run_.ledger.sent(message.body, new_account(queue, message, visible_at), false);
  if (answer->duplicate && !name) throw Violation("message " + message.body + " is no duplicate");
  if (!answer->duplicate) note_there(queue, message, visible_at, answer->id);
}

// Checks that accepted messages had room, and refused ones had none. Waiting messages may be exhausted
// of the log, and take no room then. To make room, the queue may have to read a message first. As long as the
// message cannot be read, the queue has one too many.
void SentMessages::check_bounds(const Subject& queue, const std::vector<Message>& messages,
                                const std::vector<Result<Sent>>& answers) {
  const QueueOptions& options = queue.options;
  if (!is_bounded(options)) return;
  const auto info = run_.world->engine().describe_queue(queue.name);
  if (!info) return recovery_.recover_from("describe", info.error());
  const QueueCounts& counts = info->counts;
  const bool too_long =
      options.limits.max_length > 0 && counts.ready + counts.leased > options.limits.max_length;
  const bool too_large =
      options.limits.max_bytes > 0 && counts.waiting == 0 && info->bytes > options.limits.max_bytes;
  const auto has_room = [&](const Message& message) {
    return (options.limits.max_length == 0 ||
            counts.ready + counts.waiting + counts.leased < options.limits.max_length) &&
           (options.limits.max_bytes == 0 || info->bytes + bytes_of(message) <= options.limits.max_bytes);
  };
  for (std::size_t i = 0; i < messages.size(); ++i) {
    const bool is_new = answers[i] && !answers[i]->duplicate;
    const bool refused = !answers[i] && answers[i].error().code == ErrorCode::kQueueFull;
    if (is_new && (too_long || too_large) && !run_.world->mend())
      throw Violation("message " + messages[i].body + " is one too many in " + queue.name);
    if (refused && has_room(messages[i]))
      throw Violation("message " + messages[i].body + " was refused, and there is room in " + queue.name);
  }
}

void SentMessages::note_named(const Subject& queue, const Message& message, const std::string& name,
                              const Result<Sent>& answer) {
  const std::pair key(queue.name, name);
  const Duration window = queue.options.deduplication.window;
  const bool is_new = !answer || !answer->duplicate;
  const auto known = known_ids_.find(key);
  const bool must_be_known = known != known_ids_.end() && run_.world->now() < known->second.first + window;
  run_.mark(Mark::kDuplicate, !is_new);
  if (answer && must_be_known && (is_new || answer->id != known->second.second))
    throw Violation("message " + message.body + " was sent before and is there again");
  const auto tried = tried_ids_.find(key);
  const bool may_be_known = tried != tried_ids_.end() && run_.world->now_at_least() < tried->second + window;
  if (!is_new && !may_be_known)
    throw Violation("message " + message.body + " is called a duplicate, and nothing like it was sent");
  if (is_new) tried_ids_[key] = run_.world->now();
  if (answer && is_new && answer->durability == Durability::kFsync)
    known_ids_[key] = {run_.world->now_at_least(), answer->id};
}

void SentMessages::note_there(const Subject& queue, const Message& message, Timestamp visible_at,
                              const std::optional<MessageId>& id) {
  Account account = new_account(queue, message, visible_at);
  account.id = id;
  run_.ledger.sent(message.body, std::move(account), true);
  if (queue.options.grouping.mode == Grouping::kOrdered && !message.delay)
    run_.turns.lined_up(queue.name, message.group, message.body);
}

std::optional<std::string> SentMessages::name_of(const Subject& queue, const Message& message) {
  if (queue.options.deduplication.mode == Deduplication::kNone) return std::nullopt;
  if (!message.deduplication_id.empty()) return message.deduplication_id;
  if (queue.options.deduplication.mode == Deduplication::kById) return std::nullopt;
  return kNamedByBody + message.body;
}

std::vector<std::string> SentMessages::known_bodies(const Subject& queue) const {
  std::vector<std::string> bodies;
  for (const auto& [key, first] : known_ids_) {
    const bool known = key.first == queue.name && key.second.starts_with(kNamedByBody) &&
                       run_.world->now() < first.first + queue.options.deduplication.window;
    if (known) bodies.push_back(key.second.substr(std::string_view(kNamedByBody).size()));
  }
  return bodies;
}

bool SentMessages::may_leave(const QueueOptions& options, const Message& message) {
  return message.time_to_live || is_bounded(options);
}

bool SentMessages::may_be_dropped(const QueueOptions& options, const Message& message) {
  return (message.time_to_live && options.expiry.policy == ExpiryPolicy::kDrop) ||
         (is_bounded(options) && options.limits.on_overflow == OverflowPolicy::kDropHead);
}

Account SentMessages::new_account(const Subject& queue, const Message& message, Timestamp visible_at) const {
  Account account;
  account.queue = queue.name;
  account.visible_at = visible_at;
  account.group = message.group;
  account.priority = message.priority;
  account.prompt = !message.delay.has_value();
  account.fleeting = may_be_dropped(queue.options, message);
  if (message.time_to_live)
    account.expires_at =
        visible_at + (run_.world->now() - run_.world->now_at_least()) + *message.time_to_live;
  if (may_leave(queue.options, message)) {
    account.prompt = false;
    account.moved = account.restless = true;
  }
  return account;
}

}  // namespace holdfast::simulation
