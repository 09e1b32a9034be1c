// These functions hand messages out. Those that came back go first, the lowest seq first; then come those
// that the cursor reaches. The cursor takes its chunks from the window where somebody was there before it,
// and otherwise from the chunks that are remembered ahead of it. Where these end, the caller reads on in the
// store (load_from, add_ahead). On a queue with grouping the cursor runs ahead of what is handed out: what it
// passes is ready, and stays in the group index until its group is free. Messages that make room for newer
// ones leave in the same order.
#include <algorithm>

#include "engine/base/helpers/check.h"
#include "engine/core/lane_state.h"
#include "engine/core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

void lease(MessageStates& states, Window::iterator chunk, std::uint32_t index, const LeaseTerms& terms,
           std::vector<Grant>& grants) {
  Entry& entry = chunk->second.entries[index];
  HOLDFAST_CHECK(entry.state == EntryState::kFresh || entry.state == EntryState::kReady,
                 "only a message that is ready is handed out");
  states.set_state(chunk, entry, EntryState::kLeased);
  entry.due = terms.until;
  entry.held_ms = whole_ms(terms.length);
  entry.extended = 0;
  entry.lease = terms.id;
  if (!terms.nobody) entry.consumer = terms.consumer;
  entry.prefetched = terms.prefetch;
  entry.renewal_ms = 0;
  if (terms.prefetch) {
    const auto length = std::chrono::ceil<std::chrono::milliseconds>(terms.length);
    entry.renewal_ms = static_cast<std::uint32_t>(length.count());
  } else {
    ++entry.deliveries;
  }
  grants.push_back({chunk->first, index, entry.deliveries + (terms.prefetch ? 1 : 0)});
}

// Leases the oldest messages, whatever their groups are.
std::vector<Grant> lease_oldest(MessageStates& states, std::size_t max, const LeaseTerms& terms,
                                ByteBudget& budget) {
  ChunkLog& log = states.log();
  std::vector<Grant> grants;
  grants.reserve(std::min<std::size_t>(max, states.tally().ready()));
  while (grants.size() < max && !budget.spent()) {
    const auto chunk = states.first_returned();
    if (chunk == log.window().end()) break;
    auto& entries = chunk->second.entries;
    for (std::uint32_t i = 0; i < entries.size() && grants.size() < max; ++i) {
      if (entries[i].state != EntryState::kReady) continue;
      if (!budget.take(entries[i].bytes)) break;
      lease(states, chunk, i, terms, grants);
    }
    states.schedule(chunk, terms.until);
  }
  while (grants.size() < max && !budget.spent()) {
    const auto chunk = log.enter_next();
    if (chunk == log.window().end()) break;
    auto& entries = chunk->second.entries;
    auto index = static_cast<std::uint32_t>(log.cursor() - chunk->first);
    for (; index < entries.size() && grants.size() < max; ++index) {
      if (entries[index].state != EntryState::kFresh) continue;
      if (!budget.take(entries[index].bytes)) break;
      lease(states, chunk, index, terms, grants);
    }
    log.move_cursor(chunk->first + index);
    states.schedule(chunk, terms.until);
  }
  return grants;
}

// Moves the cursor on until the groups have `deliverable` deliverable messages, or there are no more, or
// limits::kGroupLookahead messages are ready.
void look_ahead(MessageStates& states, std::size_t deliverable) {
  ChunkLog& log = states.log();
  const GroupIndex& groups = *states.order().groups();
  const auto enough = [&] {
    return groups.deliverable() >= deliverable || groups.ready() >= limits::kGroupLookahead;
  };
  while (!enough()) {
    const auto chunk = log.enter_next();
    if (chunk == log.window().end()) return;
    auto& entries = chunk->second.entries;
    auto index = static_cast<std::uint32_t>(log.cursor() - chunk->first);
    for (; index < entries.size() && !enough(); ++index) {
      if (entries[index].state == EntryState::kFresh)
        states.set_state(chunk, entries[index], EntryState::kReady);
    }
    log.move_cursor(chunk->first + index);
  }
}

std::vector<Grant> lease_by_groups(MessageStates& states, std::size_t max, const LeaseTerms& terms,
                                   ByteBudget& budget) {
  std::vector<Grant> grants;
  if (!states.order().unread().empty()) return grants;
  const GroupIndex& groups = *states.order().groups();
  if (groups.grouping() == Grouping::kFair) look_ahead(states, groups.deliverable() + LaneState::kFairStep);
  while (grants.size() < max && !budget.spent()) {
    look_ahead(states, max - grants.size());
    const std::vector<Seq> seqs = groups.next(max - grants.size());
    if (seqs.empty()) break;
    for (const Seq seq : seqs) {
      const auto chunk = states.log().window().chunk_of(seq);
      const auto index = static_cast<std::uint32_t>(seq - chunk->first);
      if (!budget.take(chunk->second.entries[index].bytes)) break;
      lease(states, chunk, index, terms, grants);
      states.schedule(chunk, terms.until);
    }
  }
  return grants;
}

}  // namespace

std::vector<Grant> LaneState::receive(std::size_t max, const LeaseTerms& terms, ByteBudget& budget) {
  const Tally& tally = states_.tally();
  const std::uint64_t ready = tally.ready();
  const std::uint64_t leased = tally.leased();
  std::vector<Grant> grants = states_.order().groups() != nullptr
                                  ? lease_by_groups(states_, max, terms, budget)
                                  : lease_oldest(states_, max, terms, budget);
  HOLDFAST_CHECK(grants.size() <= max, "no more messages are handed out than are asked for");
  HOLDFAST_CHECK(tally.leased() - leased == grants.size() && ready - tally.ready() == grants.size(),
                 "each message that is handed out is leased, and no longer ready");
  return grants;
}

LaneState::Dropped LaneState::drop_heads(std::uint64_t messages, std::uint64_t bytes) {
  const std::uint64_t leased = states_.tally().leased();
  Dropped dropped;
  ByteBudget any;
  while (dropped.messages < messages || dropped.bytes < bytes) {
    // Only message by message does it show how many make up the bytes.
    const std::uint64_t more = dropped.messages < messages ? messages - dropped.messages : 1;
    const LeaseTerms terms{.until = Timestamp::max(), .consumer = nullptr, .prefetch = true, .nobody = true};
    // On an ordered queue, messages that wait for their group leave too, since a group that is held must not
    // let the queue grow. The order of what is left stays the same.
    const DeliveryOrder& order = states_.order();
    const bool any_group = order.grouping() == Grouping::kOrdered && order.unread().empty();
    const std::vector<Grant> heads =
        any_group ? lease_oldest(states_, more, terms, any) : receive(more, terms, any);
    for (const Grant& head : heads) {
      const auto chunk = states_.log().window().chunk_at(head.chunk);
      Entry& entry = chunk->second.entries[head.index];
      entry.prefetched = false;
      entry.overflowed = true;
      states_.set_state(chunk, entry, EntryState::kExhausted);
      dropped.bytes += entry.bytes;
    }
    dropped.messages += heads.size();
    if (heads.size() < more) break;
  }
  HOLDFAST_CHECK(states_.tally().leased() == leased, "nobody has a lease of a message that makes room");
  return dropped;
}

}  // namespace holdfast
