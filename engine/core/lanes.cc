#include "engine/core/lanes.h"

#include <algorithm>
#include <iterator>

#include "engine/base/helpers/check.h"

namespace holdfast {

Lanes::Lanes() : lanes_(1) {}

void Lanes::set_priorities(std::size_t levels, Duration aging) {
  while (lanes_.size() < levels) {
    const Seq first = lane_begin(lanes_.size());
    lanes_.emplace_back(first, first, 0, 0, QueueTotals{}).remember_finished(readings_ > 0);
  }
  aging_ = aging;
  for (QueueState& lane : lanes_) lane.set_timed(aging > Duration{0});
}

void Lanes::set_max_deliveries(std::uint32_t max_deliveries) {
  for (QueueState& lane : lanes_) lane.set_max_deliveries(max_deliveries);
}

void Lanes::set_grouping(Grouping grouping) {
  for (QueueState& lane : lanes_) lane.set_grouping(grouping);
}

void Lanes::set_retry(const RetryPolicy& policy) {
  for (QueueState& lane : lanes_) lane.set_retry(policy);
}

void Lanes::set_lifetime(Duration lifetime) {
  for (QueueState& lane : lanes_) lane.set_lifetime(lifetime);
}

std::vector<Grant> Lanes::receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  if (lanes_.size() == 1) return lanes_.front().receive(max, terms, budget);
  return aging_ > Duration{0} ? receive_aged(max, terms, budget) : receive_strict(max, terms, budget);
}

std::vector<Grant> Lanes::receive_strict(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  std::vector<Grant> grants;
  for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
    std::ranges::move(lane->receive(max - grants.size(), terms, budget), std::back_inserter(grants));
    // What is left of this lane goes before a lower one.
    if (grants.size() == max || budget.spent() || lane->load_from()) break;
  }
  return grants;
}

std::vector<Grant> Lanes::receive_aged(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  std::vector<Grant> grants;
  while (grants.size() < max) {
    QueueState* const lane = next_aged();
    if (lane == nullptr) break;
    const std::size_t before = grants.size();
    std::ranges::move(lane->receive(1, terms, budget), std::back_inserter(grants));
    // The budget is spent; or its groups are held: only one lane has messages then.
    if (grants.size() == before) break;
  }
  return grants;
}

QueueState* Lanes::next_aged() {
  QueueState* best = nullptr;
  Timestamp best_time = Timestamp::max();
  for (std::size_t i = lanes_.size(); i-- > 0;) {
    if (lanes_[i].counts().ready == 0) continue;
    const auto sent_at = lanes_[i].head_sent_at();
    if (!sent_at) return nullptr;
    const Timestamp time = *sent_at - aging_ * static_cast<Duration::rep>(i);
    if (best == nullptr || time < best_time) {
      best = &lanes_[i];
      best_time = time;
    }
  }
  return best;
}

Lanes::Dropped Lanes::drop_heads(std::uint64_t messages, std::uint64_t bytes) {
  Dropped dropped;
  for (QueueState& lane : lanes_) {
    const QueueState::Dropped here = lane.drop_heads(messages, bytes);
    dropped.messages += here.messages;
    messages -= std::min(messages, here.messages);
    bytes -= std::min(bytes, here.bytes);
    if (messages == 0 && bytes == 0) break;
    if (dropped.load_from = lane.load_from(); dropped.load_from) break;
  }
  return dropped;
}

std::size_t Lanes::leaving() const {
  std::size_t sum = 0;
  for (const QueueState& lane : lanes_) sum += lane.leaving();
  return sum;
}

std::uint64_t Lanes::leaving_bytes() const {
  std::uint64_t sum = 0;
  for (const QueueState& lane : lanes_) sum += lane.leaving_bytes();
  return sum;
}

std::uint64_t Lanes::bytes() const {
  std::uint64_t sum = scheduled().bytes();
  for (const QueueState& lane : lanes_) sum += lane.bytes();
  return sum;
}

std::uint64_t Lanes::ready_bytes() const {
  std::uint64_t sum = 0;
  for (const QueueState& lane : lanes_) sum += lane.ready_bytes();
  return sum;
}

bool Lanes::expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended) {
  bool any = false;
  for (QueueState& lane : lanes_) any |= lane.expire(now, max_chunks, ended);
  return any;
}

Timestamp Lanes::next_due() const {
  Timestamp due = Timestamp::max();
  for (const QueueState& lane : lanes_) due = std::min(due, lane.next_due());
  return due;
}

std::vector<MessageRef> Lanes::exhausted(Seq from, std::size_t max) const {
  std::vector<MessageRef> result;
  for (const QueueState& lane : lanes_) {
    std::ranges::move(lane.exhausted(from, max - result.size()), std::back_inserter(result));
  }
  return result;
}

std::vector<MessageRef> Lanes::tailing(std::size_t max) const {
  std::vector<MessageRef> result;
  for (const QueueState& lane : lanes_) {
    std::ranges::move(lane.tailing(max - result.size()), std::back_inserter(result));
  }
  return result;
}

std::vector<MessageRef> Lanes::far_waiting(Timestamp now, std::size_t max) {
  std::vector<MessageRef> result;
  for (QueueState& lane : lanes_) {
    std::ranges::move(lane.far_waiting(now, max - result.size()), std::back_inserter(result));
  }
  return result;
}

std::size_t Lanes::sparse_count() const {
  std::size_t chunks = 0;
  for (const QueueState& lane : lanes_) chunks += lane.sparse_count();
  return chunks;
}

std::vector<Seq> Lanes::sparse_chunks(std::size_t max) const {
  std::vector<Seq> chunks;
  for (const QueueState& lane : lanes_) {
    std::ranges::move(lane.sparse_chunks(max - chunks.size()), std::back_inserter(chunks));
  }
  return chunks;
}

std::uint64_t Lanes::purge() {
  std::uint64_t purged = 0;
  for (QueueState& lane : lanes_) purged += lane.purge();
  return purged;
}

std::optional<Seq> Lanes::load_from() const {
  for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
    if (auto from = lane->load_from()) return from;
  }
  return std::nullopt;
}

std::vector<Seq> Lanes::unread(std::size_t max) const {
  std::vector<Seq> result;
  for (const QueueState& lane : lanes_) {
    std::ranges::move(lane.unread(max - result.size()), std::back_inserter(result));
  }
  return result;
}

void Lanes::begin_reading() {
  if (++readings_ > 1) return;
  for (QueueState& lane : lanes_) lane.remember_finished(true);
}

void Lanes::end_reading() {
  HOLDFAST_CHECK(readings_ > 0, "each reading that began ends once");
  if (--readings_ > 0) return;
  for (QueueState& lane : lanes_) lane.remember_finished(false);
}

QueueCounts Lanes::counts() const {
  QueueCounts sum;
  for (const QueueState& lane : lanes_) {
    const QueueCounts counts = lane.counts();
    sum.ready += counts.ready;
    sum.waiting += counts.waiting;
    sum.leased += counts.leased;
    sum.dead += counts.dead;
  }
  return sum;
}

std::uint64_t Lanes::unsettled_above() const {
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < lanes_.size(); ++i) {
    const QueueCounts counts = lanes_[i].counts();
    sum += counts.ready + counts.waiting + counts.leased;
  }
  return sum;
}

QueueTotals Lanes::totals() const {
  QueueTotals sum;
  for (const QueueState& lane : lanes_) {
    const QueueTotals& totals = lane.totals();
    sum.sent += totals.sent;
    sum.delivered += totals.delivered;
    sum.acked += totals.acked;
    sum.dead_lettered += totals.dead_lettered;
    sum.discarded += totals.discarded;
    sum.redriven += totals.redriven;
    sum.parked += totals.parked;
    sum.expired += totals.expired;
    sum.overflowed += totals.overflowed;
  }
  return sum;
}

}  // namespace holdfast
