#include "engine/core/queue_state.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <span>

#include "engine/base/helpers/check.h"
#include "engine/base/helpers/costly_check.h"

namespace holdfast {
namespace {

std::vector<Grant> receive_strict(std::vector<LaneState>& lanes, std::size_t max, const LeaseTerms& terms,
                                  ByteBudget& budget) {
  std::vector<Grant> grants;
  for (auto lane = lanes.rbegin(); lane != lanes.rend(); ++lane) {
    std::ranges::move(lane->receive(max - grants.size(), terms, budget), std::back_inserter(grants));
    // The messages that are left in this lane go before those of a lower one.
    if (grants.size() == max || budget.spent() || lane->load_from()) break;
  }
  return grants;
}

// Returns the lane whose turn it is, or null if no message is ready, or if a lane must be read first.
LaneState* next_aged(std::vector<LaneState>& lanes, Duration aging) {
  LaneState* best = nullptr;
  Timestamp best_time = Timestamp::max();
  for (std::size_t i = lanes.size(); i-- > 0;) {
    if (lanes[i].states().tally().ready() == 0) continue;
    const auto sent_at = lanes[i].head_sent_at();
    if (!sent_at) return nullptr;
    const Timestamp time = *sent_at - aging * static_cast<Duration::rep>(i);
    if (best == nullptr || time < best_time) {
      best = &lanes[i];
      best_time = time;
    }
  }
  return best;
}

std::vector<Grant> receive_aged(std::vector<LaneState>& lanes, Duration aging, std::size_t max,
                                const LeaseTerms& terms, ByteBudget& budget) {
  std::vector<Grant> grants;
  while (grants.size() < max) {
    LaneState* const lane = next_aged(lanes, aging);
    if (lane == nullptr) break;
    const std::size_t before = grants.size();
    std::ranges::move(lane->receive(1, terms, budget), std::back_inserter(grants));
    // Either the budget is spent, or the groups of the lane are held. In the second case no other lane has
    // messages.
    if (grants.size() == before) break;
  }
  return grants;
}

// Asks each lane, the lowest first, for as many items as are still wanted of `max`, and returns them all.
template <class Item, class QueueState, class OfLane>
std::vector<Item> gather(QueueState& lanes, std::size_t max, OfLane of_lane) {
  std::vector<Item> result;
  for (auto& lane : lanes) {
    std::ranges::move(of_lane(lane, max - result.size()), std::back_inserter(result));
    HOLDFAST_CHECK(result.size() <= max, "a lane gives no more than it is asked for");
  }
  return result;
}

// Returns the first `max` seqs.
std::vector<Seq> first_of(const std::set<Seq>& seqs, std::size_t max) {
  std::vector<Seq> result;
  const auto count = static_cast<std::ptrdiff_t>(std::min(max, seqs.size()));
  std::copy_n(seqs.begin(), count, std::back_inserter(result));
  return result;
}

}  // namespace

void QueueState::set_order(std::size_t levels, Duration aging, Grouping grouping) {
  while (lanes_.size() < levels) {
    const Seq first = lane_begin(lanes_.size());
    lanes_.emplace_back(first, first).remember_finished(readings_ > 0);
  }
  aging_ = aging;
  for (LaneState& lane : lanes_) lane.set_order(grouping, aging > Duration{0});
}

void QueueState::set_failure_policy(const FailurePolicy& policy) {
  for (LaneState& lane : lanes_) lane.policy() = policy;
}

void QueueState::set_brake(std::optional<Duration> delay) {
  for (LaneState& lane : lanes_) lane.policy().brake = delay;
}

std::vector<Grant> QueueState::receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  std::vector<Grant> grants = lanes_.size() == 1     ? lanes_.front().receive(max, terms, budget)
                              : aging_ > Duration{0} ? receive_aged(lanes_, aging_, max, terms, budget)
                                                     : receive_strict(lanes_, max, terms, budget);
  HOLDFAST_CHECK(grants.size() <= max, "no more messages are handed out than are asked for");
  totals_.delivered += grants.size();
  return grants;
}

void QueueState::ack(Seq seq, Timestamp now) {
  of(seq).ack(seq, now);
  ++totals_.acked;
}

QueueState::Dropped QueueState::drop_heads(std::uint64_t messages, std::uint64_t bytes) {
  Dropped dropped;
  for (LaneState& lane : lanes_) {
    const LaneState::Dropped here = lane.drop_heads(messages, bytes);
    dropped.messages += here.messages;
    messages -= std::min(messages, here.messages);
    bytes -= std::min(bytes, here.bytes);
    if (messages == 0 && bytes == 0) break;
    if (dropped.load_from = lane.load_from(); dropped.load_from) break;
  }
  return dropped;
}

std::size_t QueueState::leaving() const {
  std::size_t sum = 0;
  for (const LaneState& lane : lanes_) sum += lane.states().due().exhausted().size();
  return sum;
}

std::uint64_t QueueState::leaving_bytes() const {
  std::uint64_t sum = 0;
  for (const LaneState& lane : lanes_) sum += lane.states().tally().leaving_bytes();
  return sum;
}

std::uint64_t QueueState::bytes() const {
  std::uint64_t sum = scheduled_.bytes();
  for (const LaneState& lane : lanes_) sum += lane.states().tally().bytes();
  return sum;
}

std::uint64_t QueueState::ready_bytes() const {
  std::uint64_t sum = 0;
  for (const LaneState& lane : lanes_) sum += lane.states().tally().ready_bytes();
  return sum;
}

bool QueueState::expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended) {
  bool any = false;
  for (LaneState& lane : lanes_) any |= lane.expire(now, max_chunks, ended);
  return any;
}

Timestamp QueueState::next_due() const {
  Timestamp due = Timestamp::max();
  for (const LaneState& lane : lanes_) due = std::min(due, lane.states().due().next());
  return due;
}

std::vector<MessageRef> QueueState::exhausted(Seq from, std::size_t max) const {
  return gather<MessageRef>(lanes_, max, [from](const LaneState& lane, std::size_t count) {
    return lane.window().refs(lane.states().due().exhausted(), from, count);
  });
}

std::vector<MessageRef> QueueState::tailing(std::size_t max) const {
  return gather<MessageRef>(lanes_, max, [](const LaneState& lane, std::size_t count) {
    return lane.window().refs(lane.states().due().tailing(), Seq{0}, count);
  });
}

std::vector<MessageRef> QueueState::far_waiting(Timestamp now, std::size_t max) {
  return gather<MessageRef>(
      lanes_, max, [now](LaneState& lane, std::size_t count) { return lane.far_waiting(now, count); });
}

std::size_t QueueState::sparse_count() const {
  std::size_t chunks = 0;
  for (const LaneState& lane : lanes_) chunks += lane.states().sparse().size();
  return chunks;
}

std::vector<Seq> QueueState::sparse_chunks(std::size_t max) const {
  return gather<Seq>(lanes_, max, [](const LaneState& lane, std::size_t count) {
    return first_of(lane.states().sparse(), count);
  });
}

std::uint64_t QueueState::purge() {
  std::uint64_t purged = scheduled_.messages();
  for (LaneState& lane : lanes_) purged += lane.purge();
  scheduled_.purge();
  HOLDFAST_COSTLY_CHECK(counts() == QueueCounts{} && bytes() == 0 && leaving() == 0,
                        "a queue that was purged has no messages");
  return purged;
}

std::optional<Seq> QueueState::load_from() const {
  for (auto lane = lanes_.rbegin(); lane != lanes_.rend(); ++lane) {
    if (auto from = lane->load_from()) return from;
  }
  return std::nullopt;
}

std::vector<Seq> QueueState::unread(std::size_t max) const {
  return gather<Seq>(lanes_, max, [](const LaneState& lane, std::size_t count) {
    return first_of(lane.states().order().unread(), count);
  });
}

void QueueState::begin_reading() {
  if (++readings_ > 1) return;
  for (LaneState& lane : lanes_) lane.remember_finished(true);
}

void QueueState::end_reading() {
  HOLDFAST_CHECK(readings_ > 0, "each reading that began ends once");
  if (--readings_ > 0) return;
  for (LaneState& lane : lanes_) lane.remember_finished(false);
}

QueueCounts QueueState::counts() const {
  QueueCounts sum{.waiting = scheduled_.messages()};
  for (const LaneState& lane : lanes_) {
    const QueueCounts counts = lane.states().tally().counts();
    sum.ready += counts.ready;
    sum.waiting += counts.waiting;
    sum.leased += counts.leased;
    sum.dead += counts.dead;
  }
  return sum;
}

std::uint64_t QueueState::unsettled_above() const {
  std::uint64_t sum = 0;
  for (const LaneState& lane : std::span(lanes_).subspan(1)) {
    const QueueCounts counts = lane.states().tally().counts();
    sum += counts.ready + counts.waiting + counts.leased;
  }
  return sum;
}

}  // namespace holdfast
