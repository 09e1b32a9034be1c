// Reads the log.
#include <algorithm>
#include <stdexcept>

#include "tests/crash/oracle.h"
#include "tests/crash/queues.h"

namespace holdfast::testing {

using checker::Certainty;

void Oracle::read(const LogLine& line) {
  ++line_;
  if (!line.settled) {
    begin(line.op, line.words);
    pending_[line.op] = {line.words, line_};
    return;
  }
  const auto started = pending_.extract(line.op);
  if (started.empty()) throw std::runtime_error("operation settled that was not pending");
  settle(started.mapped(), line.op, line.words);
}

void Oracle::begin(std::uint64_t op, const Words& words) {
  const std::string& verb = words.at(0);
  if (verb == "redrive") ++redrives_;
  if (verb == "send") send_begins(words.at(1), words.at(2));
  if (verb == "receive" || verb == "redrive" || verb == "send") return;
  Deeds& deeds = deeds_of(words);
  if (verb == "ack" || verb == "transfer") ack_begins(messages_.at(words.at(2)));
  if (verb == "transfer") send_begins(words.at(4), words.at(5));
  if (verb == "spare") ++deeds.spares_tried;
  if (verb == "reject") deeds.rejects_tried.push_back(op);
  if (verb == "release") deeds.releases_tried.push_back(op);
}

void Oracle::settle(const Operation& operation, std::uint64_t op, const Words& answer) {
  const Words& started = operation.words;
  const std::string& verb = started.at(0);
  const bool done = answer.at(0) == "ok";
  if (verb == "send") {
    settle_send(started, answer);
  } else if (verb == "receive") {
    if (done) received(operation, answer);
  } else if (verb == "transfer") {
    settle_transfer(started, answer);
  } else if (verb == "ack") {
    ack_ends(started.at(2), done);
  } else if (verb == "spare") {
    Deeds& deeds = deeds_of(started);
    done ? ++deeds.spares_done : --deeds.spares_tried;
  } else if (verb == "reject" && done) {
    deeds_of(started).reject_done = op;
    const Life life = life_of(started);
    reach(messages_.at(started.at(2)), {crash_queue(life.queue).options.dead_letters.queue, life.replays});
  } else if (verb == "reject") {
    std::erase(deeds_of(started).rejects_tried, op);
  }
}

Oracle::Life Oracle::life_of(const Words& words) {
  return {words.at(1), static_cast<std::uint32_t>(std::stoul(words.at(3)))};
}

Oracle::Deeds& Oracle::deeds_of(const Words& words) {
  return messages_.at(words.at(2)).lives[life_of(words)];
}

void Oracle::settle_send(const Words& started, const Words& answer) {
  const std::string& key = started.at(2);
  if (answer.at(0) != "ok") {
    messages_.erase(key);
    return;
  }
  send_succeeds(key, *MessageId::parse(answer.at(1)));
  check_durability(key, started.at(3), answer.at(2));
}

void Oracle::settle_transfer(const Words& started, const Words& answer) {
  const std::string& key = started.at(5);
  const bool done = answer.at(0) == "ok";
  ack_ends(started.at(2), done);
  if (!done) {
    messages_.erase(key);
    return;
  }
  send_succeeds(key, *MessageId::parse(answer.at(1)));
  check_durability(key, started.at(6), answer.at(2));
  transfers_.emplace(key, started.at(2));
}

void Oracle::send_begins(const std::string& queue, const std::string& key) {
  Tracked& message = messages_[key];
  message.sent = Certainty::kMaybe;
  message.source = message.queue = queue;
}

void Oracle::send_succeeds(const std::string& key, const std::optional<MessageId>& id) {
  Tracked& message = messages_.at(key);
  message.sent = Certainty::kYes;
  if (id) message.id = id;
}

void Oracle::check_durability(const std::string& key, const std::string& asked, const std::string& said) {
  const std::string why = checker::Promises::judge_durability(durability_of(asked), durability_of(said));
  if (!why.empty()) wrong_.push_back(std::string(key).append(" ").append(why));
}

void Oracle::ack_begins(Tracked& message) {
  ++message.acks_pending;
  if (message.gone == Certainty::kNo) message.gone = Certainty::kMaybe;
}

// Only one delivery can be acknowledged: then all other deliveries are over.
void Oracle::ack_ends(const std::string& key, bool done) {
  Tracked& message = messages_.at(key);
  --message.acks_pending;
  if (done && message.acked) wrong_.push_back(key + " was acknowledged twice");
  if (done) message.acked = line_;
  message.gone = message.acked              ? Certainty::kYes
                 : message.acks_pending > 0 ? Certainty::kMaybe
                                            : Certainty::kNo;
}

void Oracle::received(const Operation& started, const Words& answer) {
  const std::string& queue = started.words.at(1);
  started_again_[queue] += static_cast<std::uint32_t>(std::stoul(answer.at(1)));
  for (std::size_t i = 2; i + 2 < answer.size(); i += 3) {
    const auto [known, is_new] = messages_.try_emplace(answer[i]);
    if (is_new) wrong_.push_back(answer[i] + " was delivered, and was never sent or was gone");
    Tracked& message = known->second;
    if (message.acked && *message.acked < started.line)
      wrong_.push_back(answer[i] + " was delivered by a receive that began after it was acknowledged");
    const Life life{queue, static_cast<std::uint32_t>(std::stoul(answer[i + 2]))};
    // The delivery of this answer is among those that the number counts.
    const auto charged = static_cast<std::uint32_t>(std::stoul(answer[i + 1])) - 1;
    const std::string why = judge_count(message, life, charged, started.line);
    if (!why.empty()) wrong_.push_back(std::string(answer[i]).append(" was delivered and ").append(why));
    const std::string too_often = promises_.judge_delivery(queue, charged + 1);
    if (!too_often.empty()) wrong_.push_back(std::string(answer[i]).append(" ").append(too_often));
    message.lives[life].receives.push_back(line_);
    reach(message, life);
  }
}

void Oracle::reach(Tracked& message, const Life& life) const {
  const bool deeper = life.replays == message.replays && promises_.leads_to(message.queue, life.queue);
  if (life.replays <= message.replays && !deeper) return;
  message.queue = life.queue;
  message.replays = life.replays;
}

}  // namespace holdfast::testing
