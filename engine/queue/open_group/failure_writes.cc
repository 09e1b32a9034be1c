#include "engine/queue/open_group/failure_writes.h"

#include <algorithm>
#include <utility>

#include "engine/codec/encoding/keys.h"
#include "engine/core/seq_math.h"

namespace holdfast {

void FailureWrites::put(const FailurePlace& place, std::shared_ptr<const std::string> failure) {
  const auto put = std::ranges::lower_bound(puts_, place, {}, &Put::place);
  if (put != puts_.end() && put->place == place) {
    put->failure = std::move(failure);
  } else {
    puts_.insert(put, {place, std::move(failure)});
  }
}

std::shared_ptr<const std::string> FailureWrites::said(const FailurePlace& place) const {
  const auto put = std::ranges::lower_bound(puts_, place, {}, &Put::place);
  return put == puts_.end() || put->place != place ? nullptr : put->failure;
}

void FailureWrites::contribute(QueueId queue, std::span<const GroupChanges> changes, GroupNumber group,
                               Batch& rows) {
  if (!puts_.empty()) last_group_ = group;
  for (const auto& [place, failure] : puts_) {
    // A message that died or was done in the same group needs no description.
    const auto& gone = changes[lane_of(place.home)].undescribed;
    const auto slots = gone.find(place.home);
    if (slots != gone.end() && (slots->second >> place.slot & 1U) != 0) continue;
    rows.put(Family::kScheduled, keys::failure(queue, place), *failure);
  }
  puts_.clear();
  for (const GroupChanges& lane : changes) {
    for (const auto& [home, slots] : lane.undescribed) {
      for (std::size_t slot = 0; slot < kFailureSlots; ++slot) {
        if ((slots >> slot & 1U) != 0) rows.remove(Family::kScheduled, keys::failure(queue, {home, slot}));
      }
    }
  }
}

}  // namespace holdfast
