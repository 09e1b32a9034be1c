#include "tests/power/promise_ledger.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace holdfast::testing {

using checker::Certainty;

PromiseLedger::PromiseLedger(Machine& machine) : machine_(machine) {
  promises_.declare("work", {.next = {"dead"}, .most_deliveries = {}});
  promises_.declare("ordered", {.next = {"dead"}, .most_deliveries = {}});
  promises_.declare("dead", {});
}

void PromiseLedger::begin_life(std::uint64_t answers) {
  const std::scoped_lock lock(mutex_);
  answers_left_ = answers;
  synced_until_ = now_;
  over_ = false;
}

void PromiseLedger::wait_until_over() {
  std::unique_lock lock(mutex_);
  ends_.wait(lock, [this] { return over_.load(); });
}

std::uint64_t PromiseLedger::new_number() {
  const std::scoped_lock lock(mutex_);
  return ++numbers_;
}

PromiseLedger::CallId PromiseLedger::begins(std::vector<Deed> deeds,
                                            std::optional<std::uint64_t> transaction) {
  machine_.call_begins();
  const std::scoped_lock lock(mutex_);
  const Moment started = ++now_;
  calls_.emplace(started, Call{std::move(deeds), transaction, started});
  return started;
}

void PromiseLedger::answered(CallId id, const Promised& promised) {
  const std::scoped_lock lock(mutex_);
  Call& call = calls_.at(id);
  if (std::exchange(call.answered, ++now_)) wrong_.push_back("a call is answered twice");
  call.done = promised.done;
  if (call.done) {
    ++done_[promised.verb];
    const Durability got = promised.said.value_or(promised.asked);
    const std::string what =
        promised.verb + (call.deeds.empty() ? "" : " of m" + std::to_string(call.deeds[0].message));
    const std::string wrong = checker::Promises::judge_durability(promised.asked, got);
    if (!wrong.empty()) wrong_.push_back(what + " " + wrong);
    if (promised.mark && !machine_.has(*promised.mark, got)) {
      wrong_.push_back(what + ": answered as " + (got == Durability::kFsync ? "fsynced" : "buffered") +
                       " before it is: " + to_string(*promised.mark));
    }
    call.synced = got == Durability::kFsync || promised.asked == Durability::kFsync;
    if (call.synced) synced_until_ = std::max(synced_until_, call.started);
  }
  if (over_ || --answers_left_ > 0) return;
  over_ = true;
  machine_.cut_power();
  ends_.notify_all();
}

void PromiseLedger::failed(const char* verb, const Error& error) {
  if (is_over()) return;
  complain(std::string(verb) + ": " + holdfast::to_string(error));
}

void PromiseLedger::delivered(std::vector<Deed> deeds) {
  const CallId call = begins(std::move(deeds));
  answered(call, {.verb = "receive", .asked = Durability::kBuffered});
}

void PromiseLedger::complain(const std::string& what) {
  const std::scoped_lock lock(mutex_);
  wrong_.push_back(what);
}

Certainty PromiseLedger::certainty(const Call& call, bool forgets) const {
  if (!call.answered) return Certainty::kMaybe;
  if (!call.done) return Certainty::kNo;
  return !forgets || call.synced || *call.answered < synced_until_ ? Certainty::kYes : Certainty::kMaybe;
}

// A transaction and its row are both there, or neither is.
Certainty PromiseLedger::learn_row(const Call& call, Certainty known, const std::set<std::uint64_t>& rows) {
  const bool there = rows.contains(*call.transaction);
  const std::string name = "the row of transaction " + std::to_string(*call.transaction);
  if (there && known == Certainty::kNo) wrong_.push_back(name + " is there, though it was refused");
  if (!there && known == Certainty::kYes) wrong_.push_back(name + " is lost");
  return there ? Certainty::kYes : Certainty::kNo;
}

void PromiseLedger::reach(Account& account, const MessageLife& life) const {
  if (life.replays < account.replays) return;
  const bool further = account.queue.empty() || life.replays > account.replays ||
                       promises_.leads_to(account.queue, life.queue);
  if (!further) return;
  account.queue = life.queue;
  account.replays = life.replays;
}

void PromiseLedger::apply(const Deed& deed, Certainty certainty) {
  if (certainty == Certainty::kNo) return;
  Account& account = accounts_[deed.message];
  const bool sure = certainty == Certainty::kYes;
  switch (deed.kind) {
    case Deed::Kind::kSent:
      account.sent = certainty;
      account.source = deed.life.queue;
      break;
    case Deed::Kind::kGone:
      account.gone = std::max(account.gone, certainty);
      break;
    case Deed::Kind::kThere:
      if (sure) reach(account, deed.life);
      break;
    case Deed::Kind::kCharged:
      if (!sure) break;
      reach(account, deed.life);
      account.deliveries[deed.life].charged.insert(deed.receipt);
      break;
    case Deed::Kind::kUncharged:
      account.deliveries[deed.life].uncharged.insert(deed.receipt);
      break;
  }
}

std::uint32_t PromiseLedger::Deliveries::least() const {
  const auto taken_back = [this](const Receipt& receipt) { return uncharged.contains(receipt); };
  const auto left = static_cast<std::uint32_t>(charged.size()) -
                    static_cast<std::uint32_t>(std::ranges::count_if(charged, taken_back));
  // These uncharge deliveries from before the last audit, whose charges are among the known ones.
  const auto others = static_cast<std::uint32_t>(std::ranges::count_if(
      uncharged, [this](const Receipt& receipt) { return !charged.contains(receipt); }));
  return left + known - std::min(known, others);
}

void PromiseLedger::judge(const Survivor& survivor) {
  const std::string name = "m" + std::to_string(survivor.message) + " ";
  const auto found = accounts_.find(survivor.message);
  if (found == accounts_.end()) return wrong_.push_back(name + "is there, and nobody sent it");
  const Account& account = found->second;
  const auto deliveries = account.deliveries.find(survivor.life);
  const std::uint32_t least = deliveries == account.deliveries.end() ? 0 : deliveries->second.least();
  for (const std::string& wrong :
       {promises_.judge_presence(account, survivor.life.queue, survivor.id),
        promises_.judge_way(account, survivor.life.queue, survivor.life.replays),
        checker::Promises::judge_charges(
            survivor.life.queue, {least, std::numeric_limits<std::uint32_t>::max()}, survivor.charged)}) {
    if (!wrong.empty()) wrong_.push_back(name + wrong);
  }
}

// What was found counts from here on. What was not found may never come back.
void PromiseLedger::settle(Account& account, const Survivor* survivor) {
  account.deliveries.clear();
  if (survivor == nullptr) {
    account.gone = Certainty::kYes;
    return;
  }
  account.sent = Certainty::kYes;
  account.gone = Certainty::kNo;
  account.id = survivor->id;
  account.queue = survivor->life.queue;
  account.replays = survivor->life.replays;
  account.deliveries[survivor->life].known = survivor->charged;
}

std::vector<std::string> PromiseLedger::audit(bool forgets, std::span<const Survivor> survivors,
                                              const std::set<std::uint64_t>& rows) {
  const std::scoped_lock lock(mutex_);
  for (const auto& [started, call] : calls_) {
    Certainty known = certainty(call, forgets);
    if (call.transaction) known = learn_row(call, known, rows);
    for (const Deed& deed : call.deeds) apply(deed, known);
  }
  calls_.clear();
  std::map<std::uint64_t, const Survivor*> found;
  for (const Survivor& survivor : survivors) {
    judge(survivor);
    if (!found.emplace(survivor.message, &survivor).second)
      wrong_.push_back("m" + std::to_string(survivor.message) + " is there twice");
  }
  for (auto& [message, account] : accounts_) {
    const auto survivor = found.find(message);
    if (survivor == found.end()) {
      const std::string wrong = checker::Promises::judge_absence(account);
      if (!wrong.empty()) wrong_.push_back("m" + std::to_string(message) + " " + wrong);
    }
    settle(account, survivor == found.end() ? nullptr : survivor->second);
  }
  return std::exchange(wrong_, {});
}

}  // namespace holdfast::testing
