#include "engine/journal/journal.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/codec/encoding/keys.h"
#include "engine/codec/rows/journal_row.h"

namespace holdfast {
namespace {

// A bucket holds one of this many parts of what the journal may hold, in entries and in time.
constexpr std::uint64_t kBuckets = 16;

}  // namespace

std::uint64_t Journal::entries() const {
  return std::accumulate(buckets_.begin(), buckets_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const JournalBucket& bucket) { return sum + bucket.entries; });
}

void Journal::configure(const JournalOptions& options) {
  options_ = options;
  while (!buckets_.empty() && entries() > options_.max_entries) drop_oldest();
}

void Journal::drop_oldest() {
  changes_.emplace_back(Drop{buckets_.front().number});
  buckets_.erase(buckets_.begin());
}

std::uint64_t Journal::bucket_for(Timestamp at) {
  const bool full = buckets_.empty() || buckets_.back().entries * kBuckets >= options_.max_entries;
  const bool old = !full && options_.keep > Duration{0} &&
                   at - buckets_.back().started >= options_.keep / Duration::rep{kBuckets};
  if (full || old) {
    const std::uint64_t number = buckets_.empty() ? 1 : buckets_.back().number + 1;
    buckets_.push_back({.number = number, .entries = 0, .started = at, .newest = at});
  }
  JournalBucket& bucket = buckets_.back();
  ++bucket.entries;
  bucket.newest = std::max(bucket.newest, at);
  const std::uint64_t number = bucket.number;
  while (entries() > options_.max_entries) drop_oldest();
  return number;
}

void Journal::uncount(std::uint64_t number) {
  const auto bucket = std::ranges::find(buckets_, number, &JournalBucket::number);
  if (bucket != buckets_.end()) --bucket->entries;
}

void Journal::note(const Subject& message, HistoryStep step, std::uint64_t order, Timestamp now) {
  const std::uint64_t bucket = bucket_for(now);
  changes_.emplace_back(Put{bucket, order, message, std::move(step)});
}

bool Journal::expire(Timestamp now) {
  bool any = false;
  for (; next_due() <= now; any = true) drop_oldest();
  return any;
}

Timestamp Journal::next_due() const {
  if (options_.keep == Duration{0} || buckets_.empty()) return Timestamp::max();
  return buckets_.front().newest + options_.keep;
}

void Journal::contribute(QueueId queue, Batch& rows, const FindId& find_id) {
  for (auto& change : changes_) {
    if (const auto* drop = std::get_if<Drop>(&change)) {
      rows.remove_range(Family::kJournal, keys::journal_bucket(queue, drop->bucket),
                        keys::journal_bucket(queue, drop->bucket + 1));
      continue;
    }
    const Put& put = std::get<Put>(change);
    const auto* known = std::get_if<MessageId>(&put.message);
    const std::optional<MessageId> id =
        known != nullptr ? *known : find_id(std::get<MessageRef>(put.message));
    if (!id) {
      // Otherwise steps that are not there would push out steps that are, since a message that cannot be read
      // is tried again and again.
      uncount(put.bucket);
      continue;
    }
    rows.put(Family::kJournal, keys::journal(queue, put.bucket, *id, put.order),
             encode_journal_row(put.step));
  }
  changes_.clear();
}

}  // namespace holdfast
