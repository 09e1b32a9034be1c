// These functions end a delivery, and do what its consumer may ask before that. An ack, a failure or the end
// of the lease ends it. A message that was not acked is then ready, waits, goes to the tail or is exhausted.
#include <algorithm>
#include <utility>

#include "engine/base/helpers/check.h"
#include "engine/core/lane_state.h"
#include "engine/core/seq_math.h"
#include "holdfast/limits.h"

namespace holdfast {
namespace {

struct Leased {
  Window::iterator chunk;
  Entry& entry;

  Seq seq() const { return chunk->first + static_cast<std::uint64_t>(&entry - chunk->second.entries.data()); }
};

// Returns the message of a delivery that Window::check() found valid.
Leased leased(MessageStates& states, Seq seq) {
  Window& window = states.log().window();
  const auto chunk = window.chunk_of(seq);
  HOLDFAST_CHECK(chunk != window.end(), "a delivery that goes on is of a message of the window");
  Entry& entry = chunk->second.entries[seq - chunk->first];
  HOLDFAST_CHECK(entry.state == EntryState::kLeased,
                 "only a leased message is settled, extended or described");
  return {chunk, entry};
}

void end_lease_at(MessageStates& states, const Leased& leased, Timestamp until) {
  Entry& entry = leased.entry;
  entry.held_ms = whole_ms(std::chrono::milliseconds(entry.held_ms) + (until - entry.due));
  entry.due = until;
  states.touch(leased.chunk);
  states.schedule(leased.chunk, until);
}

// Makes the message ready, or lets it wait until `visible_at`. A message that expired while it was held
// becomes exhausted.
void give_back(MessageStates& states, const Leased& leased, Timestamp at, std::optional<Timestamp> visible_at,
               ReturnTo to) {
  const auto& [chunk, entry] = leased;
  entry.prefetched = false;
  if (entry.expired) return states.set_state(chunk, entry, EntryState::kExhausted);
  if (to == ReturnTo::kTail && states.may_move(chunk)) {
    entry.due = std::max(visible_at.value_or(at), at);
    states.set_state(chunk, entry, EntryState::kWaiting);
    entry.to_tail = true;
    states.due().tailing().insert(leased.seq());
    return;
  }
  if (!visible_at || *visible_at <= at) return states.set_state(chunk, entry, EntryState::kReady);
  entry.due = *visible_at;
  states.set_state(chunk, entry, EntryState::kWaiting);
  states.schedule(chunk, entry.due);
  if (states.may_move(chunk) && entry.due > at + LaneState::kHorizon) states.due().far().insert(leased.seq());
}

// Notes that the delivery failed at `at`. The message becomes exhausted, waiting or ready. Returns what
// LaneState::release() returns.
bool fail_delivery(MessageStates& states, const FailurePolicy& policy, const Leased& leased, Timestamp at,
                   AttemptEnd end, const LaneState::Return& how) {
  const auto& [chunk, entry] = leased;
  states.note_failure(leased.seq(), entry, at, end);
  if (!policy.brake && policy.is_last(entry, at)) {
    states.set_state(chunk, entry, EntryState::kExhausted);
    return true;
  }
  auto visible_at = how.visible_at;
  if (!visible_at) {
    const auto noise =
        static_cast<std::uint64_t>(leased.seq()) ^ (static_cast<std::uint64_t>(entry.lease) << 16);
    visible_at = at + policy.retry_delay(entry.deliveries, noise);
  }
  if (policy.brake) {
    --entry.deliveries;
    visible_at = std::max(*visible_at, at + *policy.brake);
  }
  give_back(states, leased, at, visible_at, how.to.value_or(policy.retry.to));
  HOLDFAST_CHECK(entry.state != EntryState::kLeased, "a delivery that failed is over");
  return entry.expired || entry.to_tail;
}

// Ends what ran out at `entry.due`: a lease, or a delay.
void end_wait(MessageStates& states, const FailurePolicy& policy, const Leased& timed) {
  const auto& [chunk, entry] = timed;
  if (entry.state == EntryState::kWaiting) return states.set_state(chunk, entry, EntryState::kReady);
  if (entry.prefetched) return give_back(states, timed, entry.due, std::nullopt, ReturnTo::kHead);
  fail_delivery(states, policy, timed, entry.due, AttemptEnd::kLeaseExpired, {});
}

}  // namespace

bool LaneState::start(Seq seq, Timestamp now) {
  const Leased started = leased(states_, seq);
  Entry& entry = started.entry;
  // This holds for a delivery that has started too: a start whose answer was lost is repeated, and its
  // message may be handled from then on. The lease never gets shorter, because its holder may have extended
  // it.
  const Timestamp until = now + std::chrono::milliseconds(entry.renewal_ms);
  if (entry.renewal_ms > 0 && until > entry.due) end_lease_at(states_, started, until);
  if (!entry.prefetched) return false;
  entry.prefetched = false;
  ++entry.deliveries;
  states_.touch(started.chunk);
  return true;
}

void LaneState::extend(Seq seq, Timestamp until) {
  const Leased extended = leased(states_, seq);
  if (extended.entry.extended < limits::kCountedExtensions) ++extended.entry.extended;
  end_lease_at(states_, extended, until);
}

FailurePlace LaneState::describe(Seq seq) {
  const auto [chunk, entry] = leased(states_, seq);
  return states_.describe(chunk, entry);
}

void LaneState::ack(Seq seq, Timestamp now) {
  const std::uint64_t leased_before = states_.tally().leased();
  const auto chunk = leased(states_, seq).chunk;
  if (chunk->second.replayed) {
    states_.changes().note_acked_replay({chunk->first, static_cast<std::uint32_t>(seq - chunk->first), now});
  }
  states_.finish(chunk, seq);
  HOLDFAST_CHECK(states_.tally().leased() + 1 == leased_before,
                 "the delivery of a message that is acknowledged is over");
}

bool LaneState::release(Seq seq, const Return& how, Timestamp now) {
  const Leased released = leased(states_, seq);
  Entry& entry = released.entry;
  if (how.charge && !entry.prefetched)
    return fail_delivery(states_, policy_, released, now, AttemptEnd::kReleased, how);
  states_.undescribe_next(seq, entry);
  if (!entry.prefetched) --entry.deliveries;
  give_back(states_, released, now, how.visible_at, how.to.value_or(ReturnTo::kHead));
  HOLDFAST_CHECK(entry.state != EntryState::kLeased, "a delivery that was released is over");
  return entry.expired || entry.to_tail;
}

void LaneState::note_failure(Seq seq, Timestamp at, AttemptEnd end) {
  states_.note_failure(seq, leased(states_, seq).entry, at, end);
}

bool LaneState::expire(Timestamp now, std::size_t max_chunks, std::vector<LeaseEnd>* ended) {
  bool any = false;
  for (; max_chunks > 0 && states_.due().next_timer() <= now; --max_chunks) {
    const auto chunk = states_.log().window().chunk_at(states_.due().first_timed());
    HOLDFAST_CHECK(chunk != states_.log().window().end(), "a chunk that is timed is in the window");
    states_.due().reschedule(*chunk, Timestamp::max());
    Timestamp next = Timestamp::max();
    for (Entry& entry : chunk->second.entries) {
      const bool timed =
          entry.state == EntryState::kLeased || (entry.state == EntryState::kWaiting && !entry.to_tail);
      if (!timed) continue;
      if (entry.due > now) {
        next = std::min(next, entry.due);
        continue;
      }
      any = true;
      if (ended != nullptr && entry.state == EntryState::kLeased) {
        const auto index = static_cast<std::uint32_t>(&entry - chunk->second.entries.data());
        ended->push_back({{chunk->first, index}, entry.due, entry.deliveries});
      }
      end_wait(states_, policy_, {chunk, entry});
      HOLDFAST_CHECK(entry.state != EntryState::kLeased && entry.state != EntryState::kDone,
                     "a lease that ran out is over, and its message stays");
    }
    states_.schedule(chunk, next);
  }
  return any;
}

}  // namespace holdfast
