// Judges what was found.
#include "tests/crash/oracle.h"

#include <algorithm>
#include <set>
#include <utility>

#include "holdfast/limits.h"
#include "tests/crash/queues.h"

namespace holdfast::testing {

using checker::Certainty;
using checker::Promises;

namespace {

// A dead letter may have failed since its death. Those failures come behind the attempts that its record had,
// and a power loss takes them back. The first attempts stay as they are, whichever of the two records has
// more.
bool goes_on(const AttemptHistory& seen, const AttemptHistory& before) {
  const std::size_t common = std::min({limits::kFirstAttempts, before.kept.size(), seen.kept.size()});
  return seen.kept.empty() == before.kept.empty() &&
         std::equal(before.kept.begin(), before.kept.begin() + static_cast<std::ptrdiff_t>(common),
                    seen.kept.begin());
}

bool is_same_death(FailureRecord seen, const FailureRecord& before) {
  if (!goes_on(seen.attempts, before.attempts)) return false;
  seen.attempts = before.attempts;
  return seen == before;
}

}  // namespace

Oracle::Oracle() {
  for (const CrashQueue& queue : crash_queues()) {
    const std::string& next = queue.options.dead_letters.queue;
    if (next.empty()) {
      promises_.declare(queue.name, {});
    } else {
      promises_.declare(queue.name, {.next = {next}, .most_deliveries = queue.options.retry.max_deliveries});
    }
  }
}

void Oracle::learn_transfers(const std::map<std::string, std::string>& rows) {
  std::vector<Words> transfers;
  for (const auto& [op, operation] : pending_) {
    if (operation.words.at(0) == "transfer") transfers.push_back(operation.words);
  }
  // A transfer may have acknowledged what another one has sent, and a power loss may have taken both.
  for (const Words& words : transfers) ack_ends(words.at(2), rows.contains(words.at(5)));
  for (const Words& words : transfers) {
    const std::string& key = words.at(5);
    if (rows.contains(key)) {
      send_succeeds(key, {});
      transfers_.emplace(key, words.at(2));
    } else {
      messages_.erase(key);
    }
  }
  if (rows != transfers_) {
    wrong_.push_back("transactions left " + std::to_string(rows.size()) + " rows, and " +
                     std::to_string(transfers_.size()) + " happened");
  }
  transfers_.clear();
}

std::vector<std::string> Oracle::check(const std::vector<Survivor>& survivors,
                                       const std::map<std::string, std::string>& transfers) {
  learn_transfers(transfers);
  std::vector<std::string> wrong = std::exchange(wrong_, {});
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
    const std::string why = here ? judge_found(message, *survivor->second) : Promises::judge_absence(message);
    const std::string where = here ? ", in " + survivor->second->queue : "";
    if (!why.empty()) wrong.push_back(std::string(key).append(where).append(": ").append(why));
    if (here) learn(message, *survivor->second);
  }
  std::erase_if(messages_, [&](const auto& message) { return !found.contains(message.first); });
  pending_.clear();
  started_again_.clear();
  return wrong;
}

std::string Oracle::judge_found(const Tracked& message, const Survivor& survivor) const {
  std::string why = promises_.judge_presence(message, survivor.queue, survivor.id);
  if (why.empty()) why = promises_.judge_way(message, survivor.queue, survivor.replays);
  if (!why.empty()) return why;
  if (survivor.replays > redrives_) return "was replayed more often than anybody asked";
  why = judge_count(message, {survivor.queue, survivor.replays}, survivor.charged, line_ + 1);
  const bool dead = survivor.queue != message.source;
  return why.empty() && dead ? judge_record(message, survivor) : why;
}

std::uint32_t Oracle::unseen_deliveries(const std::string& queue) const {
  const auto unanswered = std::ranges::count_if(pending_, [&](const auto& entry) {
    const Words& words = entry.second.words;
    return words.at(0) == "receive" && words.at(1) == queue;
  });
  const auto started_again = started_again_.find(queue);
  return static_cast<std::uint32_t>(unanswered) +
         (started_again == started_again_.end() ? 0 : started_again->second);
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
  const std::uint32_t at_most = deeds.charged + all + unseen_deliveries(life.queue) - deeds.spares_done;
  return Promises::judge_charges(life.queue, {at_least, at_most}, charged);
}

std::string Oracle::judge_record(const Tracked& message, const Survivor& survivor) const {
  if (!survivor.record) return "has no failure record";
  const FailureRecord& record = *survivor.record;
  const auto known = message.lives.find({survivor.queue, survivor.replays});
  if (known == message.lives.end() || !known->second.record) return judge_death(message, survivor, record);
  return is_same_death(record, *known->second.record) ? "" : "its record has changed";
}

std::string Oracle::judge_death(const Tracked& message, const Survivor& survivor,
                                const FailureRecord& record) const {
  if (record.message_id != survivor.id) return "has the record of another message";
  if (record.replays != survivor.replays) return "its record has another replay count";
  if (record.correlation_id != survivor.key) return "its record has another correlation id";
  if (record.source_queue != message.source) return "its record names a wrong source";

  const bool died_once = crash_queue(message.source).options.dead_letters.queue == survivor.queue;
  const CrashQueue& deathbed = crash_queue(died_once ? message.source : "dead");
  const Life life{deathbed.name, survivor.replays};
  const auto known = message.lives.find(life);
  const Deeds deeds = known == message.lives.end() ? Deeds{} : known->second;
  if (record.cause == DeathCause::kRejected) {
    const bool tried = std::ranges::any_of(deeds.rejects_tried,
                                           [&](std::uint64_t op) { return record.reason == reason_of(op); });
    if (!tried) return "its record gives a reason that nobody gave: '" + record.reason + "'";
  } else if (record.deliveries != deathbed.options.retry.max_deliveries) {
    return "died of " + std::to_string(record.deliveries) + " deliveries";
  }
  if (deeds.reject_done && record.reason != reason_of(*deeds.reject_done)) {
    return "was rejected, but its record does not say so";
  }
  const auto later = message.lives.find({survivor.queue, survivor.replays});
  const Deeds since = later == message.lives.end() ? Deeds{} : later->second;
  if (std::string why = judge_reasons(deeds, since, record); !why.empty()) return why;
  return judge_count(message, life, record.deliveries, line_ + 1);
}

// Each charged release gives a reason, which is written together with it. So no attempt that ended in a
// release lacks its reason, except the one that the message died of, whose reason is the record's. Behind it
// come the attempts since the death.
std::string Oracle::judge_reasons(const Deeds& deeds, const Deeds& since, const FailureRecord& record) {
  for (const Attempt& attempt : record.attempts.kept) {
    if (attempt.end != AttemptEnd::kReleased) continue;
    const std::string& said = attempt.failure.empty() ? record.reason : attempt.failure.reason;
    const auto is_of = [&](std::uint64_t op) { return said == reason_of(op); };
    const bool tried =
        std::ranges::any_of(deeds.releases_tried, is_of) || std::ranges::any_of(since.releases_tried, is_of);
    if (!tried) return "a failed delivery has a reason that nobody gave: '" + said + "'";
  }
  return {};
}

void Oracle::learn(Tracked& message, const Survivor& survivor) {
  message.acks_pending = 0;
  message.sent = Certainty::kYes;
  message.gone = Certainty::kNo;
  message.id = survivor.id;
  message.queue = survivor.queue;
  message.replays = survivor.replays;
  // The receipts of the load end with its process, so nothing more is done in a life that is over.
  const Life life{survivor.queue, survivor.replays};
  const auto known = message.lives.find(life);
  auto releases = known == message.lives.end() ? std::vector<std::uint64_t>() : known->second.releases_tried;
  message.lives = {
      {life,
       Deeds{.charged = survivor.charged, .record = survivor.record, .releases_tried = std::move(releases)}}};
}

}  // namespace holdfast::testing
