// Judging what was found.
#include "crash/oracle.h"

#include <algorithm>
#include <set>
#include <utility>

#include "crash/queues.h"

namespace holdfast::testing {

void Oracle::learn_transfers(const std::map<std::string, std::string>& rows,
                             std::vector<std::string>& wrong) {
  for (const auto& [op, operation] : pending_) {
    const Words& words = operation.words;
    if (words.at(0) != "transfer") continue;
    const std::string& key = words.at(5);
    Tracked& acked = messages_.at(words.at(2));
    --acked.acks_pending;
    if (rows.contains(key)) {
      acked.acked = line_;
      messages_.at(key).sent = true;
      transfers_.emplace(key, words.at(2));
    } else {
      messages_.erase(key);
    }
  }
  if (rows != transfers_) {
    wrong.push_back("transactions left " + std::to_string(rows.size()) + " rows, and " +
                    std::to_string(transfers_.size()) + " happened");
  }
  transfers_.clear();
}

std::vector<std::string> Oracle::check(const std::vector<Survivor>& survivors,
                                       const std::map<std::string, std::string>& transfers) {
  std::vector<std::string> wrong = std::exchange(wrong_, {});
  learn_transfers(transfers, wrong);
  std::map<std::string, const Survivor*> found;
  for (const Survivor& survivor : survivors) {
    if (!messages_.contains(survivor.key)) {
      wrong.push_back(survivor.key + " was never sent, or is back from being gone, in " + survivor.queue);
    } else if (!found.emplace(survivor.key, &survivor).second) {
      wrong.push_back(survivor.key + " is in " + survivor.queue + " and also in " +
                      found[survivor.key]->queue);
    }
  }
  for (auto& [key, message] : messages_) {
    const auto survivor = found.find(key);
    const bool here = survivor != found.end();
    const std::string why = here ? judge_found(message, *survivor->second) : judge_missing(message);
    const std::string where = here ? ", in " + survivor->second->queue : "";
    if (!why.empty()) wrong.push_back(std::string(key).append(where).append(": ").append(why));
    if (here) learn(message, *survivor->second);
  }
  std::erase_if(messages_, [&](const auto& message) { return !found.contains(message.first); });
  pending_.clear();
  return wrong;
}

std::string Oracle::judge_missing(const Tracked& message) const {
  if (!message.sent || message.acked || message.acks_pending > 0) return {};
  return "sent and not acknowledged, but lost";
}

std::string Oracle::judge_found(const Tracked& message, const Survivor& survivor) const {
  if (message.acked) return "acknowledged, and came back";
  if (message.id && survivor.id != *message.id) return "has another id than its send was answered";
  const int depth = crash_queue(survivor.queue).depth;
  if (depth == 0 && survivor.queue != message.source) return "was sent to " + message.source;
  if (std::pair(survivor.replays, depth) < message.reached) return "is back where it was before";
  if (survivor.replays > redrives_) return "was replayed more often than anybody asked";
  const std::string why =
      judge_count(message, {survivor.queue, survivor.replays}, survivor.charged, line_ + 1);
  return why.empty() && depth > 0 ? judge_record(message, survivor) : why;
}

std::uint32_t Oracle::unseen_receives(const std::string& queue) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(pending_, [&](const auto& entry) {
    const Words& words = entry.second.words;
    return words.at(0) == "receive" && words.at(1) == queue;
  }));
}

std::string Oracle::judge_count(const Tracked& message, const Life& life, std::uint32_t charged,
                                std::uint64_t line) const {
  static const Deeds nothing;
  const auto known = message.lives.find(life);
  const Deeds& deeds = known == message.lives.end() ? nothing : known->second;
  const auto before = static_cast<std::uint32_t>(
      std::ranges::count_if(deeds.receives, [&](std::uint64_t receive) { return receive < line; }));
  const auto all = static_cast<std::uint32_t>(deeds.receives.size());
  const std::uint32_t at_least = deeds.charged + before - std::min(before, deeds.spares_tried);
  const std::uint32_t at_most = deeds.charged + all + unseen_receives(life.queue) - deeds.spares_done;
  if (charged >= at_least && charged <= at_most) return {};
  return "charged " + std::to_string(charged) + " deliveries in " + life.queue + ", expected " +
         std::to_string(at_least) + ".." + std::to_string(at_most);
}

std::string Oracle::judge_record(const Tracked& message, const Survivor& survivor) const {
  if (!survivor.record) return "has no failure record";
  const FailureRecord& record = *survivor.record;
  const auto known = message.lives.find({survivor.queue, survivor.replays});
  if (known == message.lives.end() || !known->second.record) return judge_death(message, survivor, record);
  return record == *known->second.record ? "" : "its record has changed";
}

std::string Oracle::judge_death(const Tracked& message, const Survivor& survivor,
                                const FailureRecord& record) const {
  if (record.message_id != survivor.id) return "has the record of another message";
  if (record.replays != survivor.replays) return "its record has another replay count";
  if (record.correlation_id != survivor.key) return "its record has another correlation id";
  if (record.source_queue != message.source) return "its record names a wrong source";

  const CrashQueue& deathbed = crash_queue(crash_queue(survivor.queue).depth == 1 ? message.source : "dead");
  const Life life{deathbed.name, survivor.replays};
  const auto known = message.lives.find(life);
  const Deeds deeds = known == message.lives.end() ? Deeds{} : known->second;
  if (record.cause == DeathCause::kRejected) {
    const bool tried = std::ranges::any_of(deeds.rejects_tried,
                                           [&](std::uint64_t op) { return record.reason == reason_of(op); });
    if (!tried) return "its record gives a reason that nobody gave: '" + record.reason + "'";
  } else if (record.deliveries != deathbed.options.max_deliveries) {
    return "died of " + std::to_string(record.deliveries) + " deliveries";
  }
  if (deeds.reject_done && record.reason != reason_of(*deeds.reject_done)) {
    return "was rejected, but its record does not say so";
  }
  return judge_count(message, life, record.deliveries, line_ + 1);
}

void Oracle::learn(Tracked& message, const Survivor& survivor) {
  message.acks_pending = 0;
  message.sent = true;
  message.id = survivor.id;
  message.reached = {survivor.replays, crash_queue(survivor.queue).depth};
  // The load's receipts end with its process: nothing more is done in a life that is over.
  message.lives = {{Life{survivor.queue, survivor.replays},
                    Deeds{.charged = survivor.charged, .record = survivor.record}}};
}

}  // namespace holdfast::testing
