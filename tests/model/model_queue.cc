#include "tests/model/model_queue.h"

#include <algorithm>

namespace holdfast::testing {
namespace {

// Returns whether one message came to the end of the log by its death, and the other at the end of its wait,
// at the same time.
bool fell_due_together(const ModelMessage& a, const ModelMessage& b) {
  return a.fell_due && a.fell_due == b.fell_due && a.record.has_value() != b.record.has_value() &&
         a.place == b.place && !a.returned && !b.returned;
}

}  // namespace

void ModelMessage::end_lease_at(Timestamp time) {
  held += std::chrono::round<std::chrono::milliseconds>(time - until);
  until = time;
}

void ModelMessage::give_back(Timestamp at, Duration wait) {
  place = wait > Duration(0) ? MessagePlace::kWaiting : MessagePlace::kReady;
  until = at + wait;
  loose = wait > std::chrono::seconds(60) && !record;
}

void ModelMessage::learn_death(Timestamp time) {
  record->died_at = time;
  if (triage.status == DeadLetterStatus::kNew) triage.status_since = time;
  unlisted = false;
}

std::uint64_t ModelQueue::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& [place, message] : messages) {
    sum += message.content->body.size();
    for (const auto& [name, value] : message.content->attributes) sum += name.size() + value.size();
  }
  return sum;
}

QueueCounts ModelQueue::counts() const {
  QueueCounts counts;
  for (const auto& [place, message] : messages) {
    if (message.place == MessagePlace::kReady) ++counts.ready;
    if (message.place == MessagePlace::kWaiting) ++counts.waiting;
    if (message.place == MessagePlace::kLeased) ++counts.leased;
    if (message.record) ++counts.dead;
  }
  return counts;
}

bool ModelQueue::has_room() const {
  const std::size_t limit = options.limits.max_length;
  return limit == 0 || messages.size() - counts().ready < limit;
}

std::map<std::uint64_t, ModelMessage>::iterator ModelQueue::next(const MessageId& picked) {
  auto next = messages.end();
  for (auto each = messages.begin(); each != messages.end(); ++each) {
    const ModelMessage& message = each->second;
    if (message.place != MessagePlace::kReady) continue;
    if (message.loose && message.content->id == picked) return each;
    if (message.loose) continue;
    const bool first = next == messages.end();
    const bool earlier =
        !first && message.returned && (!next->second.returned || message.seq < next->second.seq);
    if (first || earlier) next = each;
  }
  if (next == messages.end()) return next;
  const auto as_well = std::ranges::find_if(
      messages, [&](const auto& other) { return fell_due_together(next->second, other.second); });
  const bool is_picked = as_well != messages.end() && as_well->second.content->id == picked;
  return is_picked ? as_well : next;
}

void ModelQueue::expire(Timestamp now) {
  for (auto next = messages.begin(); next != messages.end();) {
    const auto current = next++;
    ModelMessage& message = current->second;
    if (message.expires_at > now || message.ticket != 0 || message.expired) continue;
    if (message.place == MessagePlace::kLeased) {
      message.expired = true;
    } else {
      ++totals.expired;
      messages.erase(current);
    }
  }
}

void ModelQueue::drop_if_expired(std::uint64_t place) {
  const auto found = messages.find(place);
  if (found == messages.end() || !found->second.expired) return;
  ++totals.expired;
  messages.erase(found);
}

}  // namespace holdfast::testing
