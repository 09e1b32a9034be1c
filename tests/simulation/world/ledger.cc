#include "tests/simulation/world/ledger.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

void require(const std::string& body, const std::string& complaint) {
  if (!complaint.empty()) violated(body, complaint);
}

bool is_open(const Account& account) { return !account.is_certain() && account.may_be_there(); }

// Returns whether the receipt is that of the delivery that holds the message.
bool holds(const Account& account, const Receipt& receipt) {
  return account.lease && account.lease->receipt == receipt;
}

// Returns the wait, without jitter, after the `failures`-th failed delivery. `failures` is at least 1.
Duration full_wait(const RetryPolicy& retry, std::uint32_t failures) {
  switch (retry.kind) {
    case RetryKind::kImmediate:
      return Duration{0};
    case RetryKind::kFixed:
      return retry.base;
    case RetryKind::kExponential:
      return std::min(retry.base * (1 << (std::min(failures, 20U) - 1)), retry.cap);
    case RetryKind::kStages:
      return retry.stages[std::min<std::size_t>(failures, retry.stages.size()) - 1];
  }
  return Duration{0};
}

Duration least_wait(const RetryPolicy& retry, std::uint32_t failures) {
  const Duration wait = full_wait(retry, failures);
  return wait - Duration(static_cast<Duration::rep>(static_cast<double>(wait.count()) * retry.jitter));
}

// Notes that another delivery holds the message than was thought. It is not known whether that one was
// started.
void turn_out_to_be_held(Account& account, const Receipt& receipt, Timestamp now) {
  account.lease = {receipt, now};
  account.prefetched = false;
  account.renewal = {};
  account.retry = {};
}

// The message begins anew in the queue: nobody holds it, it waits for nothing, and its deliveries count from
// 0.
void begin_anew(Account& account, const std::string& queue) {
  account.queue = queue;
  account.lease.reset();
  account.lease_unknown = false;
  account.deliveries = account.most_deliveries = 0;
  account.visible_at = {};
  account.expires_at.reset();
  account.moved = true;
}

void apply(Account& account, Settling settling, Timestamp until) {
  switch (settling) {
    case Settling::kAck:
    case Settling::kDiscard:
      account.gone = Certainty::kYes;
      break;
    case Settling::kReleaseUncharged:
      if (account.deliveries > 0 && !account.prefetched) --account.deliveries;
      account.visible_at = until;
      break;
    case Settling::kReject:
      account.deliveries = 0;
      account.queue.clear();
      account.visible_at = {};
      account.moved = true;
      account.redriven = false;
      break;
    case Settling::kStart:
      account.deliveries += account.prefetched ? 1 : 0;
      account.prefetched = false;
      account.visible_at = {};
      account.lease->until = std::max(account.lease->until, until + account.renewal);
      return;
    case Settling::kExtend:
      account.lease->until = until;
      account.visible_at = until + account.retry;
      return;
    case Settling::kRelease:
      account.visible_at = until;
      break;
  }
  account.lease.reset();
}

std::optional<std::string> edit_in(const Attributes& attributes) {
  const auto found = std::ranges::find(attributes, kEditedAttribute, &Attribute::name);
  return found == attributes.end() ? std::nullopt : std::optional(found->value);
}

}  // namespace

Attributes sent_with(const std::string& body) {
  const bool has_one = (body.back() - '0') % 2 == 1;
  return has_one ? Attributes{{"of", body}} : Attributes{};
}

Account Account::either(const Account& a, const Account& b) {
  Account result = a;
  result.sent = checker::either(a.sent, b.sent);
  result.gone = checker::either(a.gone, b.gone);
  result.lease_unknown = a.lease_unknown || b.lease_unknown || a.lease != b.lease;
  const bool same_life = a.queue == b.queue && a.replays == b.replays;
  result.deliveries = same_life ? std::min(a.deliveries, b.deliveries) : 0;
  result.most_deliveries = std::max(a.most_deliveries, b.most_deliveries);
  result.replays = std::min(a.replays, b.replays);
  result.moved = a.moved || b.moved;
  result.redriven = a.redriven && b.redriven && same_life;
  result.abandoned = a.abandoned || b.abandoned;
  result.visible_at = same_life ? std::min(a.visible_at, b.visible_at) : Timestamp{};
  if (!b.expires_at || (a.expires_at && *a.expires_at < *b.expires_at)) result.expires_at = b.expires_at;
  const Account& younger = a.replays <= b.replays ? a : b;
  result.edited = younger.edited;
  result.edit_unknown =
      younger.edit_unknown || (a.replays == b.replays && (b.edit_unknown || a.edited != b.edited));
  return result;
}

void Ledger::count(const Account& account, int sign) {
  certain_ += account.is_certain() ? static_cast<std::uint64_t>(sign) : 0;
  open_ += is_open(account) ? static_cast<std::uint64_t>(sign) : 0;
}

template <class Change>
void Ledger::change(const std::string& body, Change&& change) {
  Account& account = accounts_[body];
  Account& possible = unsynced_.try_emplace(body, account).first->second;
  count(account, -1);
  change(account);
  count(account, +1);
  possible = Account::either(account, possible);
}

void Ledger::sent(const std::string& body, Account account, bool answered) {
  change(body, [&](Account& to) {
    // A send with an unknown outcome may have been handed out before it was repeated.
    account.lease_unknown |= to.lease_unknown;
    account.most_deliveries = to.most_deliveries;
    // If a try with an unknown outcome had its effect, the message waits for the earlier time, although this
    // try was answered.
    if (to.sent == Certainty::kMaybe) account.visible_at = std::min(account.visible_at, to.visible_at);
    to = std::move(account);
    to.source = to.queue;
    to.abandoned = may_outlive(to.source);
    to.gone = to.fleeting ? Certainty::kMaybe : Certainty::kNo;
    to.sent = answered ? Certainty::kYes : Certainty::kMaybe;
  });
}

void Ledger::declare(const std::string& queue, Home home) {
  promises_.declare(queue, home.promised);
  homes_[queue] = std::move(home);
}

// Checks that the message may be in the queue. It may come to a dead letter queue only if it may die.
void Ledger::check_way(const Account& account, const std::string& queue, const Delivery& delivery) const {
  const std::string body(delivery.body);
  checker::Fate fate = account;
  const bool followed = (!account.moved || account.redriven) && !account.lease_unknown;
  if (!followed) fate.queue.clear();
  require(body, promises_.judge_way(fate, queue, delivery.replays));
  if (delivery.replays != fate.replays || fate.queue.empty() || queue == fate.queue) return;
  const auto home = homes_.find(fate.queue);
  if (home == homes_.end() || home->second.dead_letters) return;
  if (account.most_deliveries < home->second.max_deliveries)
    violated(body, "died in " + account.queue + " after " + std::to_string(account.most_deliveries) +
                       " deliveries");
}

void Ledger::shown(const std::string& queue, const Sight& sight) {
  const Account& account = seen(queue, sight.body, sight.id);
  if (sight.replays < account.replays) violated(sight.body, "has forgotten a replay");
  check_edit(account, sight.body, sight.replays, check_attributes(sight.body, sight.attributes));
}

std::optional<std::string> Ledger::check_attributes(const std::string& body,
                                                    const Attributes& attributes) const {
  std::optional<std::string> edited = edit_in(attributes);
  Attributes expected = sent_with(body);
  if (edited) expected.push_back({kEditedAttribute, *edited});
  if (attributes != expected) violated(body, "has other attributes than it was sent with");
  if (edited && !edits_.contains(*edited)) violated(body, "was edited as nobody asked");
  return edited;
}

void Ledger::check_edit(const Account& account, const std::string& body, std::uint32_t replays,
                        const std::optional<std::string>& edited) const {
  if (account.edit_unknown || replays < account.replays) return;
  // The simulation's edits set an attribute, and remove none.
  const bool is_lost = account.edited && !edited;
  const bool is_another = replays == account.replays && edited != account.edited;
  if (is_lost || is_another)
    violated(body, "says that it was edited " + edited.value_or("never") + ", it was " +
                       account.edited.value_or("never"));
}

Account& Ledger::seen(const std::string& queue, const std::string& body, const MessageId& id) {
  const auto found = accounts_.find(body);
  if (found == accounts_.end()) violated(body, "was never sent");
  Account& account = found->second;
  require(body, promises_.judge_presence(account, queue, id));
  return account;
}

void Ledger::delivered(const std::string& queue, const Delivery& delivery, bool started, Timestamp earliest,
                       Timestamp now) {
  const std::string body(delivery.body);
  const Account& account = seen(queue, body, delivery.id);
  check_way(account, queue, delivery);
  const auto edited = check_attributes(body, delivery.attributes);
  check_edit(account, body, delivery.replays, edited);
  const bool same_life = queue == account.queue && delivery.replays == account.replays;
  if (account.lease && !account.lease_unknown && now < account.lease->until)
    violated(body, "was delivered while another delivery holds it");
  if (same_life && now < account.visible_at) violated(body, "was delivered before its time");
  if (same_life && account.expires_at && earliest >= *account.expires_at)
    violated(body, "was delivered after it expired");
  if (same_life) {
    const checker::Charges before{account.deliveries, account.most_deliveries};
    require(body, checker::Promises::judge_charges(queue, before, delivery.deliveries - 1));
  }
  require(body, promises_.judge_delivery(queue, delivery.deliveries));
  if (delivery.group != account.group) violated(body, "has changed its group");
  if (delivery.priority != account.priority) violated(body, "has changed its priority");

  change(body, [&](Account& to) {
    to.sent = Certainty::kYes;
    to.gone = to.fleeting ? Certainty::kMaybe : Certainty::kNo;
    to.id = delivery.id;
    if (!same_life) to.expires_at.reset();
    to.queue = queue;
    to.most_deliveries = delivery.deliveries;
    const bool brakes = homes_[queue].brakes;
    to.retry = started ? least_wait(homes_[queue].retry, delivery.deliveries) : Duration{0};
    to.visible_at = delivery.lease_expires_at + to.retry;
    to.deliveries = delivery.deliveries - (started && !brakes ? 0 : 1);
    to.prefetched = !started && !brakes;
    to.renewal = started ? Duration{0} : delivery.lease_left;
    to.replays = delivery.replays;
    to.edited = edited;
    to.edit_unknown = false;
    to.moved |= !same_life;
    to.redriven &= same_life;
    to.lease = {delivery.receipt, delivery.lease_expires_at};
    to.lease_unknown = false;
  });
  receipts_.insert_or_assign(delivery.receipt, body);
}

void Ledger::settled(const Receipt& receipt, Settling settling, const Result<void>& answer, Timestamp now,
                     Timestamp until) {
  const std::string& body = receipts_.at(receipt);
  const Account& account = accounts_.at(body);
  const bool held = holds(account, receipt);
  if (answer) {
    if (!held && !account.lease_unknown) violated(body, "a receipt that was over settled it");
    if (account.gone == Certainty::kYes) violated(body, "was settled twice");
    change(body, [&](Account& to) {
      to.sent = Certainty::kYes;
      to.gone = to.fleeting ? Certainty::kMaybe : Certainty::kNo;
      if (!held) turn_out_to_be_held(to, receipt, now);
      // The fact that it is still held does not say for how long.
      to.lease_unknown = to.lease_unknown && settling == Settling::kStart;
      apply(to, settling, until);
    });
    return;
  }
  switch (answer.error().code) {
    case ErrorCode::kReceiptStale:
    case ErrorCode::kMessageNotFound:
      if (surely_holds(receipt, now))
        violated(body, "its valid receipt was refused: " + answer.error().message);
      return;
    case ErrorCode::kStorageFailed:
      // A lease whose commit had an unknown outcome may have held, and may have been settled.
      if (!held && !account.lease_unknown) return;
      change(body, [&](Account& to) {
        Account settled = to;
        if (!held) turn_out_to_be_held(settled, receipt, now);
        apply(settled, settling, until);
        to = Account::either(to, settled);
      });
      return;
    case ErrorCode::kNoDeadLetterQueue:
      if (settling == Settling::kReject) return;
      [[fallthrough]];
    default:
      violated(body, "settling it was answered " + to_string(answer.error()));
  }
}

void Ledger::may_drop(const std::string& body) {
  change(body, [](Account& to) {
    if (to.gone == Certainty::kNo) to.gone = Certainty::kMaybe;
  });
}

void Ledger::abandoned(const std::string& body) {
  ever_abandoned_.insert(body);
  change(body, [](Account& to) { to.abandoned = true; });
}

void Ledger::taken_up(const std::string& body) {
  change(body, [this](Account& to) { to.abandoned = may_outlive(to.source); });
}

void Ledger::archived(const std::string& body, const Attributes& attributes) {
  if (!accounts_.contains(body)) violated(body, "is in the archive and was never sent");
  if (!ever_abandoned_.contains(body) && !may_outlive(accounts_.at(body).source))
    violated(body, "is in the archive, and nobody abandoned it");
  // The archive may be from a life that a power loss has undone, so any edit may be in it.
  check_attributes(body, attributes);
  archived_.insert(body);
}

bool Ledger::may_outlive(const std::string& source) const {
  return std::ranges::any_of(homes_, [&](const auto& home) {
    return home.second.archives && promises_.leads_to(source, home.first);
  });
}

void Ledger::discarded(const std::string& body, Timestamp now) {
  const Account& account = accounts_.at(body);
  if (account.gone == Certainty::kYes) violated(body, "was discarded after it was gone for good");
  if (account.lease && !account.lease_unknown && now < account.lease->until)
    violated(body, "was discarded while a delivery holds it");
  change(body, [](Account& to) { to.sent = to.gone = Certainty::kYes; });
}

// A letter that is dead in another queue stays there, unless it dies on into this queue.
void Ledger::purged(const std::string& queue, const Places& dead) {
  for (const auto& [body, account] : accounts_) {
    const auto place = dead.find(body);
    const bool stays = place != dead.end() && !promises_.leads_to(place->second, queue);
    if (!stays && promises_.leads_to(account.source, queue)) may_drop(body);
  }
}

void Ledger::deleted(const std::string& body) {
  if (!accounts_.contains(body)) return;
  change(body, [](Account& to) { to.gone = Certainty::kYes; });
}

void Ledger::may_edit(const RedriveEdit& edit) {
  if (const auto value = edit_in(edit.set_attributes)) edits_.insert(*value);
}

void Ledger::redriven(const std::string& body, std::uint32_t replays, const RedriveEdit& edit) {
  const Account& account = accounts_.at(body);
  if (replays <= account.replays) violated(body, "was redriven and its replays stay as they were");
  change(body, [&](Account& to) {
    to.sent = Certainty::kYes;
    to.gone = to.fleeting ? Certainty::kMaybe : Certainty::kNo;
    begin_anew(to, to.source);
    const auto edited = edit_in(edit.set_attributes);
    to.edit_unknown = !edited && (to.edit_unknown || replays != to.replays + 1);
    if (edited) to.edited = edited;
    to.replays = replays;
    to.redriven = !to.restless;
  });
}

void Ledger::imported(const std::string& queue, const std::string& body, bool answered) {
  change(body, [&](Account& to) {
    to.gone = to.fleeting || !answered ? Certainty::kMaybe : Certainty::kNo;
    begin_anew(to, queue);
    to.redriven = false;
  });
}

void Ledger::lost_its_place(const std::string& body) {
  change(body, [](Account& to) { to.moved = true; });
}

bool Ledger::may_be_held(const std::string& body) const {
  const Account& account = accounts_.at(body);
  return account.lease_unknown || account.lease;
}

bool Ledger::surely_holds(const Receipt& receipt, Timestamp now) const {
  const Account& account = accounts_.at(receipts_.at(receipt));
  return holds(account, receipt) && !account.lease_unknown && now < account.lease->until &&
         account.gone == Certainty::kNo;
}

bool Ledger::may_hold(const Receipt& receipt) const {
  const Account& account = accounts_.at(receipts_.at(receipt));
  return (holds(account, receipt) || account.lease_unknown) && account.gone != Certainty::kYes;
}

void Ledger::may_be_leased(const std::string& queue, Timestamp now) {
  for (const auto& [body, account] : accounts_) {
    if (account.gone == Certainty::kYes || !promises_.leads_to(account.source, queue)) continue;
    const bool elsewhere =
        account.queue != queue && account.lease && !account.lease_unknown && now < account.lease->until;
    if (elsewhere) continue;
    change(body, [](Account& to) {
      to.lease_unknown = true;
      ++to.most_deliveries;
    });
  }
}

void Ledger::crashed() {
  for (const auto& [body, possible] : unsynced_) {
    Account& account = accounts_.at(body);
    count(account, -1);
    account = possible;
    count(account, +1);
  }
  unsynced_.clear();
}

void Ledger::found(const std::string& body) {
  if (!found_.insert(body).second) violated(body, "is in two places");
}

void Ledger::all_found() {
  for (const auto& [body, account] : accounts_) {
    if (!account.abandoned) require(body, checker::Promises::judge_absence(account));
    const bool must_be_archived = account.abandoned && account.must_be_there();
    if (must_be_archived && !archived_.contains(body))
      violated(body, "is lost; it was abandoned in " + account.queue + " and is not in the archive");
  }
  found_.clear();
}

void Ledger::salvaged() {
  for (auto& [body, account] : accounts_) account.lease_unknown |= account.lease.has_value();
}

Duration Ledger::retry_after(const Receipt& receipt, Settling settling) const {
  const Account& account = accounts_.at(receipts_.at(receipt));
  const bool known = holds(account, receipt) && !account.lease_unknown;
  return known && settling == Settling::kRelease ? account.retry : Duration{0};
}

std::optional<std::string> Ledger::body_of(const Receipt& receipt) const {
  const auto found = receipts_.find(receipt);
  return found == receipts_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace holdfast::simulation
